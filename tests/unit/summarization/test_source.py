from __future__ import annotations

import pytest

from ramify.data import Document
from ramify.summarization.source import read_source
from ramify.summarization.summarizer import english


@pytest.fixture(scope="module")
def segmenter():
    return english().segmenter


def test_sentences_stand_where_they_say(segmenter):
    text = "  Dogs bark.\n\nCats don't\nbark. "
    source = read_source([text, "Third one."], segmenter)
    assert [text[s.start : s.end] for s in source.sentences[:2]] == ["Dogs bark.", "Cats don't\nbark."]
    assert [s.opens for s in source.sentences] == [True, True, True]
    assert [(s.document, s.number) for s in source.sentences] == [(0, 0), (0, 1), (1, 0)]
    assert source.words == 7
    second = source.sentences[1]
    assert text[second.starts[0] : second.ends[0]] == "Cats"


def test_headlines_are_no_sentences(segmenter):
    source = read_source(["Big fire\nThe mill burned down."], segmenter, headline=True)
    assert source.headlines == ("Big fire",)
    assert source.sentences[0].text == "The mill burned down."
    assert source.sentences[0].start == 9
    assert read_source([Document("Only", metadata={"headline": "H"})], segmenter).headlines == ("H",)
    assert read_source(["Only a headline"], segmenter, headline=True).sentences == ()


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("The mill burned down on Friday.", True), ("for (i = 0; i < n; ++i) { x[i] = 0; }", False),
        ("1 2 3 4 5 6 7 8 9 10", False), ("| a | b | c | d |", False), ("Yes.", False),
    ],
)  # fmt: skip
def test_tables_and_code_are_no_prose(segmenter, text, prose):
    assert read_source([text], segmenter).sentences[0].is_prose is prose
