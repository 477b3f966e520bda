"""Constraints: from MISC, from files, and what malformed ones are told."""

from __future__ import annotations

import io
import re

import pytest

from ramify.data import Sentence
from ramify.errors import InvalidInputError, ParseError
from ramify.parsing import Head, Label, NotHead, Root, check_constraints, constraints_of_misc, read_constraints

LABELS = ["nsubj", "obj", "root"]


@pytest.fixture
def sentence():
    return Sentence(["Dogs", "chase", "cats"], comments=["# sent_id = s1"])


def test_misc(sentence):
    sentence.misc = ["Head=2|SpaceAfter=No|Deprel=nsubj", "Root=Yes", "NotHead=0,1|Gloss=x"]
    assert constraints_of_misc(sentence) == [Head(1, 2), Label(1, "nsubj"), Root(2), NotHead(3, 0), NotHead(3, 1)]


def test_misc_without_constraints(sentence):
    sentence.misc = ["_", "SpaceAfter=No", "Heads=7|head=3"]
    assert constraints_of_misc(sentence) == []


@pytest.mark.parametrize("item", ["Head=x", "Head=", "Head", "Head=-1", "Head=²", "NotHead=1,", "Deprel=", "Root=No"])
def test_malformed_misc(sentence, item):
    sentence.misc = ["_", f"A=b|{item}|C=d", "_"]
    if "=" not in item:  # no value, so none of ours
        return
    with pytest.raises(InvalidInputError, match=f"sentence s1, word 2: MISC expects .*; got '{re.escape(item)}'"):
        constraints_of_misc(sentence)


def test_files_name_sentences_by_number_or_identifier(sentence):
    text = "# why: known by heart\n1\t1\tHead=2\r\n\ns1\t2\tRoot=Yes\nid=7\t1\tDeprel=root\n2\t1\tNotHead=2,3\n"
    file = read_constraints(io.StringIO(text))
    assert file.of(sentence, 1, LABELS) == [Head(1, 2), Root(2)]
    assert file.unused() == ["7", 2]
    other = Sentence(["a", "b", "c"], comments=["# sent_id = 7"])
    assert file.of(other, 2, LABELS) == [NotHead(1, 2), NotHead(1, 3), Label(1, "root")]
    assert file.unused() == []


@pytest.mark.parametrize(
    ("text", "line", "column", "expected"),
    [
        ("1\t2", 1, "", "sentence, word, constraint with tabs between"),
        ("1\t2\tRoot=Yes\textra", 1, "", "sentence, word, constraint with tabs between"),
        ("\n\t2\tRoot=Yes", 2, "SENTENCE", "a number or a sent_id"),
        ("0\t2\tRoot=Yes", 1, "SENTENCE", "a number from 1"),
        ("1\tx\tRoot=Yes", 1, "WORD", "a number from 1"),
        ("1\t0\tRoot=Yes", 1, "WORD", "a number from 1"),
        ("1\t99999999999999\tRoot=Yes", 1, "WORD", "a number from 1"),
        ("1\t1\tRoot=Maybe", 1, "CONSTRAINT", "Head=NUMBER"),
        ("1\t1\tNoot=Yes", 1, "CONSTRAINT", "Head=NUMBER"),
    ],
)
def test_malformed_files(text, line, column, expected):
    with pytest.raises(ParseError) as caught:
        read_constraints(io.StringIO(text))
    assert (caught.value.line, caught.value.column) == (line, column)
    assert expected in caught.value.expected


def test_files_that_are_no_text():
    with pytest.raises(ParseError, match=":2: expected UTF-8 text; found byte 0xFF"):
        read_constraints(io.BytesIO(b"# fine\n\xff\t1\tRoot=Yes\n"))


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ("4\tRoot=Yes", "a word of the sentence, 1 to 3"),
        ("1\tHead=4", "another word of the sentence (1 to 3) or 0 (root) as head"),
        ("1\tHead=1", "another word of the sentence"),
        ("1\tDeprel=xyz", "a label that the model has (nsubj, obj, root, …)"),
    ],
)
def test_files_that_do_not_fit_the_sentence(sentence, constraint, expected):
    file = read_constraints(io.StringIO(f"# a line\n1\t{constraint}\n"))
    with pytest.raises(ParseError) as caught:
        file.of(sentence, 1, LABELS)
    assert caught.value.line == 2
    assert expected in caught.value.expected


@pytest.mark.parametrize("wrong", [Head(4, 1), Head(1, 4), NotHead(2, 2), Label(1, "xyz"), Root(0), "Root=Yes"])
def test_constraints_from_python_are_checked(wrong):
    with pytest.raises(InvalidInputError, match="A constraint expects"):
        check_constraints([Root(1), wrong], 3, LABELS)
    assert check_constraints(iter([Root(1)]), 3, LABELS) == [Root(1)]
