"""Linear scores of named features, for tasks whose parts Python describes.

A part is described by the names of its features, such as ``"label=obl"``; what stands before ``=`` is the template.
The score of a part is the sum of their weights. Weights are learned by the learner of all tasks and frozen as in all
model files.

Tasks can share weights: a feature then has a weight that all tasks share and one of each task, w + v_k of Evgeniou &
Pontil (2004) as Almeida & Martins (2013, section 4) use it. With values 1 and √(λ / λ_k), one ℓ2 penalty of strength λ
is the same as separate penalties λ for the shared weights and λ_k for those of task k (Daumé 2007).
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import learn as _core
from ramify.learn.arrays import BadTensorsError, check_scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Linear", "LinearWeights", "Rows", "Sharing", "combined", "even_weights", "rows_of"]

_LARGEST = 32767  # of the numbers that a model file holds


@dataclass(frozen=True)
class Rows:
    """Features of some parts.

    Attributes
    ----------
    begin : part p has ``keys[begin[p]:begin[p + 1]]``, shape (parts + 1,)
    keys, values : of the features
    """

    begin: NDArray[np.int64]
    keys: NDArray[np.uint64]
    values: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.begin) - 1


@dataclass(frozen=True)
class Sharing:
    """How a task shares weights with others.

    Attributes
    ----------
    task : number of the task, from 1
    ratio : strength of the penalty of the shared weights relative to that of the task's own ones; 0 shares all
    """

    task: int
    ratio: float = 1.0


@lru_cache(maxsize=1 << 19)
def _key(name: str, task: int) -> int:
    """Return the key of a feature: 0 is the task of shared weights."""
    template = name.partition("=")[0].encode()
    number = zlib.crc32(template, task) % _core.MOST_TEMPLATES
    column = task << 48 ^ zlib.crc32(template) << 32 ^ zlib.crc32(name.encode())
    return int(_core.feature_keys(number, np.array([column], np.uint64))[0])


def rows_of(parts: Sequence[Sequence[str]], sharing: Sharing | None = None) -> Rows:
    """Return the features of parts as the learner takes them.

    Parameters
    ----------
    parts : names of features of each part
    sharing : give every feature a weight of its own task, too
    """
    begin = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(names) for names in parts], out=begin[1:])
    keys = np.array([_key(name, 0) for names in parts for name in names], np.uint64)
    values = np.ones(len(keys), np.float32)
    if sharing is None or sharing.ratio <= 0:
        return Rows(begin, keys, values)
    own = np.array([_key(name, sharing.task) for names in parts for name in names], np.uint64)
    both = np.array([1.0, math.sqrt(sharing.ratio)], np.float32)
    return Rows(2 * begin, np.stack([keys, own], axis=1).ravel(), np.tile(both, len(keys)))


def even_weights(tasks: Sequence[int]) -> NDArray[np.float64]:
    """Return (examples,) weights with which every task counts as much as any other; their mean is 1.

    Parameters
    ----------
    tasks : task of each example

    Examples
    --------
    >>> even_weights([1, 1, 1, 2]).round(2).tolist()
    [0.67, 0.67, 0.67, 2.0]
    """
    _, place, counts = np.unique(np.asarray(tasks), return_inverse=True, return_counts=True)
    weights: NDArray[np.float64] = len(place) / (len(counts) * counts[place])
    return weights


class LinearWeights:
    """Weights that are being learned.

    Parameters
    ----------
    max_step : learning rate of AdaGrad
    l2 : strength of the ℓ2 penalty, relative to the sum of losses over one epoch
    num_examples : how many examples an epoch has
    batch : how many examples are looked at for each step
    """

    def __init__(self, *, max_step: float, l2: float, num_examples: int, batch: int = 1) -> None:
        self._learner = _core.Learner(
            _core.Loss(_core.LossKind.FAMILY, math.inf, 1.0),
            _core.Optimizer(_core.Method.ADAGRAD, max_step, 0.0, _core.DAMPING, True),
            _core.Regularizer(l2=l2),
            _core.FeatureSet.COMPLETE,
            0,
            batch,
        )
        self._learner.set_num_examples(num_examples)

    @property
    def size(self) -> int:
        """Number of weights."""
        return self._learner.num_weights

    def scores(self, rows: Rows, *, averaged: bool = False) -> NDArray[np.float64]:
        """Return (parts,) scores.

        Parameters
        ----------
        rows : features of the parts
        averaged : by the average of all weights that learning went through
        """
        return self._learner.scores(rows.begin, rows.keys, rows.values, averaged)

    def update(self, examples: Sequence[tuple[Rows, NDArray[np.float64], float]]) -> None:
        """Take a step.

        Parameters
        ----------
        examples : features of the parts of each, the gradient of its loss by scores of parts, and the loss
        """
        begins, end, counts = [], 0, [0]
        for rows, _, _ in examples:
            begins.append(rows.begin[:-1] + end)
            end += len(rows.keys)
            counts.append(counts[-1] + len(rows))
        self._learner.update(
            np.array(counts, np.int64),
            np.concatenate([*begins, [end]]).astype(np.int64),
            np.concatenate([rows.keys for rows, _, _ in examples]),
            np.concatenate([rows.values for rows, _, _ in examples]),
            np.concatenate([gradient for _, gradient, _ in examples]),
            np.array([loss for _, _, loss in examples]),
        )

    def end_epoch(self) -> None:
        """Tell the learner that all examples have been seen once more."""
        self._learner.end_epoch()

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that is needed to go on bit for bit."""
        state: dict[str, NDArray[Any]] = self._learner.state()
        return state

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        self._learner.restore(state)

    def freeze(self, max_weights: int, min_weight: float = 0.0) -> Linear:
        """Return the largest weights with 16 bits each.

        Parameters
        ----------
        max_weights : how many at most
        min_weight : smaller ones are left out
        """
        keys, weights, scale = self._learner.freeze(max_weights, min_weight)
        return Linear(keys, weights, float(scale))


@dataclass(frozen=True)
class Linear:
    """Learned weights as a model file holds them.

    Attributes
    ----------
    keys : ascending
    weights : in units of `scale`
    scale : of the weights
    """

    keys: NDArray[np.uint64]
    weights: NDArray[np.int16]
    scale: float

    def __post_init__(self) -> None:
        check_scale(self.scale)
        if len(self.keys) != len(self.weights) or np.any(self.keys[1:] <= self.keys[:-1]):
            raise BadTensorsError("keys: expected ascending keys, one for each weight")
        object.__setattr__(self, "_frozen", _core.FrozenWeights(self.keys, self.weights, self.scale, 0))

    def scores(self, rows: Rows) -> NDArray[np.float64]:
        """Return (parts,) scores.

        Parameters
        ----------
        rows : features of the parts
        """
        frozen: _core.FrozenWeights = self._frozen  # type: ignore[attr-defined]
        return frozen.scores(rows.begin, rows.keys, rows.values)


def combined(models: Sequence[tuple[Linear, float]]) -> Linear:
    """Return the weighted sum of models that were trained separately.

    Parameters
    ----------
    models : each with its factor
    """
    keys = np.unique(np.concatenate([model.keys for model, _ in models]))
    weights = np.zeros(len(keys))
    for model, factor in models:
        weights[np.searchsorted(keys, model.keys)] += factor * model.scale * model.weights
    scale = float(np.abs(weights).max(initial=0.0)) / _LARGEST or 1.0
    return Linear(keys, np.round(weights / scale).astype(np.int16), scale)
