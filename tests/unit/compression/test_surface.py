from __future__ import annotations

import numpy as np
import pytest

from ramify.compression import units_of
from ramify.compression.surface import pieces_of, text_of
from ramify.data import MultiwordToken, Sentence


def written(text, cut):
    """Write a sentence of words between blanks (with # where none stands) without the words that are cut."""
    forms = [form.rstrip("#") for form in text.split()]
    misc = tuple("SpaceAfter=No" if form.endswith("#") else "_" for form in text.split())
    upos = tuple({"a": "DET", "an": "DET", "and": "CCONJ"}.get(form, "NOUN") for form in forms)
    heads = [0, *([1] * (len(forms) - 1))]
    labels = ["root", *("conj" if form in "BCD" and form else "dep" for form in forms[1:])]
    sentence = Sentence(tuple(forms), upos=upos, heads=heads, deprels=tuple(labels), misc=misc)
    units = units_of(sentence, rules=False)
    out = set(cut.split())
    kept = np.array(
        [form not in out and not word.is_punctuation for form, word in zip(forms, units.words, strict=True)]
    )
    return text_of(pieces_of(units, kept))


@pytest.mark.parametrize(
    ("text", "cut", "expected"),
    [
        ("The man# , who left# , came# .", "who left", "The man came."),
        ("P# , B# , and C", "B", "P and C"),
        ("A# , B# , C", "", "A, B, C"),
        ("On Monday# , he came# .", "On Monday", "He came."),
        ("In Rome today# , he came# .", "today", "In Rome, he came."),
        ("He came ( from Rome# ) today# .", "from Rome", "He came today."),
        ("He came (# from Rome# ) today# .", "today", "He came (from Rome)."),
        ('He said "# yes# " today# .', "today", 'He said "yes".'),
        ("a nice apple", "nice", "an apple"),
        ("an old university", "old", "a university"),
        ("He came# , saw# !", "saw", "He came!"),
        ("x", "x", ""),
    ],
)
def test_sentences_can_be_read(text, cut, expected):
    assert written(text, cut) == expected


def test_what_is_inside_a_token_of_words_that_go():
    forms = ("I", "'m", "here", "!")
    tags = {"upos": ("PRON", "AUX", "ADV", "PUNCT"), "deprels": ("dep", "root", "dep", "punct")}
    sentence = Sentence(forms, **tags, heads=[3, 0, 2, 2], multiword_tokens=[MultiwordToken(1, 2, "I'm")])
    units = units_of(sentence, rules=False)
    assert pieces_of(units, np.array([False, True, False, False])) == []
