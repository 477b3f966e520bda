"""The training run of a structured model: epochs over examples, and when to stop."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import DivergedTrainingError, InvalidInputError
from ramify.learn.divergence import check_finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from ramify.learn.structured.examples import Example
    from ramify.learn.structured.objective import Objective
    from ramify.learn.structured.weights import Packed, Weights

__all__ = ["History", "Run"]

REMEDY = "Choose a smaller max_step, or scale the features to numbers around 1."


@dataclass
class History:
    """How training went, epoch by epoch.

    Attributes
    ----------
    losses : mean of a training example
    scores : of held-out examples, with early stopping
    best : weights of the epoch with the best score so far
    """

    losses: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    best: dict[str, NDArray[Any]] | None = None

    def is_over(self, patience: int, tol: float) -> bool:
        """Tell whether the last epochs, `patience` of them, were no better by `tol` than the best before them."""
        values = np.array(self.scores) if self.scores else -np.array(self.losses)
        if values.size <= patience:
            return False
        margin = tol if self.scores else tol * abs(float(values[:-patience].max()))
        return bool(values[-patience:].max() <= values[:-patience].max() + margin)


@dataclass(frozen=True)
class Run:
    """One training run.

    Attributes
    ----------
    examples, packed, importance : to learn from, their features, and how much each counts
    objective : their loss
    weights : that are learned
    seed, batch_size, threads : of the order, of the steps, of inference
    """

    examples: Sequence[Example]
    packed: Sequence[Packed]
    importance: NDArray[np.float64]
    objective: Objective
    weights: Weights
    seed: int
    batch_size: int
    threads: int

    def epochs(self, first: int, last: int) -> Iterator[float]:
        """Learn from all examples once in each epoch; yields the mean loss.

        Parameters
        ----------
        first, last : numbers of epochs, from 0; the order depends on them alone
        """
        with ThreadPoolExecutor(self.threads) as pool:
            spread = map if self.threads == 1 else pool.map
            for epoch in range(first, last):
                order = np.random.default_rng([self.seed, epoch]).permutation(len(self.examples)).tolist()
                total = sum(self._learn(batch, spread) for batch in _batches(order, self.batch_size))
                self.weights.end_epoch()
                yield total / max(len(order), 1)

    def _learn(self, batch: list[int], spread: Callable[..., Any]) -> float:
        # All look at the same weights, and what they teach is added up in order: threads do not change the result.
        answers = list(spread(self._look, batch))
        total = float(sum(loss for loss, _, _ in answers))
        check_finite("structured model", [total, *(descent.sum() for _, _, descent in answers)], remedy=REMEDY)
        try:
            self.weights.update(answers)
        except InvalidInputError as error:  # features are finite: what is too large is what has been learned
            raise DivergedTrainingError(f"{error} {REMEDY}") from None
        return total

    def _look(self, number: int) -> tuple[float, Packed, NDArray[np.float64]]:
        example = self.examples[number]
        packed = self.packed[number]
        scores = self.weights.add_scores(packed, example.parts.fixed_scores(), averaged=False)
        loss, descent = self.objective(number, example, scores)
        importance = float(self.importance[number])
        return importance * loss, packed, importance * descent


def _batches(order: list[int], size: int) -> Iterator[list[int]]:
    rest = iter(order)
    return iter(lambda: list(itertools.islice(rest, size)), [])
