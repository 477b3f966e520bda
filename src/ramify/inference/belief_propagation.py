"""Belief propagation: approximate marginals or maxima by messages, exact on acyclic graphs."""

from __future__ import annotations

import enum
import math
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import inference as _core
from ramify.errors import InvalidInputError, UnsupportedError
from ramify.factors import Capability
from ramify.inference._certificates import largest_score, with_numbers, within_range
from ramify.inference._coordinates import indicators
from ramify.inference._options import COUNT, TOLERANCE, Options, Temperatures
from ramify.inference.explanation import explain_infeasibility
from ramify.inference.result import Result, Status
from ramify.options import Choice, Either, Flag, Integer, Number, OrNone, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ramify.graph import Problem

__all__ = ["BeliefPropagation", "BeliefPropagationState", "Counting", "Product", "Schedule"]

NO_COUNTING = np.zeros(0)
_ARRIVED = 1e-6  # the default tolerance: how far a message may be off where the marginals are called exact
_MOST_SWEEPS = 100  # one or two are enough, except where only evidence breaks the cycles
DIVERGED = "messages grow without end and the marginals mean nothing; try counting=Counting.CONCAVE"
INFEASIBLE = "messages forbid every state of a variable or every assignment of a factor"
UNDECODED = "no feasible assignment was decoded from the messages"
ALL_ACTIVE = np.zeros(0, dtype=np.uint8)


class Product(enum.Enum):
    """What a factor does with the assignments that agree with a state: add them up, or take the best."""

    SUM = "sum"
    MAX = "max"


class Schedule(enum.Enum):
    """In which order factors speak."""

    PARALLEL = "parallel"  # all at once, from the messages of the iteration before
    SEQUENTIAL = "sequential"  # in to the largest factor, level by level, and back out
    RESIDUAL = "residual"  # always the one whose incoming messages have changed most


class Counting(enum.Enum):
    """How often the entropy of each factor counts."""

    BETHE = "bethe"  # once: exact on acyclic graphs
    CONCAVE = "concave"  # at most once, and so that the whole is concave: one solution, reached with some damping


@dataclass(frozen=True)
class BeliefPropagationState:
    """Warm start, what the factors believe, and the tape for gradients.

    Attributes
    ----------
    messages : array of shape (num_edges,), divided by the temperature
    temperature : what they were divided by
    factor_marginals : array of shape (num_edges,): every factor's view of its variables, group after group
    factor_log_partitions : array of shape (num_factors,), at each factor's own temperature and counting number
    """

    messages: NDArray[np.float64] = field(repr=False)
    temperature: float
    factor_marginals: NDArray[np.float64] | None = field(default=None, repr=False)
    factor_log_partitions: NDArray[np.float64] | None = field(default=None, repr=False)
    session: Any = field(default=None, repr=False)

    def backward(
        self,
        grad_marginals: NDArray[np.float64],
        grad_part_marginals: NDArray[np.float64],
        grad_log_partition: float,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Gradients with respect to scores and part scores; see `ramify.inference.backward`."""
        if self.session is None:
            raise InvalidInputError(
                "backward expects a result with a tape; got one without. Solve with BeliefPropagation(keep_tape=True)."
            )
        unary, parts = self.session.backward(grad_marginals, grad_part_marginals, self.temperature * grad_log_partition)
        return unary / self.temperature, parts / self.temperature


@dataclass(frozen=True, kw_only=True)
class BeliefPropagation(Options):
    """Sum- or max-product belief propagation.

    Notes
    -----
    On an acyclic graph (variables with evidence connect nothing) the result is exact after one sequential iteration.
    `log_partition` is temperature × log-partition function of the divided scores, so that the marginals are its
    gradient; with `Counting.BETHE` it is the Bethe approximation. Max-product decides the variables factor by factor
    out from the largest, each given what is decided, and is certified on acyclic graphs. The sequential order is that
    of Gormley et al. (2015, footnote 4) with levels of a spanning tree instead of its nodes.
    """

    product: Product = option(
        Choice(Product), Product.SUM, "Whether marginals (sum) or the best assignment (max) are found."
    )
    schedule: Schedule = option(Choice(Schedule), Schedule.SEQUENTIAL, "The order of the updates.")
    damping: float = option(Number(0, 1, below=True), 0.0, "Share of the old message that stays.")
    tolerance: float = option(TOLERANCE, 1e-6, "The method stops where no message changes by more than this.")
    max_iterations: int = option(
        COUNT,
        200,
        "Most iterations; in one iteration every factor speaks at least once (with the residual schedule: on average "
        "once).",
    )
    fixed_iterations: int | None = option(
        OrNone(Integer(0)), None, "If given, the method runs exactly so many iterations, for training."
    )
    temperature: float | Sequence[float] = option(
        Temperatures(),
        1.0,
        "Scores are divided by it; several are run one after the other, each from the messages of the one before "
        "(deterministic annealing).",
    )
    counting: Counting | float = option(
        Either(Choice(Counting), Number(0, 1, above=True)),
        Counting.BETHE,
        "How often the entropy of a factor counts: Bethe, concave, or a number for all factors; variables get 1 minus "
        "the sum over their factors.",
    )
    keep_tape: bool = option(Flag(), False, "Whether the result keeps what `ramify.inference.backward` needs.")
    recompute: bool = option(
        Flag(),
        False,
        "Whether the tape keeps messages only every √T iterations, and the backward pass runs the others again.",
    )

    def __post_init__(self) -> None:
        """Check what the options are together, after each of them."""
        super().__post_init__()
        if self.keep_tape and (self.product is Product.MAX or not self.is_single):
            raise InvalidInputError(
                "BeliefPropagation keeps a tape for sum-product at one temperature; got keep_tape=True with "
                f"product={self.product.value!r} and temperature={self.temperature}."
            )

    def solve(self, problem: Problem, warm_start: Any = None) -> Result:
        """Run until the messages settle.

        Parameters
        ----------
        problem : graph, scores and evidence
        warm_start : a `BeliefPropagationState` of the same graph
        """
        return self.solve_among(problem, ALL_ACTIVE, warm_start)

    def solve_among(self, problem: Problem, active: NDArray[np.uint8], warm_start: Any = None) -> Result:
        """Run on some of the factors only.

        Parameters
        ----------
        problem : graph, scores and evidence
        active : array of shape (num_factors,), 0 for the factors left out; empty for all
        warm_start : a `BeliefPropagationState` of the same graph
        """
        start = time.perf_counter()
        self.check_families(problem)
        temperatures = np.atleast_1d(np.asarray(self.temperature, dtype=np.float64))
        messages, before = np.zeros(0), float(temperatures[0])
        if warm_start is not None:
            messages, before = self._read_start(problem, warm_start)
        iterations = 0
        for temperature in temperatures.tolist():
            # A message is about scores divided by the temperature; infinite ones stay.
            session = self.session(problem, active, messages * (before / temperature), temperature)
            session.run(self.keep_tape)
            iterations += session.iterations
            messages, before = session.messages(), temperature
        return self.finish(problem, active, session, iterations, start)

    @property
    def is_single(self) -> bool:
        """Whether there is one temperature only."""
        return isinstance(self.temperature, float)

    def messages_of(self, problem: Problem, warm_start: Any) -> NDArray[np.float64]:
        """Messages to start from at this temperature; for methods built on this one."""
        messages, before = self._read_start(problem, warm_start)
        return messages * (before / float(np.atleast_1d(np.asarray(self.temperature))[0]))

    def finish(
        self, problem: Problem, active: NDArray[np.uint8], session: Any, iterations: int, start: float
    ) -> Result:
        """Read the result of a session that has run; for methods built on this one."""
        answer = self._marginals if self.product is Product.SUM else self._maximum
        return answer(problem, active, session, iterations, start)

    def check_families(self, problem: Problem) -> None:
        """Refuse a graph with a factor that cannot do what this needs; for methods built on this one."""
        needed = Capability.MARGINALS if self.product is Product.SUM else Capability.MAX_MARGINALS
        if self.keep_tape:
            needed |= Capability.MARGINALS_VJP
        for factor in problem.graph.factors:
            if needed not in factor.capabilities:
                raise UnsupportedError(
                    f"BeliefPropagation(product={self.product.value!r}) expects factors with "
                    f"{', '.join(needed.names)}; {type(factor).__name__} can only: "
                    f"{', '.join(factor.capabilities.names)}."
                )

    # --- the steps --------------------------------------------------------------------------------------------------

    def _read_start(self, problem: Problem, warm_start: Any) -> tuple[NDArray[np.float64], float]:
        if not isinstance(warm_start, BeliefPropagationState) or warm_start.messages.size != problem.core.num_edges:
            raise InvalidInputError(
                "BeliefPropagation expects the result of belief propagation on the same graph as warm_start; "
                f"got {type(warm_start).__name__}."
            )
        # Infinite messages are facts of the earlier evidence, not of this.
        return np.where(np.isfinite(warm_start.messages), warm_start.messages, 0.0), warm_start.temperature

    def session(self, problem: Problem, active: NDArray[np.uint8], messages: Any, temperature: float) -> Any:
        """Set up the engine for one problem; for methods built on this one."""
        fixed = self.fixed_iterations is not None
        limit = self.max_iterations if self.fixed_iterations is None else self.fixed_iterations
        # The best assignment does not depend on the size of the scores: small messages have to settle, too.
        tolerance = self.tolerance * min(1.0, largest_score(problem)) if self.product is Product.MAX else self.tolerance
        return _core.BeliefPropagation(
            graph=problem.core,
            unary=problem.scores if temperature == 1.0 else problem.scores / temperature,
            parts=problem.part_scores if temperature == 1.0 else problem.part_scores / temperature,
            counting=self._counting(problem, active),
            active=active,
            messages=messages,
            maximise=self.product is Product.MAX,
            order=getattr(_core.Order, self.schedule.name),
            damping=self.damping,
            tolerance=tolerance / temperature,
            max_iterations=limit,
            fixed=fixed,
            checkpoint=max(1, math.isqrt(limit)) if self.keep_tape and self.recompute else 0,
            record=self.keep_tape and not self.recompute,
        )

    def _counting(self, problem: Problem, active: NDArray[np.uint8]) -> NDArray[np.float64]:
        if self.counting is Counting.BETHE:
            return NO_COUNTING
        if self.counting is Counting.CONCAVE:
            return _core.concave_counting(problem.core, active)
        return np.full(problem.core.num_factors, float(self.counting))

    def _ends_exact(self, problem: Problem, active: NDArray[np.uint8], session: Any) -> bool:
        bethe = self.counting is Counting.BETHE or self.counting == 1.0
        complete = active.size == 0 or bool(active.all())
        return bool(bethe and complete and session.converged and _core.is_acyclic(problem.core, active, problem.scores))

    # A large tolerance, or damping, ends a run before the messages have arrived. What is called exact or certified must
    # not depend on that: on a graph without cycles, undamped sweeps bring them there, and show how far they were.

    def _sweep_on(self, problem: Problem, active: NDArray[np.uint8], session: Any, most: int, tolerance: float) -> Any:
        """Return a new session: undamped sweeps from where this one ended."""
        undamped = replace(
            self,
            schedule=Schedule.SEQUENTIAL,
            damping=0.0,
            tolerance=tolerance,
            max_iterations=most,
            fixed_iterations=None,
            keep_tape=False,
        )
        temperature = float(np.atleast_1d(np.asarray(self.temperature))[-1])
        after = undamped.session(problem, active, session.messages(), temperature)
        after.run(False)
        return after

    def _has_arrived(self, problem: Problem, active: NDArray[np.uint8], session: Any) -> bool:
        """Whether messages of a sum-product without cycles are right up to the default tolerance."""
        if self.damping == 0.0 and self.tolerance <= _ARRIVED:
            return True
        after = self._sweep_on(problem, active, session, 1, 0.0)
        return bool(after.feasible and after.residual <= 10.0 * _ARRIVED)

    def _settle(self, problem: Problem, active: NDArray[np.uint8], session: Any) -> Any:
        """Return a session whose messages stand still up to rounding, None if they do not."""
        if self.damping == 0.0 and session.residual == 0.0:
            return session
        every = np.concatenate([problem.scores, problem.part_scores])
        rounding = 1e-13 * float(np.abs(every[np.isfinite(every)]).sum())
        unit = min(1.0, largest_score(problem))
        after = self._sweep_on(problem, active, session, _MOST_SWEEPS, rounding / unit if unit > 0.0 else 0.0)
        return after if after.converged and after.feasible else None

    def _marginals(
        self, problem: Problem, active: NDArray[np.uint8], session: Any, iterations: int, start: float
    ) -> Result:
        temperature = float(np.atleast_1d(np.asarray(self.temperature))[-1])
        feasible, log_partition, marginals, parts, factor_marginals, log_partitions = session.answer()
        if not (feasible and session.feasible):
            return _infeasible(problem, iterations, start)
        state = BeliefPropagationState(
            session.messages(), temperature, factor_marginals, log_partitions, session if self.keep_tape else None
        )
        result = Result(
            marginals=marginals,
            part_marginals=parts,
            value=dot(problem.scores, marginals) + dot(problem.part_scores, parts) + problem.offset,
            status=Status.CONVERGED if session.converged else Status.ITERATION_LIMIT,
            exact=self._ends_exact(problem, active, session) and self._has_arrived(problem, active, session),
            log_partition=temperature * log_partition + problem.offset,
            iterations=iterations,
            primal_residual=session.residual,
            seconds=time.perf_counter() - start,
            message=DIVERGED if session.diverged else "",
            state=state,
        )
        return with_numbers(problem, result)

    def _maximum(
        self, problem: Problem, active: NDArray[np.uint8], session: Any, iterations: int, start: float
    ) -> Result:
        if not session.feasible:
            return _infeasible(problem, iterations, start)
        settled = self._settle(problem, active, session) if self._ends_exact(problem, active, session) else None
        found, assignment = (session if settled is None else settled).decode()
        value = problem.value(assignment) if found else -np.inf
        exact = settled is not None and value > -np.inf
        status = Status.CONVERGED if session.converged else Status.ITERATION_LIMIT
        result = Result(
            marginals=indicators(problem.graph, assignment),
            value=value,
            bound=value if exact else np.inf,
            certified=exact,
            exact=exact,
            assignment=assignment,
            status=Status.CERTIFIED if exact else status,
            iterations=iterations,
            primal_residual=session.residual,
            seconds=time.perf_counter() - start,
            message=DIVERGED if session.diverged else "" if value > -np.inf else UNDECODED,
            state=BeliefPropagationState(session.messages(), float(np.atleast_1d(np.asarray(self.temperature))[-1])),
        )
        return within_range(problem, result)


def _infeasible(problem: Problem, iterations: int, start: float) -> Result:
    conflict = explain_infeasibility(problem)
    return Result(
        marginals=np.zeros(problem.scores.size),
        part_marginals=np.zeros(problem.part_scores.size),
        value=-np.inf,
        bound=-np.inf,
        log_partition=-np.inf,
        status=Status.INFEASIBLE,
        exact=True,
        iterations=iterations,
        seconds=time.perf_counter() - start,
        message=INFEASIBLE if conflict is None else conflict.message,
    )


def dot(scores: NDArray[np.float64], masses: NDArray[np.float64]) -> float:
    """Return the expected score; what is impossible or certain by evidence counts as 0."""
    if np.isfinite(scores).all():
        return float(np.dot(scores, masses))
    counted = (masses > 0.0) & np.isfinite(scores)
    return float(np.dot(scores[counted], masses[counted]))
