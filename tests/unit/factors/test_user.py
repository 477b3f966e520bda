"""Factors written in Python: what they need, what is derived for them, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from contract.families import CASES
from ramify import FactorGraph
from ramify.errors import InvalidInputError, UnsupportedError
from ramify.inference import AD3, LP, BeliefPropagation, Counting, Exact, Product, Relax, SparseMAP, Subgradient

pytestmark = pytest.mark.engine

SCORES = [1.0, 2.0, 3.0, 4.0]


def documented():
    """The class that the page on factors shows, word for word."""
    page = (Path(__file__).parents[3] / "docs/engine/factors.md").read_text(encoding="utf-8")
    lines = re.findall(r"^(?:>>>|\.\.\.) (.*)$", page, re.MULTILINE)
    begin = lines.index("class NotThreeInARow:")
    end = next(i for i in range(begin + 1, len(lines)) if not lines[i].startswith(" "))
    names = {"np": np}
    exec("\n".join(lines[begin:end]), names)
    return names["NotThreeInARow"]()


def graph_of(oracle, scores=None, *, with_other=True):
    g = FactorGraph()
    x = g.add_variables(4)
    g.add(F.UserFactor(x, oracle, scores))
    if with_other:
        g.add(F.ExactlyOne(x[:2]))
    return g


@pytest.mark.parametrize("method", [AD3(), AD3(exact=True), Subgradient(), Exact(), Relax(inner=AD3())])
@pytest.mark.parametrize(
    ("evidence", "best"),
    [({}, [1, 0, 1, 1]), ({0: 0}, [0, 1, 0, 1]), ({1: 1, 3: 0}, [0, 1, 1, 0]), ({0: 0, 1: 0}, None)],
)
def test_the_documented_factor_can_be_solved(method, evidence, best):
    result = graph_of(documented()).solve(method, SCORES, evidence=evidence)
    assert result.certified == (best is not None)
    assert best is None or result.assignment.tolist() == best


def test_the_documented_factor_has_sparse_marginals_and_gradients():
    g = graph_of(documented())
    result = g.solve(SparseMAP(gamma=4.0), SCORES)
    assert result.exact
    grad, _ = SparseMAP(gamma=4.0).backward(g.problem(SCORES), result, np.ones(4))
    assert np.isfinite(grad).all()


def test_argmax_alone_projects():
    class Positive:
        def argmax(self, q, scores):
            return (q > 0).astype(int)

    np.testing.assert_allclose(F.UserFactor([0, 1], Positive()).project([0.3, 1.7]).point, [0.3, 1.0])


def test_a_derived_score_is_that_of_enumeration():
    """Without `score`, an assignment is legal where the oracle returns it although nothing else speaks for it."""

    class WithoutScore:
        def __init__(self, oracle):
            self.argmax, self.parts = oracle.argmax, oracle.parts

    for seed in range(10):
        case = CASES[F.UserFactor](np.random.default_rng(seed), 3)
        states, oracle = case.spec
        variables = FactorGraph().add_variables(len(states), np.array(states))
        scores = np.random.default_rng(seed).normal(size=case.truth.num_parts)
        factor = F.UserFactor(variables, WithoutScore(oracle), scores)
        legal = dict(
            zip(case.truth.assignments, case.truth.totals(np.zeros(case.truth.coords.shape[1]), scores), strict=True)
        )
        for y in np.ndindex(*states):
            assert factor.score(list(y))[0] == pytest.approx(legal.get(y, -np.inf))


@pytest.mark.parametrize(
    ("method", "why"),
    [
        (BeliefPropagation(), "expects factors with marginals"),
        (BeliefPropagation(counting=Counting.CONCAVE), "expects factors with marginals"),
        (BeliefPropagation(product=Product.MAX), "expects factors with max_marginals"),
        (BeliefPropagation(keep_tape=True), "marginals_vjp"),
        (Relax(), "expects factors with marginals"),
        (Relax(inner=BeliefPropagation(counting=Counting.CONCAVE)), "expects factors with marginals"),
        (LP(), "has no constraints"),
    ],
)
def test_what_an_oracle_cannot_do_is_said_before_solving(method, why):
    class Counts:
        def argmax(self, q, scores):
            raise AssertionError("not to be asked")

    with pytest.raises(UnsupportedError, match=why):
        graph_of(Counts()).solve(method, SCORES)


class Answers:
    """An oracle that gives one answer."""

    def __init__(self, argmax=(0, 0, 0, 0), parts=None, marginals=None, score=None):
        self.argmax = lambda q, scores: argmax
        for name, value in (("parts", parts), ("marginals", marginals), ("score", score)):
            if value is not None:
                setattr(self, name, lambda *arguments, value=value: value)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([0, 0, 0, 2], "a state from 0 to 1 for variable 3 of the factor; got 2"),
        ([0, -1, 0, 0], "a state from 0 to 1 for variable 1 of the factor; got -1"),
        ([0, 10**12, 0, 0], "a state from 0 to 1 for variable 1"),
        ([0, 0, 0], r"4 integers.*got int64 of shape \(3,\)"),
        ([[0, 0, 0, 0]], r"shape \(1, 4\)"),
        ([0.5, 0, 0, 0], "4 integers.*got float64"),
        ([np.nan] * 4, "4 integers"),
        ("0000", "4 integers"),
        (7, r"shape \(\)"),
    ],
)
@pytest.mark.parametrize("method", [AD3(), AD3(exact=True), Subgradient(), SparseMAP(), Exact()])
def test_a_wrong_assignment_is_refused_by_all_methods(method, answer, message):
    with pytest.raises(InvalidInputError, match=f"UserFactor expects Answers.argmax to return .*{message}"):
        graph_of(Answers(answer)).solve(method, SCORES)


@pytest.mark.parametrize(
    ("parts", "message"), [([1.0], r"shape \(2,\)"), ([np.nan, 0.0], "NaN"), ([0.5, 0.0], "0 or 1"), ("ab", "shape")]
)
def test_wrong_parts_are_refused(parts, message):
    with pytest.raises(InvalidInputError, match=f"Answers.parts to return .*{message}"):
        graph_of(Answers(parts=parts), [1.0, 2.0]).solve(AD3(), SCORES)


def test_own_parts_need_a_method():
    with pytest.raises(InvalidInputError, match=r"a method parts\(y\), because it has 2 own parts; Answers has none"):
        graph_of(Answers(), [1.0, 2.0])


HALF = [0.5] * 4


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((HALF, 0.0, []), r"log_partition, the first, to be of shape \(\)"),
        ((0.0, HALF), r"\(log_partition, marginals, part_marginals\); got tuple"),
        (0.0, r"\(log_partition, marginals, part_marginals\); got float"),
        ((0.0, [], HALF), r"marginals, the second, to be of shape \(4,\)"),
        ((0.0, [2.0] * 4, []), "probabilities from 0 to 1; got 2 to 2"),
        ((0.0, [-0.1] * 4, []), "probabilities from 0 to 1"),
        ((np.nan, HALF, []), "NaN"),
        ((np.inf, HALF, []), r"below \+inf"),
        ((0.0, [np.nan] * 4, []), "NaN"),
    ],
)
def test_the_order_and_the_values_of_marginals_are_checked(answer, message):
    with pytest.raises(InvalidInputError, match=f"Answers.marginals to return .*{message}"):
        graph_of(Answers(marginals=answer)).solve(BeliefPropagation(), SCORES)


def test_a_score_that_is_not_that_of_the_parts_is_refused():
    """A certificate compares what `argmax` and `score` say: they have to speak of the same objective."""
    with pytest.raises(InvalidInputError, match="the sum of the scores of its parts, 0, or -inf; got 3"):
        graph_of(Answers(score=3.0), with_other=False).solve(AD3(), SCORES)


@pytest.mark.parametrize("method", [AD3(), AD3(exact=True), Subgradient(), SparseMAP(), Exact(), BeliefPropagation()])
@pytest.mark.parametrize("after", [0, 3])
def test_an_error_in_an_oracle_comes_through(method, after):
    class Breaks:
        calls = 0

        def argmax(self, q, scores):
            self.calls += 1
            if self.calls > after:
                raise KeyError("mine")
            return (np.asarray(q) > 0).astype(int)

        def marginals(self, q, scores):
            self.argmax(q, scores)
            return 0.0, np.full(4, 0.5), []

    with pytest.raises(KeyError, match="mine"):
        graph_of(Breaks()).solve(method, SCORES)
    assert graph_of(documented()).solve(AD3(), SCORES).certified


def test_an_oracle_may_change_what_it_is_given():
    class Greedy:
        kept = np.zeros(4, dtype=np.int32)

        def argmax(self, q, scores):
            self.kept[:] = q > 0
            q[:] = np.nan
            scores[:] = np.nan
            return self.kept

        def parts(self, y):
            y[:] = 7
            return np.ones(1)

    result = graph_of(Greedy(), [0.5]).solve(AD3(), SCORES)
    assert result.certified
    assert result.value == pytest.approx(2.0 + 3.0 + 4.0 + 0.5)


def test_an_oracle_sees_finite_scores_only():
    class Sees:
        def argmax(self, q, scores):
            assert np.isfinite(q).all()
            assert np.isfinite(scores).all()
            return (q > 0).astype(int)

        def parts(self, y):
            return [float(y.sum() == 4)]

    factor = F.UserFactor([0, 1, 2, 3], Sees(), [-np.inf])
    assert factor.argmax([np.inf, -np.inf, 1e5, -1e5]).states.tolist() == [1, 0, 1, 0]
    assert factor.argmax([np.inf] * 4).value[0] == -np.inf
    assert factor.argmax([np.inf] * 4).states.tolist() == [0, 0, 0, 0]


def test_gradients_of_exact_inference_need_no_gradient_of_the_factor():
    case = CASES[F.UserFactor](np.random.default_rng(3), 2)
    g = FactorGraph()
    states, oracle = case.spec
    scores = np.zeros(case.truth.num_parts)
    g.add(F.UserFactor(g.add_variables(len(states), np.array(states)), oracle, scores))
    q = np.random.default_rng(4).normal(size=g.num_coordinates)
    grad, _ = Exact().backward(g.problem(q), np.arange(q.size, dtype=float))

    def value(x):
        return g.solve(Exact(), x).marginals @ np.arange(q.size)

    for i in range(q.size):
        e = 1e-5 * np.eye(q.size)[i]
        assert grad[i] == pytest.approx((value(q + e) - value(q - e)) / 2e-5, abs=1e-7)
