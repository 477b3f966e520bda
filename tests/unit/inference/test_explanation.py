"""A conflict is really one, and none of its elements can be left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ramify import FactorGraph
from ramify import factors as F  # noqa: N812 - read all over the file
from ramify.errors import InvalidInputError
from ramify.inference import (
    AD3,
    ILP,
    LP,
    BeliefPropagation,
    Exact,
    Relax,
    SparseMAP,
    Status,
    Subgradient,
    explain_infeasibility,
)
from support.random_graphs import random_graph

pytestmark = pytest.mark.engine


def test_feasible_has_no_conflict():
    g = FactorGraph()
    g.add(F.Or(g.add_variables(2)))
    assert explain_infeasibility(g.problem()) is None


def test_conflict_is_small():
    g = FactorGraph()
    x = g.add_variables(30)
    g.add(F.Or([[i, i + 1] for i in range(8, 20)]))
    g.add(F.ExactlyOne(x[[3, 4, 5]]))
    g.add(F.Pair(x[:10], x[10:20], np.ones(10)))
    conflict = explain_infeasibility(g.problem(evidence={3: 1, 5: 1, 8: 0, 20: 0}))
    assert conflict.minimal
    assert conflict.factors == ((1, 0),)
    assert conflict.variables == (3, 5)
    for method in (LP(), ILP()):
        r = g.solve(method, evidence={3: 1, 5: 1, 8: 0, 20: 0})
        assert r.status is Status.INFEASIBLE
        assert r.message == (
            "No assignment satisfies all of these: ExactlyOne 0 (group 1) over variables 3, 4, 5; variable 3 is on; "
            "variable 5 is on."
        )


@pytest.mark.parametrize(
    "method",
    [
        AD3(),
        AD3(exact=True),
        BeliefPropagation(),
        BeliefPropagation(product="max"),
        Exact(),
        ILP(),
        LP(),
        Relax(),
        SparseMAP(),
        Subgradient(),
    ],
    ids=repr,
)
def test_every_method_names_the_conflict(method):
    g = FactorGraph()
    x = g.add_variables(4)
    g.add(F.ExactlyOne(x[:3]))
    g.add(F.Pair(x[[0, 1]], x[[3, 3]], [1.0, -1.0]))
    r = g.solve(method, evidence={0: 1, 2: 1, 3: 1})
    assert r.status is Status.INFEASIBLE
    assert r.value == -np.inf
    assert "ExactlyOne 0 (group 0) over variables 0, 1, 2; variable 0 is on; variable 2 is on." in r.message


def test_integral_conflict():
    """An odd cycle of disagreements has a fractional solution only."""
    g = FactorGraph()
    x = g.add_variables(3)
    g.add(F.ExactlyOne([[0, 1], [1, 2], [0, 2]]))
    assert g.solve(LP()).status is Status.CONVERGED
    conflict = explain_infeasibility(g.problem())
    assert conflict.factors == ((0, 0), (0, 1), (0, 2))
    assert x.size == 3


def test_states_and_pruned_parts_are_named():
    g = FactorGraph()
    x = g.add_variables(2, 3)
    table = np.full((3, 3), -np.inf)
    table[0, 0] = 0.0
    g.add(F.Table(x, table))
    r = g.solve(Exact(), forbidden={0: [0], 1: [2]})
    assert r.message == (
        "No assignment satisfies all of these: Table 0 (group 0) over variables 0, 1; "
        "variable 0 is in one of the states 1, 2."
    )
    with_nothing = g.solve(ILP(), forbidden={0: [0, 1, 2]})
    assert with_nothing.message == "No assignment satisfies all of these: variable 0 has no state."


def test_tree_without_a_path():
    g = FactorGraph()
    x = g.add_variables(4)
    g.add(F.Tree(x, [0, 1, 2, 0], [1, 2, 1, 2], 2))
    for method in (LP(), ILP(), Exact()):
        assert "Tree 0" in g.solve(method, evidence={1: 1, 2: 1}).message


@pytest.mark.parametrize("seed", range(30))
def test_no_element_can_be_left_out(seed):
    g = random_graph(np.random.default_rng(seed), num_factors=4, pruned=0.5)
    problem = g.graph.problem(g.scores)
    conflict = explain_infeasibility(problem)
    assert (conflict is None) == (g.best() > -np.inf)
    if conflict is None:
        return
    assert conflict.minimal
    begin = np.cumsum([0] + [f.num_factors for f in g.graph.factors])
    chosen = {int(begin[group]) + index for group, index in conflict.factors}

    def infeasible(factors, variables):
        unary = np.zeros(g.scores.size)
        for v in variables:
            where = g.graph.coordinates(v)
            unary[where] = g.scores[where]
        kept = [member for i, member in enumerate(g.members) if i in factors]
        return replace(g, members=kept).best(unary) == -np.inf

    assert infeasible(chosen, conflict.variables)
    for f in chosen:
        assert not infeasible(chosen - {f}, conflict.variables)
    for v in conflict.variables:
        assert not infeasible(chosen, [w for w in conflict.variables if w != v])


def test_out_of_time():
    g = FactorGraph()
    g.add(F.ExactlyOne(g.add_variables(3)))
    assert explain_infeasibility(g.problem(evidence={0: 1, 1: 1}), time_limit=0.0) is None
    with pytest.raises(InvalidInputError, match="time_limit"):
        explain_infeasibility(g.problem(), time_limit=-1.0)


class OnlyZeros:
    def argmax(self, q, scores):
        return None if np.isposinf(q).any() else np.zeros(q.size, dtype=np.int32)

    def score(self, y, scores):
        return -np.inf if np.any(y) else 0.0


def test_factors_in_python_are_free():
    g = FactorGraph()
    x = g.add_variables(2)
    g.add(F.UserFactor(x, OnlyZeros()))
    g.add(F.Or(x))
    r = g.solve(Exact())
    assert r.status is Status.INFEASIBLE
    assert r.message == ""
