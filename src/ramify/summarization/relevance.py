"""Relevance of sentences, learned by ranking, and extraction that avoids redundancy.

McDonald (2007), A study of global inference algorithms in multi-document summarization; Martins & Smith (2009, section
2) use its greedy form: sentences are added as long as they fit, each time the one that is most relevant and least like
those that are chosen already (maximal marginal relevance).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.learn.linear import LinearWeights, Rows, rows_of
from ramify.summarization.concepts import STOP_WORDS
from ramify.summarization.features import sentence_features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ramify.learn.linear import Linear
    from ramify.summarization.concepts import Concepts
    from ramify.summarization.source import Source

    Floats = NDArray[np.float64]

__all__ = ["cosines", "learn_ranking", "marginal_relevance", "ranking_loss", "relevance_rows"]

_MARGIN = 1.0
_MOST_WEIGHTS = 1 << 17


def relevance_rows(source: Source, concepts: Concepts) -> Rows:
    """Return the features of sentences: position, length, words, cosine with the headline and with the input.

    Parameters
    ----------
    source : documents and sentences
    concepts : of the source
    """
    return rows_of(sentence_features(source, concepts))


def ranking_loss(scores: Floats, gains: Floats) -> tuple[float, Floats]:
    """Return the mean hinge loss over all pairs of sentences of which one is better, and its gradient.

    Parameters
    ----------
    scores : (sentences,)
    gains : (sentences,) how good each is, such as its ROUGE-2
    """
    better = gains[:, None] > gains[None, :]
    pairs = max(int(better.sum()), 1)
    missing = np.where(better, _MARGIN - (scores[:, None] - scores[None, :]), 0.0)
    wrong = missing > 0
    gradient = (wrong.sum(axis=0) - wrong.sum(axis=1)) / pairs
    return float(missing[wrong].sum()) / pairs, gradient.astype(np.float64)


def learn_ranking(
    inputs: Sequence[tuple[Rows, Floats]], *, epochs: int = 5, max_step: float = 0.1, l2: float = 0.1, seed: int = 1
) -> Linear:
    """Learn which sentences of an input are better than others.

    Parameters
    ----------
    inputs : features of the sentences of each, and how good each sentence is
    epochs : passes over the inputs
    max_step, l2 : learning rate of AdaGrad, and strength of the penalty of large weights
    seed : for the order of the inputs
    """
    trainer = LinearWeights(max_step=max_step, l2=l2, num_examples=len(inputs))
    rng = np.random.default_rng(seed)
    for _ in range(epochs):
        for i in rng.permutation(len(inputs)).tolist():
            rows, gains = inputs[i]
            loss, gradient = ranking_loss(trainer.scores(rows), gains)
            trainer.update([(rows, gradient, loss)])
        trainer.end_epoch()
    return trainer.freeze(_MOST_WEIGHTS)


def cosines(concepts: Concepts) -> Floats:
    """Return (sentences, sentences) how alike sentences are: the cosine of their words that are no stop words.

    Parameters
    ----------
    concepts : of the source
    """
    column: dict[str, int] = {}
    words = [sorted(set(stems.stems) - STOP_WORDS) for stems in concepts.stems]
    for own in words:
        for stem in own:
            column.setdefault(stem, len(column))
    table = np.zeros((len(words), len(column)))
    for s, own in enumerate(words):
        table[s, [column[stem] for stem in own]] = 1.0
    norms = np.sqrt(np.maximum(table.sum(axis=1), 1.0))
    alike: Floats = table @ table.T / np.outer(norms, norms)
    return alike


def marginal_relevance(
    relevance: Floats, alike: Floats, lengths: Sequence[int], budget: int, redundancy: float = 0.0
) -> list[int]:
    """Return the numbers of chosen sentences, ascending.

    Parameters
    ----------
    relevance : (sentences,) score of each
    alike : (sentences, sentences) as `cosines` returns it
    lengths : (sentences,) words of each
    budget : words of all together
    redundancy : share of the likeness to the nearest chosen sentence in the score, the rest is that of the relevance

    Examples
    --------
    >>> same = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> marginal_relevance(np.array([3.0, 2.0, 1.0]), same, [10, 10, 10], 20, redundancy=0.8)
    [0, 2]
    """
    spread = float(relevance.max() - relevance.min()) if len(relevance) else 0.0
    scaled = (relevance - relevance.min()) / spread if spread > 0 else np.zeros(len(relevance))
    nearest = np.zeros(len(relevance))
    able = np.ones(len(relevance), bool)
    chosen: list[int] = []
    left = budget
    while True:
        able &= np.asarray(lengths) <= left
        if not able.any():
            return sorted(chosen)
        worth = (1 - redundancy) * scaled - redundancy * nearest
        best = int(np.argmax(np.where(able, worth, -np.inf)))
        chosen.append(best)
        able[best] = False
        left -= int(lengths[best])
        nearest = np.maximum(nearest, alike[best])
