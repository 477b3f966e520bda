"""Selection of the sentences that can be in a summary, before anything is parsed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.summarization.readability import distinct_sentences, points_back, whole_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.summarization.reading import Reading, Scores

__all__ = ["best_sentences", "candidate_sentences", "standing_sentences"]


def candidate_sentences(reading: Reading, most_words: int | None = None) -> list[int]:
    """Return the numbers of sentences that are prose, all different; all sentences if none is prose.

    Parameters
    ----------
    reading : the input
    most_words : longer sentences are left out
    """
    sentences = reading.source.sentences
    short = [s for s, sentence in enumerate(sentences) if most_words is None or sentence.words <= most_words]
    whole = whole_sentences([sentence.text for sentence in sentences])
    prose = [s for s in short if sentences[s].is_prose and whole[s]]
    return distinct_sentences(reading.concepts, prose or short)


def standing_sentences(reading: Reading, chosen: Sequence[int]) -> list[int]:
    """Return those of some sentences that do not need a sentence that is not among them.

    Parameters
    ----------
    reading : the input
    chosen : ascending numbers of sentences
    """
    kept: list[int] = []
    for s in chosen:
        sentence = reading.source.sentences[s]
        if sentence.number == 0 or not points_back(sentence.text) or (kept and kept[-1] == s - 1):
            kept.append(s)
    return kept or list(chosen)


def best_sentences(reading: Reading, scores: Scores, chosen: Sequence[int], words: int) -> list[int]:
    """Return the best of some sentences up to a number of words, in their order.

    Almeida & Martins (2013, section 5.1): a sentence is worth the scores of the concepts that it covers; those of
    sentences taken before do not count again.

    Parameters
    ----------
    reading : the input
    scores : of it
    chosen : numbers of sentences
    words : of all of them together
    """
    sentences = reading.source.sentences
    if sum(sentences[s].words for s in chosen) <= words:
        return list(chosen)
    concepts = [np.unique(reading.concepts.tokens[s]) for s in chosen]
    lengths = np.array([sentences[s].words for s in chosen])
    worth = np.maximum(scores.concepts, 0.0)
    value = np.array([float(worth[own].sum()) for own in concepts])
    value += np.maximum(scores.sentences[np.array(chosen)], 0.0) * lengths / 20.0
    found, used = [], 0
    for i in np.argsort(-value / np.maximum(lengths, 1) ** 0.5, kind="stable").tolist():
        if used + lengths[i] <= words:
            found.append(chosen[i])
            used += int(lengths[i])
    return sorted(found)
