from __future__ import annotations

import itertools

import numpy as np

from ramify.summarization.search import Candidates, Limits, search


def problem(seed):
    rng = np.random.default_rng(seed)
    sets = [np.flatnonzero(rng.random(6) < 0.4) for _ in range(7)]
    begin = np.cumsum([0, *(len(s) for s in sets)])
    c = Candidates(
        np.array([0, 0, 1, 2, 3, 3, 4]), rng.integers(1, 5, 7), rng.normal(0, 0.2, 7), begin, np.concatenate(sets),
        np.array([-1, -1, 1, -1, -1]),
    )  # fmt: skip
    return c, sets, rng.random(6)


def value(c, sets, weights, chosen):
    """The score of a choice, by the words of the problem."""
    groups = c.group[list(chosen)]
    if len(set(groups)) < len(groups) or c.lengths[list(chosen)].sum() > 8 or len(groups) > 3:
        return -np.inf
    if 2 in groups and 1 not in groups:
        return -np.inf
    said = set().union(*(sets[k].tolist() for k in chosen)) if chosen else set()
    return c.base[list(chosen)].sum() + weights[list(said)].sum()


def test_search_is_allowed_and_nearly_always_as_good_as_enumeration():
    shares = []
    for seed in range(40):
        c, sets, weights = problem(seed)
        choices = [chosen for size in range(4) for chosen in itertools.combinations(range(7), size)]
        best = max(value(c, sets, weights, chosen) for chosen in choices)
        shares.append(value(c, sets, weights, search(c, weights, Limits(8, 3))) / best)
    assert min(shares) > 0.7
    assert np.mean(shares) > 0.98


def test_nothing_to_choose_from():
    none = np.zeros(0, int)
    assert search(Candidates(none, none, np.zeros(0), np.zeros(1, int), none, none), np.zeros(0), Limits(5)) == []
