"""The loss of one example, and its gradient with respect to the scores of all parts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from ramify.errors import InvalidInputError
from ramify.inference import AD3, BeliefPropagation, Exact, SparseMAP, Status, backward
from ramify.inference.exact import _is_apart
from ramify.learn.structured.examples import UNKNOWN, indicators, indicators_of_coordinates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ramify.graph import FactorGraph, Method, Problem
    from ramify.inference import Result
    from ramify.learn.structured.examples import Example
    from ramify.learn.structured.losses import Loss

    Floats = NDArray[np.float64]

__all__ = ["Answer", "Objective", "method_for"]


def method_for(graph: FactorGraph, *, best: bool) -> Method:
    """Return the inference method that is used where the user names none.

    Parameters
    ----------
    graph : what it is for
    best : whether the best assignment is wanted, not marginals
    """
    if _is_apart(graph):
        return Exact()
    return AD3() if best else BeliefPropagation()


@dataclass(frozen=True)
class Answer:
    """What inference says about an example.

    Attributes
    ----------
    reached : the score of the best assignment, or the logarithm of the partition function times the temperature
    masses : marginals (or indicators of the best assignment) of coordinates and then parts
    """

    reached: float
    masses: Floats


@dataclass(frozen=True)
class Objective:
    """A loss together with the inference that it needs.

    Attributes
    ----------
    loss : what is computed
    method : inference method; None takes `method_for`
    """

    loss: Loss
    method: Method | None
    _core: Any = field(init=False, repr=False, compare=False)
    _chosen: WeakKeyDictionary[FactorGraph, Method] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_core", self.loss.core)

    def _method_for(self, graph: FactorGraph) -> Method:
        if self.method is not None:
            return self.method
        if graph not in self._chosen:
            self._chosen[graph] = method_for(graph, best=self._core.needs_best)
        return self._chosen[graph]

    def __call__(self, number: int, example: Example, scores: Floats) -> tuple[float, Floats]:
        """Return the loss, and minus its gradient, of shape (num_coordinates + num_parts,).

        Parameters
        ----------
        number : position of the example, for messages
        example : what is learned from
        scores : of coordinates and then parts
        """
        if self.loss.on_marginals:
            return self._on_marginals(number, example, scores)
        size = example.costs.size
        raised = scores.copy()
        raised[:size] += self.loss.gamma * example.costs
        guess = self._answer(number, example, raised)
        if example.gold is not None:
            wanted = self._gold(example, scores, example.gold)
        else:
            wanted = self._answer(number, example, scores, example.observed())
        # Costs count relative to those of the gold assignment.
        own = self.loss.gamma * float(example.costs @ wanted.masses[:size])
        return self._core.value(guess.reached, wanted.reached + own), wanted.masses - guess.masses

    def _gold(self, example: Example, scores: Floats, gold: NDArray[np.int64]) -> Answer:
        masses = np.zeros(scores.size)
        masses[gold] = 1.0
        total = float(scores[gold].sum())
        if isinstance(self.method, SparseMAP) and not self._core.needs_best:
            on = np.count_nonzero(gold < example.costs.size)
            total -= 0.5 * self.method.gamma * self._core.temperature * on
        return Answer(total, masses)

    def _answer(self, number: int, example: Example, scores: Floats, evidence: dict[int, int] | None = None) -> Answer:
        best, temperature = self._core.needs_best, self._core.temperature
        problem = example.problem(scores if best else scores / temperature, evidence)
        result = self._solve(number, problem)
        if best:
            return self._best(problem, result)
        reached = result.value if isinstance(self.method, SparseMAP) else result.log_partition
        if reached is None:
            raise self._refuse("the log-partition function; Exact() and BeliefPropagation() have it")
        return Answer(temperature * reached, _masses(result))

    def _solve(self, number: int, problem: Problem) -> Result:
        result = self._method_for(problem.graph).solve(problem)
        if result.status is Status.INFEASIBLE:
            raise InvalidInputError(f"Example {number} has no assignment that its factors allow: {result.message}.")
        return result

    def _best(self, problem: Problem, result: Result) -> Answer:
        """Read the best assignment, or the point of the relaxation that was solved."""
        if result.relaxed_value is not None and result.part_marginals is not None:
            return Answer(result.relaxed_value, _masses(result))
        if result.assignment is not None:
            masses = indicators(problem.graph, result.assignment)
            if masses is not None:
                return Answer(result.value, masses)
        if result.log_partition is None and result.part_marginals is not None:
            return Answer(result.value, _masses(result))  # a fractional point of LP
        raise self._refuse("the best assignment; Exact(), AD3(), ILP() and LP() have it")

    def _on_marginals(self, number: int, example: Example, scores: Floats) -> tuple[float, Floats]:
        problem = example.problem(scores)
        method = self._method_for(problem.graph)
        if isinstance(method, BeliefPropagation):
            method = replace(method, keep_tape=True)
        result = Objective(self.loss, method)._solve(number, problem)
        target = indicators_of_coordinates(problem.graph, np.maximum(example.assignment, 0))
        known = np.repeat(example.assignment != UNKNOWN, np.diff(problem.graph.coordinate_offsets))
        difference = np.where(known, target - result.marginals, 0.0)
        return float(difference @ difference), -self._backward(method, problem, result, -2.0 * difference)

    def _backward(self, method: Any, problem: Problem, result: Result, grad: Floats) -> Floats:
        if isinstance(method, Exact):
            grads = method.backward(problem, grad)
        elif isinstance(method, SparseMAP):
            grads = method.backward(problem, result, grad)
        elif isinstance(method, BeliefPropagation):
            grads = backward(result, grad_marginals=grad)
        else:
            raise self._refuse("gradients; Exact(), BeliefPropagation() and SparseMAP() have them")
        return np.concatenate(grads)

    def _refuse(self, needed: str) -> InvalidInputError:
        return InvalidInputError(
            f"StructuredModel with {self.loss} expects an inference method with {needed}. Got {self.method!r}."
        )


def _masses(result: Result) -> Floats:
    parts = np.zeros(0) if result.part_marginals is None else result.part_marginals
    return np.concatenate([result.marginals, parts])
