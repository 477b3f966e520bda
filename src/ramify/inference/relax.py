"""Relaxed marginal inference: start from few factors and add those that would change the answer."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import inference as _core
from ramify.errors import InvalidInputError
from ramify.factors import Trait
from ramify.graph import Problem
from ramify.inference._options import TOLERANCE, Groups, InferenceMethod, Options
from ramify.inference.belief_propagation import BeliefPropagation, Counting, Product, dot
from ramify.inference.result import Result, Status
from ramify.options import Integer, OrNone, option

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from ramify.factors import Factor
    from ramify.graph import FactorGraph, Method

__all__ = ["Relax", "RelaxState"]


@dataclass(frozen=True)
class RelaxState:
    """How much of the graph was used.

    Attributes
    ----------
    active : array of shape (num_factors,), 1 for the factors used
    fraction : share of the factors that may be left out which were used
    rounds : how often factors were added
    bound : η, bounds the divergence of the model used from the full one as far as its marginals are exact
    inner : state of the inner method
    """

    active: NDArray[np.uint8] = field(repr=False)
    fraction: float
    rounds: int
    bound: float
    inner: Any = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True)
class Relax(Options):
    """Marginal inference on a growing part of the graph (Riedel & Smith 2010, algorithm 1).

    Notes
    -----
    The gain of a factor is log E[exp θ] − E[θ], with its variables taken as independent: for a pair
    log(1 − μ + μ exp θ) − μ θ (their proposition 1). ``gain=0`` ends with every factor that matters. The state of the
    result says which factors were used, their share and the bound η of their proposition 2. Where factors were left
    out, `value` is still the objective of the whole graph, and nothing is proved: there is no bound and no certificate.
    """

    inner: Method = option(
        InferenceMethod(),
        BeliefPropagation(),
        "The method that is run on the part; belief propagation keeps its messages from round to round.",
    )
    core: Collection[Factor] | None = option(
        OrNone(Groups()),
        None,
        "Groups of factors to start from; if None, all except `Pair`, `TagLink` and `Table`. A factor with a score of "
        "−inf forbids something and is always used.",
    )
    gain: float = option(
        TOLERANCE,
        1e-4,
        "A factor is added if the divergence of the model without it from that with it may exceed this (their ε).",
    )
    max_rounds: int = option(Integer(0), 10, "How often factors are added at most (their R).")
    max_bound: float = option(
        TOLERANCE,
        0.0,
        "The method stops earlier as soon as η is at most this; at 0 it never is while a factor that matters is out.",
    )

    def __post_init__(self) -> None:
        """Check what the options are together, after each of them."""
        super().__post_init__()
        if isinstance(self.inner, BeliefPropagation) and (self.inner.product is Product.MAX or self.inner.keep_tape):
            raise InvalidInputError(
                "Relax expects an inner method for marginals without a tape; got "
                f"product={self.inner.product.value!r}, keep_tape={self.inner.keep_tape}."
            )

    def solve(self, problem: Problem, warm_start: Any = None) -> Result:
        """Run rounds of inference and separation.

        Parameters
        ----------
        problem : graph, scores and evidence
        warm_start : a `RelaxState` of the same graph: starts from the factors that it used
        """
        start = time.perf_counter()
        active = self._core_mask(problem)
        optional = active.size - int(active.sum())
        if isinstance(warm_start, RelaxState) and warm_start.active.size == active.size:
            active |= warm_start.active
        inner = self.inner
        if isinstance(inner, BeliefPropagation) and inner.counting is not Counting.CONCAVE and inner.is_single:
            result, state = self._belief_propagation(problem, inner, active, warm_start)
        else:
            result, state = self._any_method(problem, active)
        used = int(state.active.sum()) - (active.size - optional)
        state = replace(state, fraction=used / optional if optional else 1.0)
        message = f"used {used} of {optional} factors outside the core in {state.rounds} rounds; η = {state.bound:.3g}"
        return replace(
            result,
            exact=result.exact and (used == optional or result.status is Status.INFEASIBLE),
            seconds=time.perf_counter() - start,
            message=result.message if result.status is Status.INFEASIBLE else message,
            state=state,
        )

    # --- the steps --------------------------------------------------------------------------------------------------

    def _core_mask(self, problem: Problem) -> NDArray[np.uint8]:
        graph: FactorGraph = problem.graph
        masks = [np.zeros(0, dtype=np.uint8)]
        chosen = None if self.core is None else {id(factor) for factor in self.core}
        if chosen is not None and not chosen <= {id(factor) for factor in graph.factors}:
            raise InvalidInputError("Relax expects core to hold groups of factors of the graph; got another one.")
        for factor in graph.factors:
            is_core = Trait.TABLE not in factor.traits if chosen is None else id(factor) in chosen
            if not is_core and Trait.SOFT not in factor.traits:
                raise InvalidInputError(
                    f"Relax can leave out factors that forbid nothing; {type(factor).__name__} does. Add it to core."
                )
            masks.append(np.full(factor.num_factors, is_core, dtype=np.uint8))
        mask = np.concatenate(masks)
        mask[_owners(graph)[np.isneginf(problem.part_scores)]] = 1  # these forbid something after all
        return mask

    def _belief_propagation(
        self, problem: Problem, inner: BeliefPropagation, active: NDArray[np.uint8], warm_start: Any
    ) -> tuple[Result, RelaxState]:
        start = time.perf_counter()
        inner.check_families(problem)
        messages = inner.messages_of(problem, warm_start.inner) if isinstance(warm_start, RelaxState) else np.zeros(0)
        session = inner.session(problem, active, messages, float(inner.temperature))  # type: ignore[arg-type]
        rounds, bound, complete, used, iterations = self._rounds(session)
        result = inner.finish(problem, used, session, iterations, start)
        if result.status is Status.CONVERGED and not complete and not used.all():
            result = replace(result, status=Status.ITERATION_LIMIT)
        return result, RelaxState(used, 0.0, rounds, bound, result.state)

    def _rounds(self, session: Any) -> tuple[int, float, bool, NDArray[np.uint8], int]:
        """Return the number of rounds, η, whether nothing more is to be added, factors used, and iterations."""
        if self.max_bound == 0.0:
            return (*session.relax(self.gain, self.max_rounds), session.iterations)
        rounds, bound, complete, used = session.relax(self.gain, 0)
        iterations = session.iterations
        while session.feasible and not complete and bound > self.max_bound and rounds < self.max_rounds:
            added, bound, complete, used = session.relax(self.gain, 1)
            rounds += added
            iterations += session.iterations
        return rounds, bound, complete or bound <= self.max_bound, used, iterations

    def _any_method(self, problem: Problem, active: NDArray[np.uint8]) -> tuple[Result, RelaxState]:
        """Factors left out keep their place with scores of 0."""
        owners = _owners(problem.graph)
        for round_number in range(self.max_rounds + 1):
            parts = np.where(active[owners] != 0, problem.part_scores, 0.0)
            result = self.inner.solve(Problem(problem.graph, problem.scores, parts, problem.offset))
            if result.status is Status.INFEASIBLE:
                return result, RelaxState(active, 0.0, round_number, 0.0, result.state)
            beliefs = _log_odds(problem, result)
            last = round_number == self.max_rounds
            if self.max_bound > 0.0 and not last:
                _, bound, _ = _core.separate(problem.core, beliefs, problem.part_scores, np.inf, active)
                last = bound <= self.max_bound
            limit = np.inf if last else self.gain
            added, bound, wider = _core.separate(problem.core, beliefs, problem.part_scores, limit, active)
            if added == 0:
                break
            active = wider
        if not np.array_equal(parts, problem.part_scores):
            result = _of_the_whole(problem, result)
        return result, RelaxState(active, 0.0, round_number, bound, result.state)


def _owners(graph: FactorGraph) -> NDArray[np.int64]:
    """Return the factor of each part, shape (num_parts,)."""
    sizes = [np.diff(factor.part_offsets) for factor in graph.factors]
    return np.repeat(np.arange(graph.num_factors), np.concatenate([np.zeros(0, dtype=np.int64), *sizes]))


def _of_the_whole(problem: Problem, result: Result) -> Result:
    """Turn a result for some of the factors into one for all: its bound and its proof are about another problem."""
    objective = None
    if result.part_marginals is not None:
        marginals = dot(problem.scores, result.marginals), dot(problem.part_scores, result.part_marginals)
        objective = sum(marginals) + problem.offset
    value = result.value if objective is None else objective
    return replace(
        result,
        value=value if result.assignment is None else problem.value(result.assignment),
        bound=np.inf,
        certified=False,
        exact=False,
        relaxed_value=None if result.relaxed_value is None else objective,
        status=Status.CONVERGED if result.status is Status.CERTIFIED else result.status,
    )


def _log_odds(problem: Problem, result: Result) -> NDArray[np.float64]:
    """Log-odds of binary variables, log-masses of others."""
    begin = problem.graph.coordinate_offsets[:-1]
    binary = begin[problem.graph.num_states == 2]
    marginals = np.clip(result.marginals, 0.0, 1.0)  # rounding may leave the interval by a little
    with np.errstate(divide="ignore"):
        out = np.log(marginals)
        out[binary] -= np.log1p(-marginals[binary])
    return np.asarray(out)
