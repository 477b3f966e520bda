from __future__ import annotations

import pytest

from ramify.compression.grammar import words_of
from ramify.data import Sentence
from ramify.summarization.surroundings import Surroundings, is_year


def around(text, upos, heads, labels):
    forms = text.split()
    lemmas = [form.lower() for form in forms]
    sentence = Sentence(forms, lemmas=lemmas, upos=upos.split(), heads=heads, deprels=labels.split())
    return Surroundings(words_of(sentence))


def test_words_below_a_word_and_groups_that_belong_together():
    found = around(
        "We cite work ( by Smith ) here .", "PRON VERB NOUN PUNCT ADP PROPN PUNCT ADV PUNCT",
        [2, 0, 2, 6, 6, 3, 6, 2, 2], "nsubj root obj punct case nmod punct advmod punct",
    )  # fmt: skip
    assert found.below(2) == {2, 3, 4, 5, 6}
    assert not found.splits(found.below(5))
    assert found.splits({5})
    assert found.is_sound(1)
    assert not found.tears(7, {7})
    assert found.ends_at_mark({7})
    assert not found.ends_at_mark({2})


def test_sentences_without_a_subject_are_not_sound():
    found = around("Rain in towns .", "NOUN ADP NOUN PUNCT", [0, 3, 1, 1], "root case nmod punct")
    assert not found.is_sound(0)


@pytest.mark.parametrize(("form", "year"), [("2010", True), ("2010b", True), ("201", False), ("abcd", False)])
def test_years(form, year):
    assert is_year(form) is year
