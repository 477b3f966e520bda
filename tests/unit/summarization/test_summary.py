from __future__ import annotations

from ramify.summarization.summary import Span, spans_of


def test_spans_are_copies_where_nothing_changed():
    text = "However, the  old mill burned."
    pieces = [(9, 12, "The"), (18, 22, " mill"), (23, 29, " burned"), (29, 30, ".")]
    assert spans_of(pieces, text) == (Span(9, 12, "The"), Span(17, 30, " mill burned."))
    assert spans_of([(9, 12, "the"), (14, 17, " old")], text) == (Span(9, 12, "the"), Span(13, 17, " old"))
