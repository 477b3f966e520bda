"""The linear program that the constraints of a graph's factors describe, solved without any of ramify's inference."""

from __future__ import annotations

import highspy
import numpy as np
import scipy.sparse


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
