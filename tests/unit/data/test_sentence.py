"""The sentence as a store of columns and its token views."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from ramify.data import EmptyNode, MultiwordToken, Sentence, read
from ramify.errors import InvalidInputError

pytestmark = pytest.mark.engine


@pytest.fixture
def sentence():
    return Sentence(
        ["I", "ca", "n't", "sleep"],
        lemmas=["I", "can", "not", "sleep"],
        upos=["PRON", "AUX", "PART", "VERB"],
        heads=[4, 4, 4, 0],
        deprels=["nsubj", "aux", "advmod", "root"],
        comments=["# sent_id = s1", "# text = I can't sleep"],
        multiword_tokens=[MultiwordToken(2, 3, "can't", misc="SpaceAfter=No")],
        empty_nodes=[EmptyNode(4, 1, "x", deps="4:dep")],
    )


def test_columns(sentence):
    assert len(sentence) == 4
    assert sentence.forms == ("I", "ca", "n't", "sleep")
    assert sentence.xpos == ("_",) * 4
    assert sentence.heads.tolist() == [4, 4, 4, 0]
    assert sentence.heads.dtype == np.int32
    assert sentence.sent_id == "s1"
    assert sentence.text == "I can't sleep"
    assert sentence.metadata("nothing") is None
    assert sentence.multiword_tokens == [MultiwordToken(2, 3, "can't", misc="SpaceAfter=No")]
    assert sentence.empty_nodes == [EmptyNode(4, 1, "x", deps="4:dep")]
    assert repr(sentence) == "<Sentence of 4 words: I ca n't sleep>"


def test_order_of_lines(sentence):
    ids = [line.split("\t")[0] for line in sentence.to_conllu().splitlines() if "\t" in line]
    assert ids == ["1", "2-3", "2", "3", "4", "4.1"]


def test_assigning_columns(sentence):
    sentence.upos = ["A", "B", "C", "D"]
    sentence.heads = [0, 1, 1, 1]
    sentence.heads[3] = -1
    sentence.set_metadata("sent_id", "other")
    sentence.set_metadata("source", "test")
    assert sentence.to_conllu().splitlines()[:4] == [
        "# sent_id = other", "# text = I can't sleep", "# source = test", "1\tI\tI\tA\t_\t_\t0\tnsubj\t_\t_",
    ]  # fmt: skip
    assert "4\tsleep\tsleep\tD\t_\t_\t_\troot\t_\t_" in sentence.to_conllu()


def test_many_assignments_keep_memory_bounded(sentence):
    for i in range(5000):
        sentence.misc = [f"Round={i}" + "x" * 50] * 4
    assert sentence.misc == ("Round=4999" + "x" * 50,) * 4
    assert sentence.forms == ("I", "ca", "n't", "sleep")
    assert len(pickle.dumps(sentence)) < 2000


def test_tokens(sentence):
    token = sentence[1]
    assert (token.id, token.form, token.lemma, token.head, token.deprel) == (2, "ca", "can", 4, "aux")
    token.head = 1
    token.deprel = "x"
    assert sentence.heads[1] == 1
    assert sentence.deprels[1] == "x"
    assert [t.id for t in sentence] == [1, 2, 3, 4]
    assert [t.form for t in sentence[-2:]] == ["n't", "sleep"]
    assert sentence[-1].form == "sleep"
    assert token.sentence is sentence
    assert repr(token) == "<Token 2: ca>"
    with pytest.raises(IndexError, match="4 words has no item 4"):
        sentence[4]


def test_copies_are_independent(sentence):
    for other in (sentence.copy(), copy.copy(sentence), copy.deepcopy(sentence), pickle.loads(pickle.dumps(sentence))):
        assert other == sentence
        other.heads[0] = 2
        assert other != sentence
    assert sentence != "something else"


def test_heads_outlive_their_sentence():
    heads = Sentence(["a", "b"], heads=[2, 0]).heads
    assert heads.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: setattr(s, "upos", ["A"]), r"Sentence.upos expects 4 strings, one per word; got 1"),
        (lambda s: setattr(s, "upos", "ABCD"), r"Sentence.upos expects 4 strings"),
        (lambda s: setattr(s, "upos", ["A", "", "C", "D"]), r"got ''"),
        (lambda s: setattr(s, "misc", ["A", "a\tb", "C", "D"]), r"without tabs"),
        (lambda s: setattr(s, "heads", [0, 1]), r"expects 4 integers; got shape \(2,\)"),
        (lambda s: setattr(s, "heads", [0.5] * 4), r"of type float64"),
        (lambda s: setattr(s, "heads", [0, 1, 9, 1]), r"got 9 as the head of word 3"),
        (lambda s: setattr(s, "heads", [0, 2, 1, 1]), r"got 2 as the head of word 2"),
        (lambda s: setattr(s, "comments", ["text"]), r"start with '#'"),
        (lambda s: setattr(s[0], "head", 1), r"Token.head of word 1 expects another word"),
        (lambda s: setattr(s[0], "form", ""), r"Token.form expects non-empty strings"),
        (lambda s: s.to_bytes("tsv"), r"'conllu' or 'conllx'; got 'tsv'"),
    ],
)
def test_bad_changes(sentence, change, message):
    before = sentence.to_bytes()
    with pytest.raises(InvalidInputError, match=message):
        change(sentence)
    assert sentence.to_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"forms": []}, "at least one word|expects"),
        ({"forms": ["a"], "heads": [1]}, "the word itself"),
        ({"forms": ["a", "b"], "heads": [2, 1]}, "a cycle of heads"),
        ({"forms": ["a", "b"], "heads": [0, 0]}, "one root"),
        ({"forms": ["a"], "lemmas": []}, "Sentence.lemmas expects 1 strings"),
        ({"forms": ["a"], "multiword_tokens": [MultiwordToken(1, 2, "x")]}, "last word, 1"),
        ({"forms": ["a"], "multiword_tokens": [MultiwordToken(5, 6, "x")]}, "at its 1 words; got one at word 4"),
        ({"forms": ["a"], "empty_nodes": [EmptyNode(1, 2)]}, "empty node 1.1"),
    ],
)
def test_bad_sentences(arguments, message):
    with pytest.raises(InvalidInputError, match=message):
        Sentence(**arguments)


def test_underscore_is_a_word(samples, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("1\t_\t_\tSYM\t_\t_\t0\troot\t_\t_\n\n")
    (sentence,) = read(path)
    assert sentence.forms == ("_",)
