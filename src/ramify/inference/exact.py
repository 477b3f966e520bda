"""Exact inference: by the family's own algorithm where factors do not touch, else by going through all assignments."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import programs as _core
from ramify.errors import InvalidInputError, UnsupportedError
from ramify.factors import Capability
from ramify.inference._certificates import within_range
from ramify.inference._coordinates import check_gradient
from ramify.inference._options import TimedMethod
from ramify.inference.explanation import explain_infeasibility
from ramify.inference.result import Result, Status
from ramify.options import Integer, option

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ramify.graph import FactorGraph, Problem

    Floats = NDArray[np.float64]

__all__ = ["Exact"]


@dataclass(frozen=True, kw_only=True)
class Exact(TimedMethod):
    """The distribution itself: marginals, log-partition function and best assignment without approximation.

    Where no variable has two factors (one tree over all arcs, say), each factor's own algorithm answers, whatever its
    size. Otherwise all assignments are gone through, one by one.
    """

    max_assignments: int = option(
        Integer(1, 2**30), 2**20, "Largest number of assignments to go through; more is an error."
    )

    def _solve(self, problem: Problem, warm_start: Any) -> Result:
        solve = _solve_apart if _is_apart(problem.graph) else self._solve_by_enumeration
        log_partition, value, marginals, part_marginals, assignment = solve(problem)
        feasible = value > -math.inf
        conflict = None if feasible else explain_infeasibility(problem)
        result = Result(
            marginals=marginals,
            part_marginals=part_marginals,
            value=value,
            bound=value,
            exact=True,
            certified=feasible,
            assignment=assignment if feasible else None,
            log_partition=log_partition,
            status=Status.CERTIFIED if feasible else Status.INFEASIBLE,
            message="" if conflict is None else conflict.message,
        )
        return within_range(problem, result)

    def backward(
        self,
        problem: Problem,
        grad_marginals: ArrayLike,
        grad_part_marginals: ArrayLike | None = None,
        grad_log_partition: float = 0.0,
    ) -> tuple[Floats, Floats]:
        """Gradients of a loss with respect to scores and part scores, from those with respect to the answer.

        Parameters
        ----------
        problem : as it was solved
        grad_marginals : array of shape (num_coordinates,)
        grad_part_marginals : array of shape (num_parts,), optional
        grad_log_partition : float

        Returns
        -------
        grad_scores : array of shape (num_coordinates,)
        grad_part_scores : array of shape (num_parts,)
        """
        grads = check_gradient("Exact.backward", "grad_marginals", grad_marginals, problem.scores.size)
        part_grads = check_gradient(
            "Exact.backward", "grad_part_marginals", grad_part_marginals, problem.part_scores.size
        )
        if _is_apart(problem.graph, Capability.MARGINALS_VJP):
            out = _backward_apart(problem, grads, part_grads)
            if grad_log_partition:
                _, _, marginals, part_marginals, _ = _solve_apart(problem)
                out = out[0] + grad_log_partition * marginals, out[1] + grad_log_partition * part_marginals
        else:
            weights = self._log_weights(problem)
            p = _normalised(weights)
            along = _core.dot_products(problem.core, grads, part_grads)
            out = _core.weighted_sums(problem.core, p * (along - p @ along + grad_log_partition))
        # A coordinate that evidence has fixed does not move.
        return np.where(np.isinf(problem.scores), 0.0, out[0]), np.where(np.isinf(problem.part_scores), 0.0, out[1])

    def _solve_by_enumeration(self, problem: Problem) -> _Answer:
        weights = self._log_weights(problem)
        best = int(np.argmax(weights))
        value = float(weights[best])
        p = _normalised(weights)
        log_partition = value + math.log(np.sum(np.exp(weights - value))) if value > -math.inf else -math.inf
        marginals, part_marginals = (np.minimum(sums, 1.0) for sums in _core.weighted_sums(problem.core, p))
        assignment = np.array(_digits(best, problem.graph.num_states), dtype=np.int32)
        return log_partition + problem.offset, value + problem.offset, marginals, part_marginals, assignment

    def _log_weights(self, problem: Problem) -> Floats:
        count = _core.count_assignments(problem.core, self.max_assignments)
        if count < 0:
            digits = math.log10(2) * float(np.sum(np.log2(problem.graph.num_states)))
            raise InvalidInputError(
                f"Exact goes through at most max_assignments={self.max_assignments} assignments; this graph of "
                f"{problem.graph.num_variables} variables has about 10^{digits:.0f}, and its factors share variables. "
                f"Use ILP for the best assignment, BeliefPropagation for marginals, or AD3."
            )
        for factor in problem.graph.factors:
            missing = (Capability.SCORE | Capability.ARGMAX) & ~factor.capabilities
            if missing:
                raise UnsupportedError(
                    f"Exact needs every family's {' and '.join(missing.names)}; {type(factor).__name__} has none."
                )
        return _core.log_weights(problem.core, problem.scores, problem.part_scores)


if TYPE_CHECKING:
    # log-partition function, best value, marginals, part marginals, best assignment
    _Answer = tuple[float, float, Floats, Floats, NDArray[np.int32]]


def _is_apart(graph: FactorGraph, also: Capability = Capability.MARGINALS) -> bool:
    """Whether no variable has two factors, and every family knows its own marginals and what is asked for besides."""
    needed = Capability.MARGINALS | Capability.ARGMAX | also
    if any(needed not in factor.capabilities for factor in graph.factors):
        return False
    slots = sum(factor.variables.size for factor in graph.factors)
    if slots > graph.num_variables:
        return False
    used = np.concatenate([np.zeros(0, dtype=np.int64), *(factor.variables for factor in graph.factors)])
    return np.unique(used).size == slots


def _solve_apart(problem: Problem) -> _Answer:
    graph = problem.graph
    marginals = np.zeros(problem.scores.size)
    assignment = np.zeros(graph.num_variables, dtype=np.int32)
    log_partition = value = problem.offset
    parts: list[Floats] = [np.zeros(0)]
    for factor, scores in zip(graph.factors, _by_group(problem), strict=True):
        where = _coordinates(graph, factor.variables)
        sums = factor.marginals(problem.scores[where], scores)
        best = factor.argmax(problem.scores[where], scores)
        marginals[where] = sums.marginals
        assignment[factor.variables] = best.states
        log_partition += float(sums.log_partition.sum())
        value += float(best.value.sum())
        parts.append(sums.part_marginals)
    free = np.setdiff1d(np.arange(graph.num_variables), np.concatenate([[-1], *(f.variables for f in graph.factors)]))
    for variable in free:
        begin, end = graph.coordinate_offsets[variable : variable + 2]
        table = _unary_table(problem.scores[begin:end])
        p = _normalised(table)
        marginals[begin:end] = p[1:] if p.size == 2 else p
        assignment[variable] = int(np.argmax(table))
        value += float(table.max())
        if table.max() > -math.inf:
            log_partition += float(table.max() + math.log(np.sum(np.exp(table - table.max()))))
    feasible = value > -math.inf
    part_marginals = np.concatenate(parts)
    if not feasible:
        return -math.inf, -math.inf, np.zeros_like(marginals), np.zeros_like(part_marginals), assignment
    return log_partition, value, marginals, part_marginals, assignment


def _backward_apart(problem: Problem, grads: Floats, part_grads: Floats) -> tuple[Floats, Floats]:
    graph = problem.graph
    out = np.zeros_like(grads)
    parts: list[Floats] = [np.zeros(0)]
    begin = 0
    for factor, scores in zip(graph.factors, _by_group(problem), strict=True):
        where = _coordinates(graph, factor.variables)
        own = part_grads[begin : begin + scores.size]
        begin += scores.size
        grad, grad_parts = factor.marginals_vjp(problem.scores[where], grads[where], own, scores)
        out[where] = grad
        parts.append(grad_parts)
    used = np.concatenate([np.zeros(0, dtype=np.int64), *(factor.variables for factor in graph.factors)])
    for variable in np.setdiff1d(np.arange(graph.num_variables), used):
        start, end = graph.coordinate_offsets[variable : variable + 2]
        p = _normalised(_unary_table(problem.scores[start:end]))
        g = np.concatenate([[0.0], grads[start:end]]) if p.size == 2 else grads[start:end]
        out[start:end] = (p * (g - p @ g))[-(end - start) :]
    return out, np.concatenate(parts)


def _by_group(problem: Problem) -> list[Floats]:
    sizes = [factor.scores.size for factor in problem.graph.factors]
    return np.split(problem.part_scores, np.cumsum(sizes)[:-1]) if sizes else []


def _coordinates(graph: FactorGraph, variables: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of the variables' coordinates, one variable after the other."""
    begin = graph.coordinate_offsets[variables]
    widths = graph.coordinate_offsets[variables + 1] - begin
    return np.repeat(begin - np.cumsum(widths) + widths, widths) + np.arange(int(widths.sum()))


def _unary_table(own: Floats) -> Floats:
    if own.size > 1:
        return own
    return np.array([-math.inf, 0.0]) if own[0] == math.inf else np.array([0.0, own[0]])


def _normalised(log_weights: Floats) -> Floats:
    """Probabilities; all zero where nothing is feasible."""
    best = log_weights.max()
    if best == -math.inf:
        return np.zeros_like(log_weights)
    p: Floats = np.exp(log_weights - best)
    p /= p.sum()
    return p


def _digits(index: int, num_states: NDArray[np.int32]) -> list[int]:
    """States of an assignment from its position, the last variable varying fastest."""
    out = []
    for k in num_states[::-1]:
        out.append(index % int(k))
        index //= int(k)
    return out[::-1]
