"""Edit scripts make the lemma they were made from, and lemmas of other forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ramify.tagging import apply_script, edit_script
from ramify.tagging.lemmas import NEVER, least_characters

words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)


@given(words, words)
def test_any_lemma_can_be_made(form, lemma):
    assert apply_script(edit_script(form, lemma), form) == lemma


@given(words, words, words)
def test_any_script_can_be_applied(form, lemma, other):
    assert apply_script(edit_script(form, lemma), other)


@pytest.mark.parametrize(
    ("forms", "lemmas"),
    [
        (("Flies", "tries"), ("fly", "try")),
        (("dogs", "Cats"), ("dog", "cat")),
        (("Oslo", "NASA"), ("Oslo", "NASA")),
        (("gesehen", "gelesen"), ("sehen", "lesen")),
        (("2,000", "1,234,567.89"), ("2000", "1234567.89")),
    ],
)
def test_like_forms_share_a_script(forms, lemmas):
    first, second = (edit_script(*pair) for pair in zip(forms, lemmas, strict=True))
    assert first == second


@given(words, words)
def test_forms_are_long_enough(form, lemma):
    script = edit_script(form, lemma)
    least = least_characters(script)
    # One more than is taken away: a script that leaves nothing of its form is a lemma of its own.
    assert least == NEVER if script.startswith("=") else least <= max(len(form.lower()), len(form.upper()))


def test_irregular_forms_have_their_lemma():
    assert edit_script("was", "be") == "=be"
