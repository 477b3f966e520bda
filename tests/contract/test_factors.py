"""Every family, found by itself, against enumeration: each capability that it claims."""

from __future__ import annotations

import copy
import pickle

import highspy
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from contract.families import CASES

pytestmark = pytest.mark.engine

REGIMES = ["normal", "ties", "large", "pruned", "forced"]


def all_families():
    found, queue = [], [F.Factor]
    while queue:
        cls = queue.pop()
        queue += cls.__subclasses__()
        public = not cls.__name__.startswith("_") and cls.__module__.startswith("ramify.")
        if public and cls is not F.Factor:
            found.append(cls)
    return sorted(found, key=lambda cls: cls.__name__)


FAMILIES = all_families()


def test_every_family_has_cases():
    assert not [cls.__name__ for cls in FAMILIES if cls not in CASES]


def contract(capability, regimes=REGIMES, max_examples=25):
    """Run a check on drawn cases of every family that claims the capability."""

    def wrap(check):
        @pytest.mark.parametrize("cls", FAMILIES, ids=lambda cls: cls.__name__)
        def test(cls):
            @settings(
                max_examples=max_examples,
                deadline=None,
                derandomize=True,
                database=None,
                suppress_health_check=list(HealthCheck),
            )
            @given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 5), regime=st.sampled_from(regimes))
            def run(seed, size, regime):
                rng = np.random.default_rng(seed)
                case = CASES[cls](rng, size)
                q, scores = draw_scores(rng, case, regime)
                factor = case.build(scores)
                if capability in factor.capabilities:
                    check(case, factor, q, scores, rng)

            run()

        return test

    return wrap


def draw_scores(rng, case, regime):
    truth = case.truth
    q, scores = rng.normal(size=truth.coords.shape[1]) * 2, rng.normal(size=truth.num_parts) * 2
    if regime == "ties":
        q, scores = np.round(q / 2), np.round(scores / 2)
    if regime == "large":
        q, scores = q * 1e3, scores * 1e3
    if regime in ("pruned", "forced"):
        q[rng.random(q.size) < 0.2] = -np.inf
        scores[rng.random(scores.size) < 0.1] = -np.inf
    if regime == "forced":
        binary = np.repeat([k == 2 for k in truth.num_states], [1 if k == 2 else k for k in truth.num_states])
        q[binary & (rng.random(q.size) < 0.2)] = np.inf
    return q, scores


@contract(F.Capability.SCORE, max_examples=10)
def test_score(case, factor, q, scores, rng):
    legal = dict(zip(case.truth.assignments, case.truth.parts, strict=True))
    for y in np.ndindex(*case.truth.num_states):
        active = legal.get(y)
        expected = -np.inf if active is None else scores[active == 1].sum()
        np.testing.assert_allclose(factor.score(y), [expected], rtol=1e-12)


@contract(F.Capability.MARGINALS)
def test_marginals(case, factor, q, scores, rng):
    result = factor.marginals(q)
    log_z = case.truth.log_partition(q, scores)
    np.testing.assert_allclose(result.log_partition, [log_z], rtol=1e-10, atol=1e-10)
    if log_z == -np.inf:
        assert not result.marginals.any()
        assert not result.part_marginals.any()
        return
    mu, nu = case.truth.marginals(q, scores)
    np.testing.assert_allclose(result.marginals, mu, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(result.part_marginals, nu, rtol=1e-8, atol=1e-12)


@contract(F.Capability.MARGINALS, regimes=["normal"], max_examples=4)
def test_marginals_are_the_gradient_of_log_z(case, factor, q, scores, rng):
    assume(np.isfinite(case.truth.log_partition(q, scores)))
    result, h = factor.marginals(q), 1e-5

    def log_z(x):
        return factor.marginals(x[: q.size], x[q.size :]).log_partition[0]

    x = np.concatenate([q, scores])
    slope = [(log_z(x + h * e) - log_z(x - h * e)) / (2 * h) for e in np.eye(x.size)]
    np.testing.assert_allclose(np.concatenate([result.marginals, result.part_marginals]), slope, atol=1e-8)


def true_messages(case, q, scores, best):
    """Messages by their definition: what the factor says about a variable when its own scores are zero."""
    truth, out, at = case.truth, [], 0
    for j, k in enumerate(truth.num_states):
        width = 1 if k == 2 else k
        own = q[at : at + width]
        if k == 2 and np.isinf(own[0]):
            out.append(0.0)
            at += 1
            continue
        without = q.copy()
        without[at : at + width] = 0.0
        totals = truth.totals(without, scores)
        values = []
        for state in range(k):
            x = totals[[y[j] == state for y in truth.assignments]]
            high = x.max(initial=-np.inf)
            values.append(high if best or high == -np.inf else high + np.log(np.exp(x - high).sum()))
        values = np.array(values)
        if k == 2:
            out.append(values[1] - values[0])
        else:
            known = np.isfinite(own)
            reference = values[0] if known[0] and np.isfinite(values[0]) else values[known].max(initial=-np.inf)
            out += [v - reference if ok else 0.0 for v, ok in zip(values, known, strict=True)]
        at += width
    return np.array(out)


@contract(F.Capability.MARGINALS)
def test_sum_messages(case, factor, q, scores, rng):
    check_messages(case, factor, q, scores, best=False)


@contract(F.Capability.MAX_MARGINALS)
def test_max_messages(case, factor, q, scores, rng):
    check_messages(case, factor, q, scores, best=True)


def check_messages(case, factor, q, scores, best):
    result = factor.messages(q, maximise=best)
    assert not np.isnan(result.messages).any()
    value = case.truth.best(q, scores) if best else case.truth.log_partition(q, scores)
    np.testing.assert_allclose(result.value, [value], rtol=1e-10, atol=1e-10)
    if value == -np.inf:
        return
    expected = true_messages(case, q, scores, best)
    # Sums of scores of different size lose the last digits of the largest.
    scale = np.abs(np.concatenate([q, scores])[np.isfinite(np.concatenate([q, scores]))]).max(initial=1.0)
    if case.family is F.UserFactor:  # its probabilities are all that is known: log-odds end with their digits
        if scale < 100:
            close = np.abs(expected) < 15
            np.testing.assert_allclose(result.messages[close], expected[close], atol=1e-7)
        return
    np.testing.assert_allclose(result.messages, expected, rtol=1e-9, atol=1e-12 * scale)


@contract(F.Capability.MARGINALS_VJP)
def test_marginals_vjp(case, factor, q, scores, rng):
    direction, part_direction = rng.normal(size=q.size), rng.normal(size=scores.size)
    grads = factor.marginals_vjp(q, direction, part_direction)
    if case.truth.log_partition(q, scores) == -np.inf:
        assert not np.concatenate(grads).any()
        return
    expected = case.truth.hessian_product(q, scores, direction, part_direction)
    np.testing.assert_allclose(np.concatenate(grads), np.concatenate(expected), rtol=1e-8, atol=1e-11)


@contract(F.Capability.MARGINALS_VJP, regimes=["normal"], max_examples=4)
def test_marginals_vjp_is_a_finite_difference(case, factor, q, scores, rng):
    assume(np.isfinite(case.truth.log_partition(q, scores)))
    v, h = rng.normal(size=q.size), 1e-5
    grad_q, grad_scores = factor.marginals_vjp(q, v)
    high, low = factor.marginals(q + h * v), factor.marginals(q - h * v)
    np.testing.assert_allclose(grad_q, (high.marginals - low.marginals) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(grad_scores, (high.part_marginals - low.part_marginals) / (2 * h), atol=1e-8)


@contract(F.Capability.ENTROPY)
def test_entropy(case, factor, q, scores, rng):
    log_z = case.truth.log_partition(q, scores)
    if log_z == -np.inf:
        assert factor.entropy(q)[0] == -np.inf
    else:
        np.testing.assert_allclose(factor.entropy(q)[0], case.truth.entropy(q, scores), atol=1e-10 * (1 + abs(log_z)))


@contract(F.Capability.ARGMAX)
def test_argmax(case, factor, q, scores, rng):
    result, best = factor.argmax(q), case.truth.best(q, scores)
    np.testing.assert_allclose(result.value, [best], rtol=1e-12, atol=1e-12)
    if best == -np.inf:
        return
    row = case.truth.assignments.index(tuple(result.states.tolist()))
    np.testing.assert_array_equal(result.parts, case.truth.parts[row])
    np.testing.assert_allclose(case.truth.totals(q, scores)[row], best, rtol=1e-12, atol=1e-12)


@contract(F.Capability.MAX_MARGINALS)
def test_max_marginals(case, factor, q, scores, rng):
    expected = case.truth.max_marginals(q, scores)
    np.testing.assert_allclose(factor.max_marginals(q), expected, rtol=1e-10, atol=1e-10)


@contract(F.Capability.MARGINALS | F.Capability.ARGMAX, regimes=["normal"], max_examples=10)
def test_low_temperature_gives_argmax(case, factor, q, scores, rng):
    totals = np.sort(case.truth.totals(q, scores))
    assume(len(totals) and (len(totals) == 1 or totals[-1] - totals[-2] > 1e-2))
    cold = factor.marginals(q * 1e4, scores * 1e4)
    row = case.truth.assignments.index(tuple(factor.argmax(q).states.tolist()))
    np.testing.assert_allclose(cold.marginals, case.truth.coords[row], atol=1e-9)


@contract(F.Capability.PROJECT)
def test_project(case, factor, q, scores, rng):
    result = factor.project(q)
    check_projection(case, q, scores, result)


@contract(F.Capability.PROJECT, regimes=["normal", "ties", "pruned"])
def test_warm_project(case, factor, q, scores, rng):
    state = factor.projection_state()
    factor.project(draw_scores(rng, case, "normal")[0], state=state)
    for _ in range(3):
        nearby = q + 0.3 * rng.normal(size=q.size)
        check_projection(case, nearby, scores, factor.project(nearby, state=state))


def check_projection(case, a, scores, result):
    assert not np.isnan(result.point).any()
    if case.truth.best(a, scores) == -np.inf and case.relaxation is None:
        assert result.value[0] == -np.inf
        return
    scale = np.abs(np.concatenate([a, scores])[np.isfinite(np.concatenate([a, scores]))]).max(initial=1.0)
    if case.relaxation is None:
        assert case.truth.distance_to_hull(result.point, result.parts) < 1e-7
        assert case.truth.projection_gap(a, scores, result.point, result.parts) < 1e-9 * scale
    else:
        check_relaxed_projection(a, *case.relaxation, result)
        if result.value[0] == -np.inf:
            return
    finite = np.isfinite(a)
    value = a[finite] @ result.point[finite] - result.point @ result.point / 2
    value += result.parts[result.parts > 0] @ scores[result.parts > 0]
    np.testing.assert_allclose(result.value[0], value, rtol=1e-9, atol=1e-9)


def check_relaxed_projection(a, costs, capacity, result):
    """Optimality over {z in [0,1]^n: costs z <= capacity} by the greedy solution of the linear relaxation."""
    forced, closed = np.isposinf(a), np.isneginf(a)
    left = capacity - costs[forced].sum()
    assert (result.value[0] == -np.inf) == (left < 0)
    if left < 0:
        return
    z = result.point
    assert np.all(z[forced] == 1)
    assert np.all(z[closed] == 0)
    assert z.min(initial=0) >= 0
    assert z.max(initial=0) <= 1
    assert costs @ z <= capacity + 1e-9
    gain = np.where(np.isfinite(a), a - z, 0.0)
    best, room = 0.0, left
    for i in sorted(np.flatnonzero(gain > 0), key=lambda i: -gain[i] / max(costs[i], 1e-12)):
        share = min(1.0, room / costs[i]) if costs[i] else 1.0
        best, room = best + share * gain[i], room - share * costs[i]
    assert best - gain @ z < 1e-8 * (1 + np.abs(gain).max(initial=0))


@contract(F.Capability.PROJECT_VJP, regimes=["normal"], max_examples=15)
def test_project_vjp_is_a_finite_difference(case, factor, q, scores, rng):
    assume(np.isfinite(case.truth.best(q, scores)))
    q, scores = q / 3, scores / 3
    grad, grad_parts = rng.normal(size=q.size), rng.normal(size=scores.size)
    direction, part_direction = rng.normal(size=q.size), rng.normal(size=scores.size)

    def at(t):
        result = factor.project(q + t * direction, scores + t * part_direction)
        return grad @ result.point + grad_parts @ result.parts

    h = 1e-6
    left, middle, right = at(-h), at(0.0), at(h)
    state = factor.projection_state()
    factor.project(q, scores, state)
    grads = factor.project_vjp(q, state, grad, grad_parts, scores)
    assume(abs(right - 2 * middle + left) < 1e-10)  # not at a kink
    slope = grads[0] @ direction + grads[1] @ part_direction
    np.testing.assert_allclose(slope, (right - left) / (2 * h), atol=1e-6, rtol=1e-6)


@contract(F.Capability.CONSTRAINTS, regimes=["normal"], max_examples=8)
def test_constraints(case, factor, q, scores, rng):
    c = factor.constraints(0)
    assert (c.num_coordinates, c.num_parts) == (q.size, scores.size)
    best = case.truth.best(q, scores)
    model = linear_program(c, q, scores)
    if best == -np.inf:
        assert model.getModelStatus() == highspy.HighsModelStatus.kInfeasible
        return
    value = model.getInfo().objective_function_value
    if c.exact:
        np.testing.assert_allclose(value, best, atol=1e-6)
    else:
        assert value >= best - 1e-6
        integral = linear_program(c, q, scores, integral=True)
        np.testing.assert_allclose(integral.getInfo().objective_function_value, best, atol=1e-6)
    # Fixing all variables leaves a feasible program exactly for the legal assignments, with their parts.
    legal = dict(zip(case.truth.assignments, case.truth.parts, strict=True))
    everything = list(np.ndindex(*case.truth.num_states))
    for row in rng.permutation(len(everything))[:6]:
        y = everything[row]
        coords = case.truth.coords_of(y)
        fixed = linear_program(c, q, scores, fixed=coords)
        feasible = fixed.getModelStatus() == highspy.HighsModelStatus.kOptimal
        assert feasible == (y in legal)
        if feasible:
            parts = np.array(fixed.getSolution().col_value)[q.size : q.size + scores.size]
            np.testing.assert_allclose(parts, legal[y], atol=1e-7)


def linear_program(c, q, scores, fixed=None, integral=False):
    model = highspy.Highs()
    model.silent()
    num_columns = c.num_coordinates + c.num_parts + c.num_auxiliaries
    lower, upper = np.zeros(num_columns), np.ones(num_columns)
    upper[c.num_coordinates + c.num_parts :] = c.aux_upper
    if fixed is not None:
        lower[: c.num_coordinates] = upper[: c.num_coordinates] = fixed
    cost = np.concatenate([q, scores, np.zeros(c.num_auxiliaries)])
    for i in range(num_columns):
        model.addCol(-cost[i], lower[i], upper[i], 0, [], [])
        if integral and i < c.num_coordinates:
            model.changeColIntegrality(i, highspy.HighsVarType.kInteger)
    for row in range(len(c.lower)):
        at = c.rows == row
        columns, inverse = np.unique(c.columns[at], return_inverse=True)
        values = np.bincount(inverse, c.values[at], len(columns)) if at.any() else np.zeros(0)
        model.addRow(c.lower[row], c.upper[row], len(columns), columns.astype(np.int32), values)
    model.run()
    model.getInfo()
    return _Negated(model)


class _Negated:
    """HiGHS minimises; we asked for the largest."""

    def __init__(self, model):
        self._model = model

    def __getattr__(self, name):
        return getattr(self._model, name)

    def getInfo(self):  # noqa: N802 - HiGHS's name
        info = self._model.getInfo()
        return type("Info", (), {"objective_function_value": -info.objective_function_value})


class NotAll:
    """All variables are as they like to be, but not all are on."""

    def argmax(self, q, scores):
        y = (q > 0).astype(int)
        return np.where(np.arange(q.size) == np.argmin(q), 0, y) if y.all() else y

    def parts(self, y):
        return y[:1]


def test_pickled_user_factors_keep_their_oracles():
    oracle = NotAll()
    factor = F.UserFactor([[0, 1, 2], [1, 2, 3]], [oracle, oracle], [[0.5], [-1.0]])
    q = np.array([1.0, 2.0, 3.0, -1.0, 4.0, 5.0])
    for other in (pickle.loads(pickle.dumps(factor, 2)), copy.copy(factor), copy.deepcopy(factor)):
        np.testing.assert_array_equal(other.variables, factor.variables)
        np.testing.assert_array_equal(other.scores, factor.scores)
        np.testing.assert_array_equal(other.argmax(q).states, factor.argmax(q).states)
        assert other._oracles[0] is other._oracles[1]


@pytest.mark.parametrize("cls", [cls for cls in FAMILIES if cls is not F.UserFactor], ids=lambda cls: cls.__name__)
def test_pickles_and_copies_are_the_same_group(cls):
    from contract.families import BUILDERS

    rng = np.random.default_rng(5)
    cases = [CASES[cls](rng, size) for size in (3, 4)]
    if cls is F.Budget:
        cases = [case for case in cases if case.spec[2] == cases[0].spec[2]]
    draws = [draw_scores(rng, case, "normal") for case in cases]
    group = BUILDERS[cls]([case.spec for case in cases], [scores for _, scores in draws])
    q = np.concatenate([q for q, _ in draws])
    others = [pickle.loads(pickle.dumps(group, protocol)) for protocol in (2, 5)]
    for other in (*others, copy.copy(group), copy.deepcopy(group)):
        assert type(other) is cls
        np.testing.assert_array_equal(other.variables, group.variables)
        np.testing.assert_array_equal(other.scores, group.scores)
        np.testing.assert_array_equal(other.part_offsets, group.part_offsets)
        np.testing.assert_array_equal(other.argmax(q).value, group.argmax(q).value)


@pytest.mark.parametrize("cls", FAMILIES, ids=lambda cls: cls.__name__)
def test_group_is_its_factors(cls):
    """Three factors of different sizes in one group give what each gives alone."""
    from contract.families import BUILDERS

    rng = np.random.default_rng(5)
    cases = [CASES[cls](rng, size) for size in (3, 1, 4)]
    if cls is F.Budget:
        cases = [case for case in cases if case.spec[2] == cases[0].spec[2]]
    draws = [draw_scores(rng, case, "normal") for case in cases]
    group = BUILDERS[cls]([case.spec for case in cases], [scores for _, scores in draws])
    q = np.concatenate([q for q, _ in draws])
    singles = [case.build(scores) for case, (_, scores) in zip(cases, draws, strict=True)]
    assert group.num_factors == len(cases)
    for name in ("marginals", "argmax", "project", "max_marginals"):
        if F.Capability[name.upper()] not in group.capabilities:
            continue
        together = getattr(group, name)(q)
        alone = [getattr(s, name)(x) for s, (x, _) in zip(singles, draws, strict=True)]
        if name == "max_marginals":
            np.testing.assert_allclose(together, np.concatenate(alone))
            continue
        for field in vars(together):
            np.testing.assert_allclose(getattr(together, field), np.concatenate([getattr(a, field) for a in alone]))
