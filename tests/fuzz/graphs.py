"""Factor graphs: right ones against enumeration, and all ways to use them wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.calls import FoundError, spoilt, strange
from ramify.graph import Problem
from ramify.inference import (
    AD3,
    ILP,
    LP,
    BeliefPropagation,
    Counting,
    Exact,
    Product,
    Relax,
    Schedule,
    SparseMAP,
    Status,
    Subgradient,
    backward,
    explain_infeasibility,
)
from ramify.inference.decode import k_best, minimum_risk
from support.random_graphs import FAMILIES, random_graph

if TYPE_CHECKING:
    from fuzz.calls import Recorder
    from support.random_graphs import Answers, RandomGraph

LIMIT = 2.0  # seconds of one solution
TOLERANCE = 1e-6


def draw_method(r: Recorder) -> Any:
    rng = r.rng
    makers = [
        lambda: AD3(time_limit=LIMIT, exact=r.chance(0.5), acceleration=int(rng.choice([0, 5, 20]))),
        lambda: SparseMAP(time_limit=LIMIT, gamma=float(rng.choice([0.01, 1.0, 10.0]))),
        lambda: Subgradient(time_limit=LIMIT, max_iterations=100),
        lambda: BeliefPropagation(
            schedule=r.pick(list(Schedule)),
            damping=float(rng.choice([0.0, 0.5])),
            max_iterations=50,
            temperature=float(rng.choice([0.1, 1.0, 3.0])),
            counting=r.pick([Counting.BETHE, Counting.CONCAVE, 0.5]),
            keep_tape=r.chance(0.3),
            recompute=r.chance(0.5),
        ),
        lambda: BeliefPropagation(product=Product.MAX, schedule=r.pick(list(Schedule)), max_iterations=50),
        lambda: Relax(
            inner=r.pick([BeliefPropagation(max_iterations=50), Exact()]), gain=float(rng.choice([0.0, 1e-2]))
        ),
        lambda: LP(time_limit=LIMIT),
        lambda: ILP(time_limit=LIMIT),
        lambda: Exact(),
    ]
    while type(method := r.pick(makers)()).__name__ in r.skipped:
        pass
    return method


def draw_graph(r: Recorder) -> RandomGraph:
    return random_graph(
        r.rng,
        [r.pick(FAMILIES) for _ in range(3)],
        num_factors=int(r.rng.integers(0, 5)),
        size=None if r.chance(0.5) else int(r.rng.integers(1, 4)),
        states=r.pick([(2,), (2, 2), (3, 2)]),
        share=float(r.rng.choice([0.3, 1.0])),
        max_assignments=int(r.rng.choice([32, 256])),
        scale=float(r.rng.choice([0.0, 1.0, 100.0])),
        pruned=float(r.rng.choice([0.0, 0.1, 0.5])),
    )


def right_graph(r: Recorder) -> None:
    """Several methods on a graph small enough to enumerate."""
    case = draw_graph(r)
    evidence = _evidence(r, case)
    truth = case.answers(evidence)
    for _ in range(4):
        method = draw_method(r)
        try:
            result = r.right(
                f"solve[{[type(f).__name__ for f in case.graph.factors]}]",
                case.graph.solve,
                method,
                case.scores,
                evidence=evidence,
            )
            if result is not None:
                check_result(r, case, method, truth, result, evidence)
        except FoundError as failure:
            raise FoundError(f"{type(method).__name__}: {failure} [{method!r}]") from failure


def _evidence(r: Recorder, case: RandomGraph) -> dict[int, int]:
    if r.chance(0.6) or not case.graph.num_variables:
        return {}
    variable = int(r.rng.integers(case.graph.num_variables))
    state = int(r.rng.integers(case.graph.num_states[variable]))
    begin, end = case.graph.coordinate_offsets[variable : variable + 2]
    own = case.scores[begin:end]
    # The only state that is left cannot be forbidden: that is an error, and not what is tried here.
    only = own.size == 1 and own[0] == -np.inf and state == 1
    return {} if only else {variable: state}


def check_result(
    r: Recorder, case: RandomGraph, method: Any, truth: Answers, result: Any, evidence: dict[int, int]
) -> None:
    close = TOLERANCE * (1.0 + abs(truth.best)) if np.isfinite(truth.best) else TOLERANCE
    r.expect(np.isfinite(result.marginals).all(), "a marginal is not finite")
    r.expect(result.log_partition is None or not np.isnan(result.log_partition), "log_partition is NaN")
    r.expect(not np.isnan(result.value) and not np.isnan(result.bound), "value or bound is NaN")
    if result.status is Status.INFEASIBLE:
        r.expect(truth.best == -np.inf, f"infeasible, but {truth.best} can be reached")
        return  # where nothing is feasible, the marginals are whatever the method ended with
    r.expect((result.marginals >= -1e-7).all() and (result.marginals <= 1 + 1e-7).all(), "a marginal is not in [0, 1]")
    r.expect(result.bound >= truth.best - close, f"bound {result.bound} is below the optimum {truth.best}")
    r.expect(not result.certified or truth.best > -np.inf, f"certified {result.value} where nothing is feasible")
    if result.certified:
        r.expect(abs(result.value - truth.best) <= close, f"certified {result.value}, but the optimum is {truth.best}")
        r.expect(result.value <= result.bound + close, f"value {result.value} is above the bound {result.bound}")
        problem = case.graph.problem(case.scores, evidence=evidence)
        value = problem.value(result.assignment)
        r.expect(abs(value - truth.best) <= close, f"certified, but the assignment has {value}, not {truth.best}")
    if isinstance(method, Exact):
        r.expect(
            abs(result.log_partition - truth.log_partition) <= close, "log_partition is not that of all assignments"
        )
        r.expect(
            np.allclose(result.marginals, truth.marginals, atol=1e-6), "marginals are not those of all assignments"
        )


def wrong_graph(r: Recorder) -> None:
    """Results, problems, states and arrays of one graph, given to another or to none."""
    cases = [draw_graph(r) for _ in range(3)]
    results: list[Any] = []
    for _ in range(12):
        case, other = r.pick(cases), r.pick(cases)
        action = r.pick([_solve, _solve, _solve, _problem, _backward, _decode, _build])
        action(r, case, other, results)


def _solve(r: Recorder, case: RandomGraph, other: RandomGraph, results: list[Any]) -> None:
    rng = r.rng
    kwargs: dict[str, Any] = {}
    if results and r.chance(0.6):
        kwargs["warm_start"] = r.pick(results) if r.chance(0.8) else strange(rng)
    if r.chance(0.3):
        kwargs["part_scores"] = spoilt(rng, case.parts)
    if r.chance(0.3):
        kwargs["evidence"] = r.pick([strange(rng), {0: 1}, {int(rng.integers(-9, 99)): int(rng.integers(-5, 5))}])
    if r.chance(0.2):
        kwargs["forbidden"] = r.pick([strange(rng), {0: [0, 1]}, {int(rng.integers(-9, 99)): strange(rng)}])
    scores = r.pick([case.scores, other.scores, spoilt(rng, case.scores), strange(rng)])
    method = draw_method(r)
    graph = case.graph
    result = r.call(
        f"graph{id(graph) % 997}.solve[{[type(f).__name__ for f in graph.factors]}]",
        graph.solve,
        method,
        scores,
        **kwargs,
    )
    if result is not None:
        r.expect(not np.isnan(result.marginals).any(), f"a marginal of {method!r} is NaN")
        results.append(result)


def _problem(r: Recorder, case: RandomGraph, other: RandomGraph, results: list[Any]) -> None:
    rng = r.rng
    scores = r.pick([case.scores, other.scores, spoilt(rng, case.scores)])
    parts = r.pick([case.parts, other.parts, spoilt(rng, case.parts)])
    problem = r.call("Problem", Problem, case.graph, scores, parts)
    if problem is None:
        return
    y = rng.integers(0, 2, case.graph.num_variables)
    r.call("Problem.value", problem.value, r.pick([y, spoilt(rng, y)]))
    method = draw_method(r)
    result = r.call(f"{method!r}.solve", method.solve, problem, r.pick([None, None, strange(rng)]))
    if result is not None:
        results.append(result)
    r.call("explain_infeasibility", explain_infeasibility, problem, time_limit=0.2)


def _backward(r: Recorder, case: RandomGraph, other: RandomGraph, results: list[Any]) -> None:
    rng = r.rng
    gradient = r.pick([np.ones(case.scores.size), np.ones(other.scores.size), spoilt(rng, case.scores)])
    problem = r.call("problem", case.graph.problem, case.scores)
    if problem is None or not results:
        return
    result = r.pick(results)
    r.call("SparseMAP.backward", SparseMAP().backward, problem, result, gradient, r.pick([None, case.parts]))
    r.call("Exact.backward", Exact().backward, problem, gradient)
    r.call("backward", backward, result, grad_marginals=gradient, grad_log_partition=r.pick([0.0, 1.0, np.nan]))


def _decode(r: Recorder, case: RandomGraph, other: RandomGraph, results: list[Any]) -> None:
    problem = r.call("problem", case.graph.problem, case.scores)
    if problem is None:
        return
    factors = [None, *case.graph.factors, *other.graph.factors]
    r.call("minimum_risk", minimum_risk, problem, spoilt(r.rng, case.scores), factor=r.pick(factors))
    r.call("k_best", k_best, problem, r.pick([1, 3, 0, -1]), method=Exact())


def _build(r: Recorder, case: RandomGraph, other: RandomGraph, results: list[Any]) -> None:
    graph = type(case.graph)()
    r.call(
        "add_variables", graph.add_variables, r.pick([3, (2, 2), 0, -1, strange(r.rng)]), r.pick([2, 3, strange(r.rng)])
    )
    for factor in (*case.graph.factors, *other.graph.factors):
        r.call("add", graph.add, r.pick([factor, strange(r.rng)]))
    r.call("coordinates", graph.coordinates, strange(r.rng))
    result = r.call("solve", graph.solve, AD3(time_limit=LIMIT))
    if result is not None:
        results.append(result)
