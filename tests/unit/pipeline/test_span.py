"""Spans of documents and sentences."""

from __future__ import annotations

import pytest

from ramify.errors import InvalidInputError
from ramify.pipeline import Doc, Span

TEXT = "  I like it. You don't!"


@pytest.fixture(scope="module")
def doc(nlp):
    return nlp(TEXT)


def test_places(doc):
    span = doc[1:3]
    assert isinstance(span, Span)
    assert (span.start, span.end, len(span)) == (1, 3, 2)
    assert (span.start_char, span.end_char) == (4, 11)
    assert span.text == str(span) == TEXT[4:11] == "like it"
    assert span.tokens == list(span) == [doc[1], doc[2]]
    assert span.doc is doc
    assert repr(span) == "<Span 1:3: 'like it'>"
    assert span[0] == doc[1]
    assert span[-1] == doc[2]
    assert span[1:] == doc[2:3] != span
    assert len({span, doc[1:3], doc[1:4]}) == 2
    assert doc[-2:].text == "don't!"  # a word of a multiword token stands for the whole
    for item in (2, -3):
        with pytest.raises(IndexError, match=f"Span of 2 tokens has no item {item}"):
            span[item]


def test_spans_of_sentences(doc):
    second = doc.sentences[1]
    assert second[1:3] == doc[5:7]
    assert second[1:3].sentence == second
    assert second.span == doc[4:8]
    assert second.span.text == second.text == TEXT[second.start_char : second.end_char]
    both = doc[3:5]
    assert both.sentence is None
    assert both.sentences == list(doc.sentences)


def test_roots(doc):
    assert doc[0:4].root == doc.sentences[0].root
    subtrees = {token: token.sentence[token.left_edge.id - 1 : token.right_edge.id] for token in doc}
    whole = {token: span for token, span in subtrees.items() if len(span) == len(list(token.subtree))}
    assert doc.sentences[0].root in whole
    for token, span in whole.items():  # a subtree with gaps has words of others in its span
        assert span.root == token
    assert doc[2:3].root == doc[2]


def test_nothing(doc):
    for empty in (doc[2:2], doc[5:3], doc[99:]):
        assert len(empty) == 0
        assert empty.text == ""
        assert empty.root is empty.sentence is None
        assert empty.sentences == empty.tokens == []
    assert doc[2:2].start_char == doc[2].start
    assert doc[99:].end_char == len(TEXT)


def test_words_must_follow_each_other(doc):
    for sequence in (doc, doc.sentences[0], doc[0:3]):
        with pytest.raises(InvalidInputError, match=r"got steps of 2. Slice the list .* tokens\[::2\]"):
            sequence[::2]


def test_from_characters(doc):
    assert doc.char_span(4, 11) == doc[1:3]
    assert doc.char_span(2, 3) == doc[0:1]
    assert doc.char_span(17, 22) == doc[5:7]
    assert doc.char_span(5, 11) is doc.char_span(4, 10) is doc.char_span(9, 8) is None


def test_words_without_a_tree():
    doc = Doc.from_sentences([["a", "b"]])
    assert doc[0:2].root is None
    assert doc[0:2].text == "a b"
