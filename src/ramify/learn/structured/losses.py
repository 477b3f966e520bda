"""The losses that a structured model can minimize, and the costs of wrong states in them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import learn as _core
from ramify.arrays import as_numbers
from ramify.errors import InvalidInputError
from ramify.options import Number, check_argument

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from ramify.learn.structured.parts import Parts

__all__ = ["Costs", "Loss"]


@dataclass(frozen=True)
class Loss:
    """A loss of the family L(β, γ) of Martins et al. (2010), or L2 on marginals.

    L(β, γ) = (1/β) log Σ exp(β (score(y') − score(y) + γ cost(y', y))), summed over all assignments y'.

    Attributes
    ----------
    beta : 1 for a CRF; infinite for losses of the best assignment only, such as an SVM's
    gamma : weight of the cost of wrong states; 0 for a CRF and the perceptron
    on_marginals : the sum of squared differences between marginals and gold indicators instead; its gradient goes
        through inference
    """

    beta: float = 1.0
    gamma: float = 0.0
    on_marginals: bool = False

    def __post_init__(self) -> None:
        for name, rule in (("beta", Number(0, above=True)), ("gamma", Number(0, below=True))):
            check_argument("Loss", name, rule, getattr(self, name))

    @property
    def core(self) -> _core.Loss:
        """The engine's loss."""
        kind = _core.LossKind.L2 if self.on_marginals else _core.LossKind.FAMILY
        return _core.Loss(kind, float(self.beta), float(self.gamma))

    @classmethod
    def read(cls, loss: str | Loss) -> Loss:
        """Accept a loss or its name."""
        if isinstance(loss, Loss):
            return loss
        if not isinstance(loss, str) or loss not in _NAMES:
            names = ", ".join(map(repr, _NAMES))
            raise InvalidInputError(f"StructuredModel expects loss to be one of {names}, or a Loss; got {loss!r}.")
        return _NAMES[loss]


_NAMES = {
    "crf": Loss(1.0, 0.0),
    "softmax-margin": Loss(1.0, 1.0),
    "svm": Loss(math.inf, 1.0),
    "perceptron": Loss(math.inf, 0.0),
    "l2": Loss(on_marginals=True),
}

Cost = Any  # "hamming", a matrix of (gold state, state), or a function of x and y


@dataclass(frozen=True)
class Costs:
    """What wrong states cost in a loss with gamma above 0.

    Attributes
    ----------
    cost : ``"hamming"`` (1 for each variable that is wrong), a matrix ``cost[gold state, state]``, or a function of an
        example and its assignment that returns a cost for each state of each variable
    class_weight : from a gold state to a factor of its variable's costs; ``"balanced"`` makes it inverse to the state's
        frequency
    """

    cost: Cost = "hamming"
    class_weight: Mapping[int, float] | str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.cost, str) and self.cost != "hamming":
            raise InvalidInputError(
                f"StructuredModel expects cost to be 'hamming', a matrix or a function; got {self.cost!r}."
            )

    def balanced(self, assignments: list[NDArray[np.int32]]) -> Costs:
        """Return costs whose class weights are numbers, with those of ``"balanced"`` read off gold assignments."""
        if self.class_weight is None or isinstance(self.class_weight, Mapping):
            return self
        if not isinstance(self.class_weight, str) or self.class_weight != "balanced":
            raise InvalidInputError(
                "StructuredModel expects class_weight to be 'balanced' or a mapping from states to numbers; "
                f"got {self.class_weight!r}."
            )
        states = np.concatenate([np.zeros(0, dtype=np.int32), *assignments])
        counts = np.bincount(states[states >= 0])
        weights = counts.sum() / (np.count_nonzero(counts) * np.maximum(counts, 1))
        return Costs(self.cost, dict(enumerate(weights.tolist())))

    def of_coordinates(self, x: Any, parts: Parts, gold: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return costs as scores of the graph's coordinates: up to a constant, those of its assignments.

        Parameters
        ----------
        x : the example, for costs that are a function
        parts : of the example
        gold : assignment of shape (num_variables,); −1 where it is not known: that costs nothing
        """
        num_states = parts.graph.num_states
        first = np.cumsum(num_states) - num_states
        costs = self._of_states(x, num_states, first, gold)
        costs *= np.repeat(self._weights(gold), num_states)
        binary = num_states == 2
        starts = parts.graph.coordinate_offsets[:-1]
        out = np.zeros(parts.graph.num_coordinates)
        out[starts[binary]] = costs[first[binary] + 1] - costs[first[binary]]
        out[~np.repeat(binary, np.diff(parts.graph.coordinate_offsets))] = costs[~np.repeat(binary, num_states)]
        return out

    def _weights(self, gold: NDArray[np.int32]) -> NDArray[np.float64]:
        if not self.class_weight:
            return np.where(gold < 0, 0.0, 1.0)
        weights = self.class_weight if not isinstance(self.class_weight, str) else {}
        return np.array([0.0 if state < 0 else weights.get(state, 1.0) for state in gold.tolist()])

    def _of_states(
        self, x: Any, num_states: NDArray[np.int32], first: NDArray[np.int64], gold: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        total = int(num_states.sum())
        known = np.maximum(gold, 0)
        if isinstance(self.cost, str):
            costs = np.ones(total)
            costs[first + known] = 0.0
            return costs
        function: Callable[..., Any] | None = self.cost if callable(self.cost) else None
        given = as_numbers("StructuredModel expects cost", self.cost if function is None else function(x, gold))
        if function is None:
            if given.ndim != 2 or np.any(num_states != given.shape[0]) or given.shape[0] != given.shape[1]:
                raise InvalidInputError(
                    f"StructuredModel expects cost as a matrix of gold states × states ({int(num_states.max())} "
                    f"of them for every variable); got shape {given.shape}."
                )
            given = given[known]
        costs = np.array(given).ravel()
        if costs.size != total or not np.isfinite(costs).all():
            raise InvalidInputError(
                f"StructuredModel expects cost to give {total} finite numbers, one for each state of each variable; "
                f"got {costs.size}."
            )
        return costs
