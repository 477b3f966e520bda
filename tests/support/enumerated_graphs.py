"""Small random factor graphs of any mix of families, with the list of all their assignments and their values."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import highspy
import numpy as np
import scipy.sparse

from contract.families import CASES
from ramify import FactorGraph

if TYPE_CHECKING:
    from contract.families import Case


@dataclass
class RandomGraph:
    graph: FactorGraph
    scores: np.ndarray
    cases: list[Case]
    places: list[np.ndarray]  # the variables of each case's slots
    part_scores: list[np.ndarray]

    def totals(self, scores=None, parts=None):
        """Every assignment with its objective, −inf where it is forbidden."""
        scores = self.scores if scores is None else scores
        parts = self.part_scores if parts is None else parts
        tables = [
            {y: p[row != 0].sum() for y, row in zip(case.truth.assignments, case.truth.parts, strict=True)}
            for case, p in zip(self.cases, parts, strict=True)
        ]
        offsets = self.graph.coordinate_offsets
        out = {}
        for y in itertools.product(*(range(k) for k in self.graph.num_states)):
            total = 0.0
            for v, state in enumerate(y):
                if self.graph.num_states[v] > 2:
                    total += scores[offsets[v] + state]
                elif state:
                    total += scores[offsets[v]]
            for table, place in zip(tables, self.places, strict=True):
                total += table.get(tuple(y[v] for v in place), -np.inf)
            out[y] = total
        return out

    def best(self, **kwargs):
        return max(self.totals(**kwargs).values())

    @property
    def hulls_are_exact(self):
        return all(case.relaxation is None for case in self.cases)


def random_graph(seed, families, num_binary=5, num_ternary=2, num_factors=3, scale=1.0, size=3):
    """Factors of the families at random places; sharing variables, so that there are cycles."""
    rng = np.random.default_rng(seed)
    graph = FactorGraph()
    graph.add_variables(num_binary)
    graph.add_variables(num_ternary, 3)
    cases, places, part_scores = [], [], []
    while len(cases) < num_factors:
        case = CASES[families[rng.integers(len(families))]](rng, size)
        place = _place(rng, list(case.truth.num_states), num_binary, num_ternary)
        if place is None:
            continue
        scores = rng.normal(scale=scale, size=case.truth.num_parts)
        factor = case.build(scores)
        factor._slots = replace(factor._slots, variables=place)
        graph.add(factor)
        cases.append(case)
        places.append(place)
        part_scores.append(scores)
    return RandomGraph(graph, rng.normal(scale=scale, size=graph.num_coordinates), cases, places, part_scores)


def _place(rng, num_states, num_binary, num_ternary):
    binary = list(rng.permutation(num_binary))
    ternary = list(num_binary + rng.permutation(num_ternary))
    if num_states.count(2) > len(binary) or num_states.count(3) > len(ternary) or not set(num_states) <= {2, 3}:
        return None
    return np.array([(binary if k == 2 else ternary).pop() for k in num_states], dtype=np.int64)


def linear_program(graph, scores):
    """Value of the relaxation that the factors' constraints() describe, by HiGHS; −inf where it is infeasible."""
    cost, upper, blocks, rows_before = list(scores), [1.0] * len(scores), [], 0
    lower_rows, upper_rows = [], []
    for v in np.flatnonzero(graph.num_states > 2):
        columns = graph.coordinates([v])
        blocks.append((np.full(columns.size, rows_before), columns, np.ones(columns.size)))
        lower_rows.append([1.0])
        upper_rows.append([1.0])
        rows_before += 1
    for factor in graph.factors:
        for f in range(factor.num_factors):
            rows = factor.constraints(f)
            slots = slice(*factor._slots.offsets[f : f + 2])
            parts = factor.scores[slice(*factor._group.part_offsets()[f : f + 2])]
            own = len(cost) + np.arange(rows.num_parts + rows.num_auxiliaries)
            columns = np.concatenate([graph.coordinates(factor.variables[slots]), own])
            cost += [*parts, *np.zeros(rows.num_auxiliaries)]
            upper += [1.0] * rows.num_parts + [rows.aux_upper] * rows.num_auxiliaries
            blocks.append((rows.rows + rows_before, columns[rows.columns], rows.values))
            lower_rows.append(rows.lower)
            upper_rows.append(rows.upper)
            rows_before += len(rows.lower)
    triplets = [np.concatenate(x) for x in zip(*blocks, strict=True)]
    matrix = scipy.sparse.csc_matrix((triplets[2], (triplets[0], triplets[1])), shape=(rows_before, len(cost)))
    return _solve(np.array(cost), np.array(upper), matrix, np.concatenate(lower_rows), np.concatenate(upper_rows))


def _solve(cost, upper, matrix, row_lower, row_upper):
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = cost.size, matrix.shape[0]
    forbidden = np.isneginf(cost)
    model.col_cost_ = -np.where(forbidden, 0.0, cost)
    model.col_lower_, model.col_upper_ = np.zeros(cost.size), np.where(forbidden, 0.0, upper)
    model.row_lower_, model.row_upper_ = row_lower, row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.passModel(model)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return -np.inf
    return -highs.getInfo().objective_function_value
