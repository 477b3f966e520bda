"""Predictions of a structured model: best assignments, probabilities and scores, under constraints."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from ramify.errors import InvalidInputError
from ramify.inference import AD3
from ramify.learn.estimator import Estimator
from ramify.learn.structured.examples import build_parts, read_assignment
from ramify.learn.structured.objective import method_for
from ramify.learn.threads import num_threads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from ramify.graph import Method, Problem
    from ramify.inference import Result
    from ramify.learn.structured.parts import Parts
    from ramify.learn.structured.weights import Weights

    Evidence = Sequence[Mapping[int, int] | None]

__all__ = ["Predictor"]

MOST_NODES = 1000  # of the branch and bound that predicts where the user names no method


class Given(TypedDict, total=False):
    """What is known of examples before prediction; `Predictor.predict` describes it."""

    evidence: Evidence | None
    forbidden: Sequence[Mapping[int, Any] | None] | None
    parts: Callable[[Any], Parts] | None


class Predictor(Estimator):
    """What a fitted `StructuredModel` can do."""

    parts: Callable[[Any], Parts]
    inference: Method | None
    decoder: Method | None
    threads: int
    _weights: Weights

    @property
    def coef_(self) -> dict[str, NDArray[np.float64]]:
        """Weights by template, each of shape (features, weights of each): the average, if one is taken."""
        self._expect_fit("coef_")
        return {name: self._weights.table(name) for name in self._weights.shapes}

    # --- predicting -------------------------------------------------------------------------------------------------

    def problem(
        self,
        x: Any,
        *,
        evidence: Mapping[int, int] | None = None,
        forbidden: Mapping[int, Any] | None = None,
        parts: Callable[[Any], Parts] | None = None,
    ) -> Problem:
        """Return the factor graph of an example with its learned scores, for any inference method.

        Parameters
        ----------
        x : example
        evidence, forbidden : as in `FactorGraph.solve`
        parts : function that takes the place of the model's own: one that adds constraints, for example
            Its templates must be known to the model.
        """
        self._expect_fit("problem")
        built = build_parts("StructuredModel", parts or self.parts, x)
        self._weights.check(built)
        scores = self._weights.add_scores(self._weights.pack(built), built.fixed_scores(), averaged=True)
        split = built.graph.num_coordinates
        return built.graph.problem(scores[:split], scores[split:], evidence, forbidden)

    def predict(self, X: Sequence[Any], **given: Unpack[Given]) -> list[NDArray[np.int32]]:
        """Return for each example the best states of its variables, flat.

        Parameters
        ----------
        X : examples
        evidence, forbidden : for each example a mapping as in `FactorGraph.solve`, or None
        parts : see `problem`
        """
        results = self._solve(X, best=True, **given)
        return [_assignment(number, result) for number, (_, result) in enumerate(results)]

    def predict_marginals(self, X: Sequence[Any], **given: Unpack[Given]) -> list[NDArray[np.float64]]:
        """Return for each example the probabilities of states, shape (variables, most states); 0 where there is none.

        Parameters
        ----------
        X, evidence, forbidden, parts : see `predict`
        """
        results = self._solve(X, best=False, **given)
        return [_by_state(problem.graph.num_states, result.marginals) for problem, result in results]

    def decision_function(self, X: Sequence[Any], y: Sequence[ArrayLike] | None = None) -> NDArray[np.float64]:
        """Return for each example the score of an assignment: of the best one if none is given.

        Parameters
        ----------
        X : examples
        y : their assignments, optional
        """
        if y is None:
            return np.array([result.value for _, result in self._solve(X, best=True)])
        problems = [self.problem(x) for x in X]
        pairs = enumerate(zip(problems, y, strict=True))
        return np.array([p.value(read_assignment(number, states, p.graph)) for number, (p, states) in pairs])

    def score(self, X: Sequence[Any], y: Sequence[ArrayLike]) -> float:
        """Return the share of variables whose state is right; those that are not observed (−1) do not count."""
        right = total = 0
        for guess, gold in zip(self.predict(X), y, strict=True):
            states = np.ravel(np.asarray(gold))
            if states.size != guess.size:
                raise InvalidInputError(f"score expects {guess.size} states for each variable; got {states.size}.")
            right += int(np.count_nonzero((guess == states) & (states >= 0)))
            total += int(np.count_nonzero(states >= 0))
        return right / max(total, 1)

    def _solve(
        self,
        X: Any,
        *,
        best: bool,
        evidence: Evidence | None = None,
        forbidden: Sequence[Mapping[int, Any] | None] | None = None,
        parts: Callable[[Any], Parts] | None = None,
    ) -> list[tuple[Problem, Result]]:
        self._expect_fit("predict")
        given = [[None] * len(X) if each is None else list(each) for each in (evidence, forbidden)]
        if any(len(each) != len(X) for each in given):
            raise InvalidInputError(
                f"StructuredModel expects evidence and forbidden to have one mapping (or None) for each of {len(X)} "
                "examples."
            )
        chosen = self.decoder if best else self.inference

        def solve(x: Any, known: Any, not_these: Any) -> tuple[Problem, Result]:
            problem = self.problem(x, evidence=known, forbidden=not_these, parts=parts)
            method = chosen or method_for(problem.graph, best=best)
            if chosen is None and isinstance(method, AD3):
                method = AD3(exact=True, max_nodes=MOST_NODES)
            return problem, method.solve(problem)

        threads = num_threads(self.threads)
        if threads == 1:
            return list(map(solve, X, *given))
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(solve, X, *given))


def _assignment(number: int, result: Result) -> NDArray[np.int32]:
    if result.assignment is None or result.value == -np.inf:
        raise InvalidInputError(
            f"StructuredModel.predict expects a decoder that finds an assignment; it found none for example {number}"
            f"{': ' + result.message if result.message else ''}. Relax the constraints, or pass decoder=ILP()."
        )
    return result.assignment


def _by_state(num_states: NDArray[np.int32], marginals: NDArray[np.float64]) -> NDArray[np.float64]:
    out = np.zeros((num_states.size, int(num_states.max(initial=2))))
    wide = np.flatnonzero(num_states > 2)
    starts = np.cumsum(np.where(num_states == 2, 1, num_states)) - np.where(num_states == 2, 1, num_states)
    binary = num_states == 2
    out[binary, 1] = marginals[starts[binary]]
    out[binary, 0] = 1.0 - out[binary, 1]
    for v in wide:
        out[v, : num_states[v]] = marginals[starts[v] : starts[v] + num_states[v]]
    return out
