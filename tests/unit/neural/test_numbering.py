"""Words as numbers."""

from __future__ import annotations

import numpy as np

from ramify.neural import numbering
from ramify.neural.numbering import LONGEST_FORM, Numbering
from ramify.neural.vocabulary import RESERVED, ROOT, UNKNOWN, Example, Vocabulary

FORMS = ("The", "the", "cat")
VOCABULARY = Vocabulary.collect(
    [Example(FORMS, ("DET", "DET", "NOUN"), ("_",) * 3, ("_",) * 3, (3, 3, 0), ("det", "det", "root"))], 2
)
FIRST = len(RESERVED)


def test_sentences_become_numbers():
    found = Numbering(VOCABULARY).sentences(
        [FORMS, ["dog"]], [[("DET", "X", "NOUN"), "___", "___"], [["NOUN"], "_", "_"]]
    )
    assert VOCABULARY.words == (*RESERVED, "the")
    assert found.lengths.tolist() == [4, 2]
    assert found.words.tolist() == [ROOT, FIRST, FIRST, UNKNOWN, ROOT, UNKNOWN]
    assert found.tags[0].tolist() == [ROOT, FIRST, UNKNOWN, FIRST + 1, ROOT, FIRST + 1]
    starts = np.concatenate(([0], np.cumsum(found.spelling_lengths)))
    spellings = [found.characters[starts[form] : starts[form + 1]].tolist() for form in found.forms]
    assert spellings[0] == spellings[4] == [ROOT]
    known = {name: i for i, name in enumerate(VOCABULARY.characters)}
    assert spellings[1] == [known.get(c, UNKNOWN) for c in "The"]
    assert spellings[5] == [UNKNOWN] * 3  # characters that occurred only once are unknown, too
    assert found.tags.shape == (3, 6)


def test_only_the_beginning_of_long_forms_is_read():
    assert Numbering(VOCABULARY).sentences([["t" * 100]]).spelling_lengths.tolist() == [1, LONGEST_FORM]


def test_forms_are_forgotten_before_they_are_too_many(monkeypatch):
    monkeypatch.setattr(numbering, "_MOST_FORMS", 10)
    numbers = Numbering(VOCABULARY)
    for i in range(30):
        again = numbers.sentences([["the", f"form-{i}"]])
        assert again.words.tolist() == [ROOT, FIRST, UNKNOWN]
    assert len(numbers._forms) <= 13
