"""Which tags a word gets: those that have the highest score together, among the combinations seen in training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

__all__ = ["Advice", "advised", "best_tags"]

_LEAST = 1e-6  # probability of what another tagger rules out, or does not know
_ROWS = 1024  # words whose combinations are scored at a time


class Advice(NamedTuple):
    """What another tagger says of one column of some sentences.

    Attributes
    ----------
    labels : L tags
    probabilities : of each sentence, an array of shape (n, L)
    weight : of the logarithms of these probabilities, beside those of the network
    """

    labels: Sequence[str]
    probabilities: Sequence[npt.NDArray[Any]]
    weight: float


def advised(
    scores: npt.NDArray[np.float32], names: Sequence[str], advice: Advice | None, sentences: Iterable[int]
) -> npt.NDArray[np.float32]:
    """Return log-probabilities of tags, to which those of another tagger are added if there is one.

    Parameters
    ----------
    scores : of K tags for n words, shape (n, K)
    names : of the K tags
    advice : of another tagger, for more sentences than these
    sentences : numbers of those that the words are from
    """
    shifted = scores - scores.max(-1, keepdims=True)
    found = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    if advice is None:
        return found
    number = {label: i for i, label in enumerate(advice.labels)}
    given = np.concatenate([advice.probabilities[i] for i in sentences])
    given = np.concatenate((given, np.zeros((len(given), 1))), -1)  # the last column is of tags that it does not know
    others = given[:, [number.get(name, -1) for name in names]]
    added: npt.NDArray[np.float32] = advice.weight * np.log(np.maximum(others, _LEAST)).astype(np.float32)
    return found + added


def best_tags(
    columns: Sequence[npt.NDArray[np.float32]], combinations: Sequence[tuple[int, int, int]]
) -> npt.NDArray[np.intp]:
    """Return the numbers of the best tags, shape (n, 3).

    Parameters
    ----------
    columns : log-probabilities of upos, xpos and feats, each of shape (n, K)
    combinations : numbers of tags that a word can have together; any if there are none
    """
    if not combinations:
        return np.stack([column.argmax(-1) for column in columns], -1)
    known = np.array(combinations, np.intp)
    found = np.empty((len(columns[0]), 3), np.intp)
    for begin in range(0, len(found), _ROWS):
        rows = slice(begin, begin + _ROWS)
        total = sum(column[rows][:, known[:, k]] for k, column in enumerate(columns))
        found[rows] = known[np.argmax(total, -1)]
    return found
