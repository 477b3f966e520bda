from __future__ import annotations

import pytest

from ramify.summarization.concepts import find_concepts
from ramify.summarization.readability import connective_length, distinct_sentences, needed_sentences, points_back
from ramify.summarization.source import read_source
from ramify.summarization.summarizer import english


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("He left.", True), ("This was late.", True), ("However, they left.", True), ("This paper is short.", False),
        ("There is a house.", False), ("It is clear that he left.", False), ("Similarly, dogs bark.", True),
        ("“They left.”", True), ("Item one is here.", False), ("We left.", False),
    ],
)  # fmt: skip
def test_sentences_that_point_back(text, back):
    assert points_back(text) is back


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("However, it rained.", "it rained."), ("But it rained.", "it rained."), ("So far so good.", "So far so good."),
        ("In addition, it rained.", "it rained."), ("Finally", "Finally"),
        ("Thus far, it rained.", "Thus far, it rained."),
    ],
)  # fmt: skip
def test_connectives(text, rest):
    assert text[connective_length(text) :] == rest


def test_pronouns_need_the_sentence_before_and_duplicates_come_once():
    text = (
        "The mayor opened the new bridge over the river. She thanked the workers. "
        "The mayor opened the new bridge over the river today."
    )
    source = read_source([text], english().segmenter)
    assert needed_sentences(source, [0, 1, 2]).tolist() == [-1, 0, -1]
    assert distinct_sentences(find_concepts(source), [0, 1, 2]) == [0, 1]
