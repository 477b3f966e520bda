"""Errors of patterns point at their place."""

from __future__ import annotations

import contextlib
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ramify.errors import PatternError
from ramify.search import Pattern


@pytest.mark.parametrize(
    ("pattern", "column", "problem"),
    [
        ("", 1, "expected at least one word to look for; found none"),
        ("pattern { }", 1, "expected at least one word"),
        ("pattern { X [upos=VERB }", 24, "expected , or ]; found '}'"),
        ("pattern { X [upos=VERB]", 24, "expected ; or } after a clause; found the end"),
        ("pattern { X [upos=VERB] Y [] }", 25, "expected ; or } after a clause; found 'Y [] }'"),
        ("pattern { X [upos=] }", 19, "expected a value"),
        ("pattern { X [=VERB] }", 14, "expected the name of a feature; found '=VERB] }'"),
        ("X [form=re\"(\"]", 9, "expected a regular expression"),
        ("X [prob<high]", 9, "expected a number after <; found 'high'"),
        ("X [prob<1|2]", 9, "expected a number after <; found '1|2'"),
        ("X -[nsubj]> Y", 11, "expected ->; found '> Y'"),
        ("X -[nsubj-> Y", 13, "expected ] or |; found 'Y'"),
        ("X - Y", 3, "expected ->, -[…]-> or ->>; found '- Y'"),
        ("X -> ", 6, "expected the name of a word; found the end"),
        ("* -> *", 7, "expected a word on at least one side"),
        ("* ->> X", 8, "expected words on both sides of ->>"),
        ("X ~ Y", 3, "expected [ … ], an arrow"),
        ("7 -> X", 1, "expected a clause such as"),
        ("X []; Y.lemma = be", 7, "expected the name of a word or an edge of the pattern; found 'Y'"),
        ("X []; X.lemma = Z.lemma", 17, "found 'Z'"),
        ("X []; X.lemma be", 15, "expected =, <>, <, <=, > or >=; found 'be'"),
        ("e: X -> Y; e: X -> Z", 12, "expected a new name"),
        ("e: X -> *", 1, "expected a new name, and a word that the arrow points at"),
        ("delta(X, Y) > far", 15, "expected a number; found 'far'"),
        ("delta(X Y) > 1", 9, "expected ,; found 'Y) > 1'"),
        ("pattern { X [] } outside { X [upos=VERB] }", 18, "expected pattern, without, with or global, and {"),
        ("pattern { X [] } global { is_funny }", 36, "expected =, <>"),
        ("X -[1=nsubj, obj]-> Y", 14, "expected 1= or 2=, a part of the label"),
        ("X [] Y []", 6, "expected ; or the end after a clause; found 'Y []'"),
        ("request { X [ upos = DET , ] }", 28, "expected the name of a feature"),
    ],
)  # fmt: skip
def test_errors_point_at_the_column(pattern, column, problem):
    with pytest.raises(PatternError) as caught:
        Pattern(pattern)
    error = caught.value
    assert problem in error.problem
    assert (error.line, error.column) == (1, column)
    message, shown, pointer = str(error).split("\n")
    assert message == f"search pattern, column {column}: {error.problem}"
    assert shown == f"  {pattern}"
    assert pointer.index("^") == column + 1
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_lines_are_counted():
    with pytest.raises(PatternError, match=r"search pattern, line 2, column 6: expected the name of a word") as caught:
        Pattern("pattern {\nX -> }")
    assert (caught.value.line, caught.value.column) == (2, 6)


@given(st.text(st.sampled_from('XY [];=-><.|*{}"/re^12,upos%\n:()!pattern')))
def test_any_text_is_a_pattern_or_an_error(text):
    with contextlib.suppress(PatternError):
        assert Pattern(text).nodes
