from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from ramify.errors import InvalidInputError
from ramify.inference import ILP
from ramify.summarization.config import Method
from ramify.summarization.decoding import solve
from ramify.summarization.problem import SummaryProblem
from ramify.summarization.rounding import best_summary, nearest_summary, relax


def random_problem(rng, *, sentences=3, most_units=3, concepts=5, tokens=None):
    heads, begin, cuts = [], [0], []
    for _ in range(sentences):
        n = int(rng.integers(1, most_units + 1))
        own = [-1]
        while len(own) < n:  # the next unit hangs on the last one, or on one above it
            way = [len(own) - 1]
            while own[way[-1]] >= 0:
                way.append(own[way[-1]])
            own.append(int(rng.choice(way)))
        heads += [head if head < 0 else begin[-1] + head for head in own]
        cuts += [0.0, *rng.normal(0, 0.3, n - 1)]
        begin.append(len(heads))
    heads, begin = np.array(heads), np.array(begin)
    tokens = tokens or int(rng.integers(3, 10))
    first = rng.integers(0, len(heads), tokens)
    of = np.searchsorted(begin, first, side="right") - 1
    second = np.array([rng.integers(begin[s], begin[s + 1]) for s in of])
    requires = np.full(sentences, -1)
    if rng.random() < 0.5:
        requires[sentences - 1] = 0
    lengths = np.ones(len(heads), int) if rng.random() < 0.3 else rng.integers(1, 4, len(heads))
    whole = np.add.reduceat(lengths, begin[:-1])
    least = np.zeros(sentences, int) if rng.random() < 0.5 else np.ceil(0.8 * whole).astype(int)
    return SummaryProblem(
        begin, heads, lengths, np.array(cuts), rng.normal(-0.2, 0.3, len(heads)), first, second,
        rng.integers(0, concepts, tokens), rng.normal(0.5, 0.7, concepts), requires, least,
        int(rng.integers(1, lengths.sum() + 1)), int(rng.integers(1, sentences + 1)),
    )  # fmt: skip


def value_by_hand(p, kept):
    """The score of a choice, by the words of the model; None if it is not allowed."""
    for unit, head in enumerate(p.heads):
        if kept[unit] and head >= 0 and not kept[head]:
            return None
    taken = [bool(kept[root]) for root in p.begin[:-1]]
    if any(t and p.requires[s] >= 0 and not taken[p.requires[s]] for s, t in enumerate(taken)):
        return None
    for s, t in enumerate(taken):
        if t and sum(p.lengths[u] for u in range(p.begin[s], p.begin[s + 1]) if kept[u]) < p.least[s]:
            return None
    if sum(p.lengths[u] for u in range(len(kept)) if kept[u]) > p.budget or sum(taken) > p.sentences:
        return None
    said = {c for a, b, c in zip(p.first, p.second, p.concept, strict=True) if kept[a] and kept[b]}
    total = sum(p.weights[c] for c in said)
    for unit, head in enumerate(p.heads):
        if kept[unit]:
            total += p.stays[unit]
        elif head >= 0 and kept[head]:
            total += p.cuts[unit]
    return total


def choices(p):
    for bits in itertools.product([False, True], repeat=len(p.heads)):
        value = value_by_hand(p, bits)
        if value is not None:
            yield value, np.array(bits)


@pytest.mark.parametrize("seed", range(40))
def test_values_and_exact_methods_equal_enumeration(seed):
    p = random_problem(np.random.default_rng(seed))
    allowed = {kept.tobytes(): value for value, kept in choices(p)}
    for bits in itertools.product([False, True], repeat=len(p.heads)):
        kept = np.array(bits)
        assert p.value(kept) == pytest.approx(allowed.get(kept.tobytes(), -np.inf))
    best = max(allowed.values())
    assert ILP().solve(p.graph().problem).value == pytest.approx(best, abs=1e-6)
    for method in (Method.ILP, Method.AD3_EXACT):
        found = solve(p, method)
        assert found.value == pytest.approx(best, abs=1e-6)
        assert found.certified
    for method in (Method.AD3, Method.LP, Method.SEARCH, Method.SUBGRADIENT, Method.AD3_PAPER):
        found = solve(p, method)
        assert found.value == pytest.approx(p.value(found.kept))
        assert 0 <= found.value <= best + 1e-9
        assert found.bound >= best - 1e-6


@pytest.mark.parametrize("seed", range(200, 225))
def test_the_relaxation_bounds_summaries_with_and_without_each_unit(seed):
    p = random_problem(np.random.default_rng(seed), sentences=4)
    every = list(choices(p))
    for steps in (0, 3, 200):
        found = relax(p, steps=steps)
        kept = found.kept().astype(bool)
        assert found.value == pytest.approx(p.value(kept))
        assert found.bound >= max(value for value, _ in every) - 1e-9
        for unit in range(len(p.heads)):
            for bounds, stays in ((found.stays(), True), (found.goes(), False)):
                values = [value for value, kept in every if kept[unit] == stays]
                assert bounds[unit] >= max(values, default=-np.inf) - 1e-9


@pytest.mark.parametrize("seed", range(15))
def test_units_that_go_for_certain_are_left_out(seed):
    rng = np.random.default_rng(seed)
    p = random_problem(rng, sentences=4)
    gone = rng.random(len(p.heads)) < 0.3
    rest, left = p.without(gone)
    expected = sorted(value for value, kept in choices(p) if not kept[gone].any())
    if rest.num_sentences:
        assert sorted(value for value, _ in choices(rest)) == pytest.approx(expected)
        for value, kept in choices(rest):
            whole = np.zeros(len(gone), bool)
            whole[left] = kept
            assert p.value(whole) == pytest.approx(value)
    else:
        assert expected == [pytest.approx(0.0)]


@pytest.mark.parametrize("seed", range(8))
def test_exact_ad3_equals_integer_programs_on_larger_problems(seed):
    p = random_problem(np.random.default_rng(300 + seed), sentences=12, most_units=6, concepts=40, tokens=120)
    right, found, fast = solve(p, Method.ILP), solve(p, Method.AD3_EXACT), solve(p)
    assert found.value == pytest.approx(right.value, abs=1e-5)
    assert found.certified
    assert fast.value <= right.value + 1e-5
    assert fast.bound >= right.value - 1e-5


def test_very_large_tables_give_summaries_without_a_bound():
    p = random_problem(np.random.default_rng(1), sentences=4)
    p = replace(p, lengths=p.lengths * 10**7, least=p.least * 10**7, budget=p.budget * 10**7)
    found = solve(p, Method.SEARCH)
    assert found.value == p.value(found.kept) > 0
    assert found.bound == np.inf
    assert not found.certified


def test_units_that_are_no_walk_through_a_tree_are_refused():
    p = random_problem(np.random.default_rng(0), sentences=1, most_units=1)
    p = replace(p, begin=np.array([0, 4]), heads=np.array([-1, 0, 0, 1]), lengths=np.ones(4, int), cuts=np.zeros(4))
    p = replace(p, stays=np.zeros(4), first=np.zeros(0, int), second=np.zeros(0, int), concept=np.zeros(0, int))
    with pytest.raises(InvalidInputError, match="order of a walk"):
        solve(p)


def test_the_search_is_nearly_always_right_on_small_problems():
    values, best = [], []
    for seed in range(60):
        p = random_problem(np.random.default_rng(1000 + seed), sentences=4)
        values.append(solve(p, Method.AD3).value)
        best.append(max(value for value, _ in choices(p)))
    assert sum(values) >= 0.98 * sum(best)
    assert np.mean(np.isclose(values, best)) > 0.8


@pytest.mark.parametrize("seed", range(15))
def test_nearest_summary_equals_enumeration(seed):
    rng = np.random.default_rng(seed)
    p = random_problem(rng, sentences=3)
    p = replace(p, requires=np.full(3, -1), least=np.zeros(3, int))
    marginals = rng.random(len(p.heads))
    order = np.argsort(-marginals[p.roots], kind="stable")[: min(2, p.sentences)]
    outside = np.ones(len(p.heads), bool)
    for s in order:
        outside[p.begin[s] : p.begin[s + 1]] = False
    right = min(np.sum((kept - marginals) ** 2) for _, kept in choices(p) if not kept[outside].any())
    found = nearest_summary(p, marginals, 2)
    assert np.sum((found - marginals) ** 2) == pytest.approx(right)
    assert p.value(best_summary(p, found)) >= max(p.value(found), 0)


def test_a_problem_without_sentences_has_an_empty_summary():
    none, zeros = np.zeros(0, int), np.zeros(0)
    p = SummaryProblem(np.zeros(1, int), none, none, zeros, zeros, none, none, none, zeros, none, none, 10)
    found = solve(p)
    assert found.value == 0
    assert found.certified
