from __future__ import annotations

import pytest

from ramify.errors import InvalidInputError, ParseError
from ramify.evaluation.summaries import matched_summaries, read_summaries


def test_json_lines(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text('{"id": "x", "references": ["a", "b"]}\n\n{"summary": "c\\nd"}\n', encoding="utf-8")
    assert read_summaries(path) == {"x": ["a", "b"], "3": ["c\nd"]}


def test_lines_of_text(tmp_path):
    path = tmp_path / "gold.txt"
    path.write_text("first\tother first\nsecond\n", encoding="utf-8")
    assert read_summaries(path) == {"1": ["first", "other first"], "2": ["second"]}


def test_folders(tmp_path):
    for name in ("a.1.txt", "a.2.txt", "b.txt"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    assert read_summaries(tmp_path) == {"a": ["a.1.txt", "a.2.txt"], "b": ["b.txt"]}


def test_systems_are_put_in_the_order_of_gold():
    gold, system = {"x": ["a", "b"], "y": ["c"]}, {"y": ["2"], "z": ["3"], "x": ["1"]}
    assert matched_summaries(gold, system, "mine") == (["1", "2"], [["a", "b"], ["c"]])


def test_missing_and_ambiguous_summaries():
    with pytest.raises(InvalidInputError, match=r"mine has no summary for 'x' \(1 of 2 are missing\)"):
        matched_summaries({"x": ["a"], "y": ["b"]}, {"y": ["c"]}, "mine")
    with pytest.raises(InvalidInputError, match="one summary for each input; 'x' has 2"):
        matched_summaries({"x": ["a"]}, {"x": ["a", "b"]}, "mine")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": 1, "summary": "a"}\n{"id": 1, "summary": "b"}', "a new id on each line"),
        ('{"id": 1}', r"found an object with \['id'\]"),
        ("[", "no JSON"),
        ('{"summary": [1]}', "a text, or a list of texts"),
    ],
)
def test_errors_name_the_line(tmp_path, content, message):
    path = tmp_path / "gold.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ParseError, match=message):
        read_summaries(path)


def test_nothing_to_score(tmp_path):
    (tmp_path / "empty.txt").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="has no summaries"):
        read_summaries(tmp_path / "empty.txt")
    (tmp_path / "empty.txt").unlink()
    with pytest.raises(InvalidInputError, match=r"NAME\.txt"):
        read_summaries(tmp_path)


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xff")
    with pytest.raises(ParseError, match="byte 0xFF"):
        read_summaries(tmp_path)
