"""Text in another language than the model's."""

from __future__ import annotations

import warnings

import pytest

from ramify.data import Sentence
from ramify.errors import LanguageWarning
from ramify.pipeline.language import LanguageCheck
from ramify.segmentation import Segmenter

ENGLISH = "the cat sees a dog and this dog likes that bird so they all sing in our garden at night"
FOREIGN = "die Katze sieht einen Hund und dieser Hund mag jenen Vogel also singen wir zusammen bei uns im Garten nachts"
WORDS, GERMAN = ENGLISH.split(), FOREIGN.split()


@pytest.fixture(scope="module")
def segmenter():
    return Segmenter.train([Sentence(WORDS)] * 10, options={"bits": 8, "epochs": 1})


def warned(segmenter, *sentences):
    check = LanguageCheck(segmenter, "en")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for sentence in sentences:
            check.add([Sentence(sentence)])
        check.finish()
    return [str(item.message) for item in caught]


def test_words_of_the_treebank_are_known(segmenter):
    assert segmenter.known_share == 1.0
    assert segmenter.count_known([*WORDS, "Katze", ".", "42", "THE"]) == (len(WORDS) + 2, len(WORDS) + 1)


def test_the_language_of_the_treebank(segmenter):
    assert warned(segmenter, WORDS, WORDS, WORDS) == []
    half = [*WORDS[:12], *GERMAN[:8]]  # names and new words
    assert warned(segmenter, half) == []


def test_another_language_is_told_once(segmenter):
    (text,) = warned(segmenter, *[GERMAN] * 20)
    assert "(en)" in text
    assert "knows 0 of" in text
    assert len(warned(segmenter, GERMAN[:7])) == 1
    assert len(warned(segmenter, ["我", "喜歡", "你", "的", "貓", "和", "狗"])) == 1


def test_a_script_without_spaces_is_told_from_its_letters(segmenter, nlp):
    (text,) = warned(segmenter, ["今天天气很好我们去公园散步吧", "。"])
    assert "knows 0 of 1 word." in text
    assert warned(segmenter, ["哈哈哈哈哈哈哈哈哈哈"]) == []
    assert warned(segmenter, ["the", "今天天气很好我们去公园散步吧"]) == []
    assert warned(segmenter, ["Donaudampfschifffahrt"]) == []
    with pytest.warns(LanguageWarning):
        nlp("今天天气很好，我们去公园散步吧。")


def test_another_alphabet_is_told_from_its_letters(segmenter, nlp):
    for text in ("Я вчера видел собаку.", "Είδα έναν σκύλο.", "ראיתי אתמול כלב.", "მე გუშინ ძაღლი ვნახე."):
        assert len(warned(segmenter, text.rstrip(".").split())) == 1
        with pytest.warns(LanguageWarning):
            nlp(text)
    assert warned(segmenter, ["Это", "a"]) == []
    assert warned(segmenter, ["нет"]) == []


def test_nothing_is_said_of_a_few_words(segmenter):
    assert warned(segmenter, GERMAN[:4]) == []
    assert warned(segmenter, ["1", "2", "3", "4", "5", "6", "7", "."]) == []
    assert warned(segmenter, *[["Katze"]] * 60) == []
    assert warned(segmenter) == []


def test_a_pipeline_warns(nlp):
    with pytest.warns(LanguageWarning, match="does not look like the language"):
        nlp(" ".join(GERMAN))
    with pytest.warns(LanguageWarning):
        nlp.parse([GERMAN])
    with pytest.warns(LanguageWarning):
        list(nlp.stream([" ".join(GERMAN)]))


def test_models_that_have_not_counted(segmenter):
    import dataclasses

    old = Segmenter(dataclasses.replace(segmenter._state, known_share=None))
    assert warned(old, *[GERMAN] * 5) == []
