from __future__ import annotations

import pytest

import ramify
from ramify.compression import kept_words
from ramify.errors import InvalidInputError, ParseError
from ramify.pipeline.compression import TASK, load_pairs, marked_sentences, read_pairs

PAIR = ("The old man slept.", "The man slept.")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pairs.csv", 'original,compressed\n"The old man slept.",The man slept.\n'),
        ("pairs.tsv", "original\tcompressed\nThe old man slept.\tThe man slept.\n"),
        ("pairs.jsonl", '{"text": "The old man slept.", "compression": "The man slept."}\n\n'),
    ],
)
def test_files_of_pairs(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert list(read_pairs(tmp_path / name)) == [PAIR]
    corpus = load_pairs(tmp_path / name, "train", TASK.config())
    assert corpus.files == (name,)
    assert kept_words(corpus.sentences[0]).tolist() == [True, False, True, True, False]


def test_other_columns(tmp_path):
    (tmp_path / "pairs.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ParseError, match="columns original and compressed"):
        list(read_pairs(tmp_path / "pairs.csv"))


def test_pairs_that_are_no_deletions_are_left_out(tmp_path):
    nlp = ramify.load("en")
    assert len(list(marked_sentences([PAIR, ("He left.", "She left."), ("He left. She came.", "He left.")], nlp))) == 1
    (tmp_path / "pairs.csv").write_text("original,compressed\nHe left.,She left.\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="leaves out words of the first; found none"):
        load_pairs(tmp_path / "pairs.csv", "train", TASK.config())
