"""Formulas against a direct reading of them, and the flow-based tree against the TREE factor."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ramify import FactorGraph
from ramify.errors import InvalidInputError
from ramify.factors import Tree, TreeFormulation
from ramify.inference import ILP, LP, Exact
from ramify.logic import Index, Theory, at_most_one, exists, exists_one, forall

pytestmark = pytest.mark.engine

I = Index("i", 0, 3)  # noqa: E741
J = Index("j", 0, 2)


def world():
    g = FactorGraph()
    theory = Theory(g)
    p = theory.predicate("p", I, J, where=~((I == 2) & (J == 1)), true=(I == 0) & (J == 1))
    q = theory.predicate("q", I)
    return g, theory, p, q


def truth_of(p, q, y):
    """Tables of truth values of both predicates under an assignment."""
    return [np.where(x.cells >= 0, np.array(y)[x.cells], x.cells == -2).astype(bool) for x in (p, q)]


FORMULAS = {
    "exists": (lambda p, q: exists(J, p(I, J)), lambda p, q: all(p[i].any() for i in range(3))),
    "exists negated": (lambda p, q: exists(J, ~p(I, J)), lambda p, q: all((~p[i]).any() for i in range(3))),
    "exists one": (lambda p, q: exists_one(I, p(I, J)), lambda p, q: all(p[:, j].sum() == 1 for j in range(2))),
    "exists one of many": (lambda p, q: exists_one(I, J, p(I, J)), lambda p, q: p.sum() == 1),
    "at most one": (lambda p, q: at_most_one(J, p(I, J)), lambda p, q: all(p[i].sum() <= 1 for i in range(3))),
    "at most one negated": (lambda p, q: at_most_one(I, ~q(I)), lambda p, q: (~q).sum() <= 1),
    "forall": (
        lambda p, q: forall(I, p(I, J), where=I < 2),
        lambda p, q: all(p[i, j] for i in range(2) for j in range(2)),
    ),
    "implies": (
        lambda p, q: p(I, J) >> q(I),
        lambda p, q: all(not p[i, j] or q[i] for i in range(3) for j in range(2)),
    ),
    "and implies": (
        lambda p, q: (p(I, J) & ~q(I)) >> q(I + 1),
        lambda p, q: all(not (p[i, j] and not q[i]) or (i < 2 and q[i + 1]) for i in range(3) for j in range(2)),
    ),
    "implies exists": (
        lambda p, q: q(I) >> exists(J, p(I, J)),
        lambda p, q: all(not q[i] or p[i].any() for i in range(3)),
    ),
    "forall implies": (
        lambda p, q: forall(J, p(I, J)) >> q(I),
        lambda p, q: all(not p[i].all() or q[i] for i in range(3)),
    ),
    "or": (lambda p, q: q(I) | q(0) | p(1, 1), lambda p, q: all(q[i] or q[0] or p[1, 1] for i in (1, 2))),
    "and": (lambda p, q: q(0) & ~q(1) & p(0, 1), lambda p, q: q[0] and not q[1] and p[0, 1]),
    "define or": (
        lambda p, q: q(I).iff(exists(J, p(I, J))),
        lambda p, q: all(q[i] == p[i].any() for i in range(3)),
    ),
    "define and": (
        lambda p, q: q(I).iff(forall(J, p(I, J))),
        lambda p, q: all(q[i] == p[i].all() for i in range(3)),
    ),
    "define xor": (
        lambda p, q: q(I).iff(exists_one(J, p(I, J))),
        lambda p, q: all(p[i].sum() <= 1 and q[i] == (p[i].sum() == 1) for i in range(3)),
    ),
    "define negated": (
        lambda p, q: (~q(I)).iff(exists(J, p(I, J))),
        lambda p, q: all(q[i] != p[i].any() for i in range(3)),
    ),
    "define and of two": (
        lambda p, q: q(I).iff(p(I, 0) & ~p(I, 1)),
        lambda p, q: all(q[i] == (p[i, 0] and not p[i, 1]) for i in range(3)),
    ),
    "define what is true for good": (
        lambda p, q: p(0, J).iff(exists(I, q(I))),
        lambda p, q: all(p[0, j] == q.any() for j in range(2)),
    ),
    "define what is false for good": (
        lambda p, q: p(2, J).iff(exists_one(I, q(I))),
        lambda p, q: q.sum() <= 1 and all(p[2, j] == (q.sum() == 1) for j in range(2)),
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas(name):
    make, holds = FORMULAS[name]
    g, theory, p, q = world()
    where = I > 0 if name == "or" else None
    theory.add(make(p, q), where=where)
    problem = g.problem()
    for y in itertools.product([0, 1], repeat=g.num_variables):
        legal = problem.value(np.array(y, dtype=np.int32)) > -np.inf
        assert legal == bool(holds(*truth_of(p, q, y))), y


def test_predicates():
    g, theory, p, _ = world()
    assert p.variables.size == 4
    assert p[1, 1] == p.cells[1, 1]
    with pytest.raises(InvalidInputError, match=r"p\(0, 1\) is no variable; it is true"):
        p[0, 1]
    with pytest.raises(InvalidInputError, match="it is false"):
        p[2, 1]
    x = g.add_variables(3)
    r = theory.predicate("r", I, variables=np.asarray(x))
    np.testing.assert_array_equal(r.variables, np.asarray(x))


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda t, p, q: p(I), "p expects 2 terms; got 1"),
        (lambda t, p, q: t.predicate("r"), "at least one index"),
        (lambda t, p, q: t.predicate("r", I, variables=[1]), "shape"),
        (lambda t, p, q: Index("k", 2, 2), "start < stop"),
        (lambda t, p, q: exists(p(I, J)), "one or more indexes and then a literal"),
        (lambda t, p, q: exists(J, exists(I, p(I, J))), "and then a literal"),
        (lambda t, p, q: exists(J, p(I, J)) & q(I), "Define a predicate"),
        (lambda t, p, q: exists_one(J, p(I, J)) >> q(I), "negate inside"),
        (lambda t, p, q: q(I).iff(at_most_one(J, p(I, J))), "at_most_one defines nothing"),
        (lambda t, p, q: t.add(q(I).iff(p(I, 0)) & q(0)), "got _Definition"),
        (lambda t, p, q: t.add(p(2, J) & q(0)), "cannot hold for j = 1: a literal is false for good"),
        (lambda t, p, q: t.add(exists(I, p(I, 1), where=I == 2)), "no literal can be true"),
        (lambda t, p, q: t.add(exists_one(I, p(0, 1), where=I < 2)), "two literals are true for good"),
    ],
)
def test_bad_use(use, message):
    _, theory, p, q = world()
    with pytest.raises(InvalidInputError, match=message):
        use(theory, p, q)


def flow_tree(n, arcs_allowed):
    """The tree constraints of Martins et al. (2011), Table 1."""
    g = FactorGraph()
    theory = Theory(g)
    h, m, d = Index("h", 0, n + 1), Index("m", 1, n + 1), Index("d", 1, n + 1)
    a = Index("a", 0, n + 1)
    arc = theory.predicate(
        "arc", h, m, variables=np.where(arcs_allowed, np.cumsum(arcs_allowed).reshape(n + 1, n) - 1, -1)
    )
    g.add_variables(int(arcs_allowed.sum()))
    flow = theory.predicate("flow", h, m, d, where=h != m)
    path = theory.predicate("path", a, d, true=(a == 0) | (a == d))
    theory.add(exists_one(h, arc(h, m)))
    theory.add(flow(h, m, d) >> arc(h, m), where=h != m)
    theory.add(path(m, d).iff(exists_one(h, flow(h, m, d))))
    theory.add(path(h, d).iff(exists_one(m, flow(h, m, d))), where=h != d)
    return g, arc


@pytest.mark.parametrize("seed", range(8))
def test_flow_tree_is_the_tree_factor(seed):
    """With random pairs on top, so that the relaxation is fractional and its value says something."""
    from ramify.factors import Pair

    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    allowed = np.arange(n + 1)[:, None] != np.arange(1, n + 1)
    allowed[1:] &= rng.random((n, n)) < 0.8
    heads, columns = np.nonzero(allowed)
    tree = FactorGraph()
    x = tree.add_variables(heads.size)
    tree.add(Tree(x, heads, columns + 1, n))
    logic, arc = flow_tree(n, allowed)
    np.testing.assert_array_equal(arc.variables, np.arange(heads.size))
    pairs = np.array([rng.choice(heads.size, 2, replace=False) for _ in range(12)])
    pair_scores = rng.normal(size=12) * 3
    for g in (tree, logic):
        g.add(Pair(pairs[:, 0], pairs[:, 1], pair_scores))
    scores = rng.normal(size=heads.size)
    padded = np.concatenate([scores, np.zeros(logic.num_variables - heads.size)])
    relaxed = tree.solve(LP(tree=TreeFormulation.MULTI_COMMODITY), scores)
    np.testing.assert_allclose(logic.solve(LP(), padded).value, relaxed.value, atol=1e-6)
    np.testing.assert_allclose(logic.solve(ILP(), padded).value, tree.solve(ILP(), scores).value, atol=1e-6)


def test_exactly_one_head_by_logic():
    g = FactorGraph()
    theory = Theory(g)
    h, m = Index("h", 0, 4), Index("m", 1, 4)
    arc = theory.predicate("arc", h, m, where=h != m)
    theory.add(exists_one(h, arc(h, m)))
    r = g.solve(Exact())
    np.testing.assert_allclose(r.log_partition, 3 * np.log(3))


def test_a_conflict_names_predicates():
    g = FactorGraph()
    theory = Theory(g)
    g.add_variables(5)  # so that variables and positions differ
    u = theory.predicate("u", I, J)
    theory.add(exists_one(I, u(I, J)))
    result = g.solve(ILP(), evidence={u[2, 0]: 1, u[1, 0]: 1})
    assert "over u(0,0), u(1,0), u(2,0); u(1,0) is on; u(2,0) is on" in result.message


def test_reprs_are_short():
    theory = Theory(FactorGraph())
    k = Index("k", 0, 1000)
    p = theory.predicate("p", k, J)
    assert repr(p) == "Predicate('p', k from 0 to 999, j from 0 to 1; 2000 variables)"
    assert repr(~p(k + 1, J)) == "~p(k + 1, j)"
    assert repr(p(k - 2, 1)) == "p(k - 2, 1)"
    assert len(repr(exists(k, p(k, J)))) < 300
