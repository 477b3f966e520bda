from __future__ import annotations

import json

import pytest

from ramify.errors import InvalidInputError, ParseError
from ramify.summarization.clusters import Cluster, load_clusters, read_clusters


def lines(path, *values):
    path.write_text("\n".join(json.dumps(value) for value in values), encoding="utf-8")
    return path


def test_texts_and_clusters(tmp_path):
    path = lines(
        tmp_path / "a.jsonl",
        {"text": "One.", "id": 7},
        {"documents": ["One.", {"text": "Two.", "headline": "H"}], "summaries": ["S."], "words": 5},
    )
    first, second = read_clusters(path)
    assert (first.id, first.summaries, len(first)) == ("7", (), 1)
    assert second.documents[1].metadata == {"headline": "H"}
    assert (second.words, len(second)) == (5, 2)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "expected a JSON object"), ({"id": 1}, 'with "text" or "documents"'), ({"documents": [3]}, "texts"),
        ({"text": "a", "words": 0}, "1 or more"), ({"text": "a", "summaries": "b"}, "a list of texts"),
    ],
)  # fmt: skip
def test_what_is_no_cluster(tmp_path, value, message):
    with pytest.raises(ParseError, match=message):
        list(read_clusters(lines(tmp_path / "a.jsonl", value)))


def test_pairs_are_for_training_only(tmp_path):
    path = lines(tmp_path / "a.jsonl", {"original": "A big dog ran.", "compressed": "A dog ran."})
    (pair,) = load_clusters(path, "train", None).sentences
    assert (pair.is_pair, pair.documents[0].text, pair.summaries) == (True, "A big dog ran.", ("A dog ran.",))
    with pytest.raises(ParseError, match='with "text" or "documents"'):
        list(read_clusters(path))


def test_training_needs_summaries(tmp_path):
    with pytest.raises(ParseError, match="at least one summary"):
        load_clusters(lines(tmp_path / "a.jsonl", {"text": "a b"}), "train", None)
    with pytest.raises(InvalidInputError, match="train expects paths or sentences"):
        load_clusters([Cluster(())], "train", None)
    (tmp_path / "b.jsonl").write_text("{", encoding="utf-8")
    with pytest.raises(ParseError, match="no JSON"):
        list(read_clusters(tmp_path / "b.jsonl"))
