"""Span labels: hand-made cases, and round trips between all schemes."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from ramify.data import LabelScheme, Span, convert_labels, encode_spans, find_spans
from ramify.errors import InvalidInputError

SPANS = [Span(0, 2, "NP"), Span(2, 3, "NP"), Span(3, 6, "VP"), Span(7, 8, "PP")]
ENCODED = {
    "iob1": ["I-NP", "I-NP", "B-NP", "I-VP", "I-VP", "I-VP", "O", "I-PP"],
    "iob2": ["B-NP", "I-NP", "B-NP", "B-VP", "I-VP", "I-VP", "O", "B-PP"],
    "bioes": ["B-NP", "E-NP", "S-NP", "B-VP", "I-VP", "E-VP", "O", "S-PP"],
}


@pytest.mark.parametrize("scheme", ENCODED)
def test_known_encodings(scheme):
    assert encode_spans(SPANS, 8, scheme) == ENCODED[scheme]
    assert find_spans(ENCODED[scheme]) == SPANS


@st.composite
def spans_in_words(draw):
    length = draw(st.integers(1, 12))
    spans, start = [], 0
    while start < length:
        end = draw(st.integers(start, length))
        if end > start and draw(st.booleans()):
            spans.append(Span(start, end, draw(st.sampled_from(["A", "B-C", "D"]))))
        start = max(end, start + 1)
    return length, spans


@given(spans_in_words(), st.sampled_from(LabelScheme), st.sampled_from(LabelScheme))
def test_conversion_keeps_spans(words, source, target):
    length, spans = words
    labels = encode_spans(spans, length, source)
    converted = convert_labels(labels, source, target)
    assert find_spans(converted) == spans
    assert convert_labels(converted, target, source) == labels


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        (["I-A", "I-B"], [(0, 1, "A"), (1, 2, "B")]),
        (["E-A", "I-A"], [(0, 1, "A"), (1, 2, "A")]),
        (["O", "E-A", "O"], [(1, 2, "A")]),
        (["B-A", "I-B", "E-A"], [(0, 1, "A"), (1, 2, "B"), (2, 3, "A")]),
        ([], []),
    ],
)
def test_ill_formed_sequences_as_conlleval_reads_them(labels, spans):
    assert find_spans(labels) == [Span(*span) for span in spans]


def test_strictness():
    assert convert_labels(["I-A", "I-A"], "iob2", "bioes", strict=False) == ["B-A", "E-A"]
    with pytest.raises(InvalidInputError, match=r"expects IOB2 labels; got 'I-A' at position 0, where IOB2 has 'B-A'"):
        convert_labels(["I-A", "I-A"], "iob2", "bioes")
    with pytest.raises(InvalidInputError, match=r"got 'X-A' \(item 1\)"):
        find_spans(["O", "X-A"])
    with pytest.raises(InvalidInputError, match="do not overlap"):
        encode_spans([Span(0, 2, "A"), Span(1, 3, "A")], 3, "iob2")
    with pytest.raises(InvalidInputError, match="within 2 words"):
        encode_spans([Span(0, 3, "A")], 2, "iob2")
