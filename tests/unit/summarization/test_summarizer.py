from __future__ import annotations

import json

import pytest

from ramify.data import Document
from ramify.errors import InvalidInputError
from ramify.summarization import Method, Summarizer, built_in_summarizer
from ramify.summarization.summarizer import english

TEXT = """The old mill on the river burned down on Friday night, although firemen came quickly from three towns.
Nobody was hurt in the fire. The owner, who lives in the town, said that she wants to build a new mill next year.
However, the town has not agreed. She is sad. The fire started in the kitchen of the mill.

The fire started in the kitchen of the old mill. Visitors had come to the mill every summer for many years.
"""


@pytest.fixture(scope="module")
def summarizer():
    return Summarizer.load("en")


def check(summary):
    """Check what holds for all summaries."""
    for sentence in summary.sentences:
        document = summary.documents[sentence.source.document].text
        assert document[sentence.source.start : sentence.source.end] == sentence.source.text
        for span in sentence.spans:
            assert sentence.source.start - 1 <= span.start < span.end <= sentence.source.end
            same = document[span.start : span.end]
            assert span.text.strip() == same.strip() or span.text.strip().lower()[:1] == same.strip().lower()[:1]
    places = [(s.source.document, s.source.start) for s in summary.sentences]
    assert places == sorted(places)
    assert summary.value <= summary.bound + 1e-9
    text = json.loads(json.dumps(summary.to_dict()))
    for sentence in text["sentences"]:
        assert "".join(span["text"] for span in sentence["spans"]) == sentence["text"]
    assert " ".join(s["text"] for s in text["sentences"]) == text["text"] == str(summary)


@pytest.mark.parametrize("words", [3, 5, 8, 13, 20, 35, 60, 500])
@pytest.mark.parametrize("compress", [True, False])
def test_budgets_hold_and_one_sentence_is_taken_where_it_fits(summarizer, words, compress):
    summary = summarizer.summarize(TEXT, words=words, compress=compress)
    check(summary)
    assert len(summary.text.split()) <= words
    assert summary.text
    if not compress:
        assert not any(sentence.cuts for sentence in summary.sentences)


def test_other_lengths(summarizer):
    assert len(summarizer.summarize(TEXT, characters=60).text) <= 60
    assert len(summarizer.summarize(TEXT, sentences=2).sentences) <= 2
    assert summarizer.summarize(TEXT, ratio=0.2).words <= 0.2 * len(TEXT.split())
    assert summarizer.summarize(TEXT).budget == 100


def test_a_share_of_each_sentence_stays(summarizer):
    text = "The owner, who lives in the small town behind the hill, wants to build a new mill. It rained."
    (short,) = summarizer.summarize(text, words=10).sentences
    assert short.text == "The owner wants to build a new mill."
    for words in (10, 18, 30):
        for sentence in summarizer.summarize(text, words=words, min_share=0.8).sentences:
            assert sum(cut.words for cut in sentence.cuts) <= 0.2 * sentence.source.words


def test_pronouns_stand_behind_their_sentence_and_nothing_is_said_twice(summarizer):
    summary = summarizer.summarize(TEXT, words=500, compress=False)
    numbers = [sentence.source.number for sentence in summary.sentences]
    assert 4 not in numbers or 3 in numbers
    assert sum("kitchen" in sentence.text for sentence in summary.sentences) == 1


@pytest.mark.parametrize("method", list(Method))
def test_methods(summarizer, method):
    summary = summarizer.summarize(TEXT, words=25, method=method)
    check(summary)
    assert 0 < summary.words <= 25


def test_queries_headlines_and_clusters(summarizer):
    assert "kitchen" in summarizer.summarize(TEXT, words=12, query="kitchen", compress=False).text
    documents = [Document("Fire\n" + TEXT, id="a"), Document("Fire\nThe mayor visited the mill.", id="b")]
    summary = summarizer.summarize(documents, words=60, headline=True)
    check(summary)
    assert {sentence.file for sentence in summary.sentences} <= {"a", "b"}
    assert "Fire\n" not in summary.text
    assert summary.text == english().summarize(documents, words=60, headline=True, threads=2).text


def test_what_cannot_be_summarized(summarizer):
    empty = summarizer.summarize("  \n")
    assert (empty.text, empty.certified) == ("", True)
    assert "no sentences" in empty.notes[0]
    short = summarizer.summarize("Firemen from the town came quickly.", words=2)
    assert short.text == ""
    assert "No sentence fits into 2 words" in short.notes[0]
    whole = summarizer.summarize("Firemen from the town came quickly.", words=2, compress=False)
    assert "the shortest has 6" in whole.notes[0]
    german = summarizer.summarize(
        "Der Hund bellte die ganze Nacht im Garten und im Haus. Niemand konnte schlafen.", words=20
    )
    assert german.text
    assert "not shortened" in german.notes[0]
    assert summarizer.summarize("| a | b |\n| 1 | 2 |", words=20).words <= 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": 0}, "words as a whole number"), ({"ratio": 2}, "ratio above 0"),
        ({"sentences": 1.5}, "sentences as"), ({"min_share": 2}, "min_share from 0"),
        ({"words": 5, "characters": 5}, "one of words, ratio and characters"),
    ],
)  # fmt: skip
def test_wrong_options(summarizer, options, message):
    with pytest.raises(InvalidInputError, match=message):
        summarizer.summarize(TEXT, **options)


def test_languages():
    assert built_in_summarizer().is_file()
    with pytest.raises(InvalidInputError, match="no built-in summarizer of 'xx'"):
        Summarizer.load("xx")
