"""One generator of small random cases per family, each with its own statement of what is legal."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from oracles.enumeration import Enumeration
from ramify.variables import VariableArray

if TYPE_CHECKING:
    from collections.abc import Callable

CASES: dict[type, Callable[[np.random.Generator, int], Case]] = {}
BUILDERS: dict[type, Callable[[list[Any], list[np.ndarray]], F.Factor]] = {}


@dataclass
class Case:
    """One factor: what to build it from, and the enumeration that knows the truth about it."""

    family: type
    spec: Any
    truth: Enumeration
    relaxation: tuple[np.ndarray, float] | None = None  # (costs, capacity) where project() is not on the hull

    def build(self, scores):
        return BUILDERS[self.family]([self.spec], [scores])


def family(cls):
    def register(generate):
        CASES[cls] = generate
        return generate

    return register


def builder(*classes):
    def register(build):
        for cls in classes:
            BUILDERS[cls] = lambda specs, scores, cls=cls: build(cls, specs, scores)
        return build

    return register


def offset_lists(lists):
    """Give the factors of a group different variables."""
    starts = np.cumsum([0] + [len(x) for x in lists])
    return [np.arange(len(x)) + start for x, start in zip(lists, starts, strict=False)]


# --- logic ----------------------------------------------------------------------------------------------------------


@builder(F.ExactlyOne, F.AtMostOne, F.Or, F.OrOut, F.XorOut, F.AndOut, F.Imply, F.Nand)
def build_logic(cls, specs, scores):
    return cls(offset_lists(specs), negated=specs)


def logic(cls, smallest, rule):
    def generate(rng, size):
        negated = rng.random(max(size, smallest)) < rng.choice([0.0, 0.5])

        def parts_of(y):
            literals = [bool(v) != bool(flip) for v, flip in zip(y, negated, strict=True)]
            return [] if rule(literals) else None

        return Case(cls, negated, Enumeration([2] * len(negated), 0, parts_of))

    CASES[cls] = generate


logic(F.ExactlyOne, 1, lambda x: sum(x) == 1)
logic(F.AtMostOne, 1, lambda x: sum(x) <= 1)
logic(F.Or, 1, any)
logic(F.Nand, 1, lambda x: not all(x))
logic(F.OrOut, 2, lambda x: x[-1] == any(x[:-1]))
logic(F.AndOut, 2, lambda x: x[-1] == all(x[:-1]))
logic(F.XorOut, 2, lambda x: sum(x[:-1]) <= 1 and x[-1] == (sum(x[:-1]) == 1))
logic(F.Imply, 2, lambda x: not all(x[:-1]) or x[-1])


# --- counts ---------------------------------------------------------------------------------------------------------


@builder(F.Budget)
def build_budget(cls, specs, scores):
    negated = [s[0] for s in specs]
    return cls(offset_lists(negated), [s[1] for s in specs], specs[0][2], negated)


@family(F.Budget)
def budget_case(rng, size):
    negated = rng.random(size) < rng.choice([0.0, 0.5])
    budget = int(rng.integers(0, size + 1))
    kind = ["at-most", "exactly", "at-least"][rng.integers(3)]
    holds = {
        "at-most": lambda n: n <= budget,
        "exactly": lambda n: n == budget,
        "at-least": lambda n: n >= budget,
    }

    def parts_of(y):
        return [] if holds[kind](sum(int(v != f) for v, f in zip(y, negated, strict=True))) else None

    return Case(F.Budget, (negated, budget, kind), Enumeration([2] * size, 0, parts_of))


@builder(F.Knapsack)
def build_knapsack(cls, specs, scores):
    return cls(offset_lists([s[0] for s in specs]), [s[0] for s in specs], [s[1] for s in specs])


@family(F.Knapsack)
def knapsack_case(rng, size):
    costs = rng.integers(0, 5, size)
    capacity = int(rng.integers(0, costs.sum() + 2))
    truth = Enumeration([2] * size, 0, lambda y: [] if np.dot(costs, y) <= capacity else None)
    return Case(F.Knapsack, (costs, capacity), truth, relaxation=(costs, capacity))


@builder(F.Count)
def build_count(cls, specs, scores):
    return cls(offset_lists([range(n) for n in specs]), scores)


@family(F.Count)
def count_case(rng, size):
    num_scores = int(rng.integers(1, size + 3))
    return Case(F.Count, size, Enumeration([2] * size, num_scores, lambda y: [min(sum(y), num_scores - 1)]))


# --- tables ---------------------------------------------------------------------------------------------------------


@builder(F.Pair)
def build_pair(cls, specs, scores):
    first = 2 * np.arange(len(specs))
    return cls(first, first + 1, np.concatenate(scores))


@family(F.Pair)
def pair_case(rng, size):
    return Case(F.Pair, None, Enumeration([2, 2], 1, lambda y: [0] if y == (1, 1) else []))


def variables_of(specs):
    return [VariableArray(i, k) for i, k in zip(offset_lists(specs), specs, strict=True)]


def random_states(rng, size):
    return [int(k) for k in rng.integers(2, 4, size)]


@builder(F.Table)
def build_table(cls, specs, scores):
    return cls(variables_of(specs), scores)


@family(F.Table)
def table_case(rng, size):
    states = random_states(rng, min(size, 4))
    truth = Enumeration(states, int(np.prod(states)), lambda y: [int(np.ravel_multi_index(y, states))])
    return Case(F.Table, states, truth)


@builder(F.Tag)
def build_tag(cls, specs, scores):
    return cls(VariableArray(np.arange(len(specs)), specs), scores)


@family(F.Tag)
def tag_case(rng, size):
    return Case(F.Tag, size + 1, Enumeration([size + 1], size + 1, list))


@builder(F.TagLink)
def build_tag_link(cls, specs, scores):
    i = 3 * np.arange(len(specs))
    heads, modifiers = (
        VariableArray(i + 1, [s[0] for s in specs]),
        VariableArray(i + 2, [s[1] for s in specs]),
    )
    return cls(i, heads, modifiers, scores)


@family(F.TagLink)
def tag_link_case(rng, size):
    k, m = int(rng.integers(2, 5)), int(rng.integers(2, 5))
    truth = Enumeration([2, k, m], k * m, lambda y: [y[1] * m + y[2]] if y[0] else [])
    return Case(F.TagLink, (k, m), truth)


# --- chains ---------------------------------------------------------------------------------------------------------


@builder(F.Sequence, F.SecondOrderSequence)
def build_sequence(cls, specs, scores):
    return cls(variables_of(specs), scores)


@family(F.Sequence)
def sequence_case(rng, size):
    states = random_states(rng, size)
    start = np.cumsum([0] + [a * b for a, b in itertools.pairwise(states)])

    def parts_of(y):
        return [int(start[i] + y[i] * states[i + 1] + y[i + 1]) for i in range(size - 1)]

    return Case(F.Sequence, states, Enumeration(states, int(start[-1]), parts_of))


@family(F.SecondOrderSequence)
def second_order_case(rng, size):
    states = random_states(rng, size)
    tables = [tuple(states[max(0, i - 2) : i + 1]) for i in range(1, size)]
    start = np.cumsum([0] + [int(np.prod(t)) for t in tables])

    def parts_of(y):
        windows = [y[max(0, i - 2) : i + 1] for i in range(1, size)]
        return [int(s + np.ravel_multi_index(w, t)) for s, w, t in zip(start, windows, tables, strict=False)]

    return Case(F.SecondOrderSequence, states, Enumeration(states, int(start[-1]), parts_of))


@builder(F.HeadBigram)
def build_head_bigram(cls, specs, scores):
    starts = np.cumsum([0] + [sum(s) for s in specs])
    arcs = [np.split(start + np.arange(sum(s)), np.cumsum(s)[:-1]) for start, s in zip(starts, specs, strict=False)]
    return cls(arcs, scores)


@family(F.HeadBigram)
def head_bigram_case(rng, size):
    counts = [int(k) for k in rng.integers(1, 4, min(size, 4))]
    first = np.cumsum([0, *counts])
    start = np.cumsum([0] + [a * b for a, b in itertools.pairwise(counts)])

    def parts_of(y):
        words = [y[a:b] for a, b in itertools.pairwise(first)]
        if any(sum(w) != 1 for w in words):
            return None
        heads = [w.index(1) for w in words]
        return [int(start[i] + heads[i] * counts[i + 1] + heads[i + 1]) for i in range(len(counts) - 1)]

    return Case(F.HeadBigram, counts, Enumeration([2] * sum(counts), int(start[-1]), parts_of))


@builder(F.ConsecutiveSiblings, F.TriSiblings)
def build_siblings(cls, specs, scores):
    return cls(offset_lists([range(n) for n in specs]), scores)


def windows_case(cls, width):
    """Parts are windows of the sequence start, modifiers that are on, stop; in lexicographic order."""

    def generate(rng, size):
        index = {t: i for i, t in enumerate(itertools.combinations(range(size + 2), width))}

        def parts_of(y):
            path = [0, *(j + 1 for j in range(size) if y[j]), size + 1]
            return [index[tuple(path[i : i + width])] for i in range(len(path) - width + 1)]

        return Case(cls, size, Enumeration([2] * size, len(index), parts_of))

    CASES[cls] = generate


windows_case(F.ConsecutiveSiblings, 2)
windows_case(F.TriSiblings, 3)


@builder(F.GrandSiblings, F.GrandTriSiblings)
def build_grand_siblings(cls, specs, scores):
    both = offset_lists([range(g + n) for g, n in specs])
    return cls(
        [x[:g] for x, (g, _) in zip(both, specs, strict=True)],
        [x[g:] for x, (g, _) in zip(both, specs, strict=True)],
        scores,
    )


@family(F.GrandSiblings)
def grand_siblings_case(rng, size):
    heads, size = int(rng.integers(0, 4)), min(size, 4)
    index = {t: i for i, t in enumerate(itertools.combinations(range(size + 2), 2))}

    def parts_of(y):
        if heads and sum(y[:heads]) != 1:
            return None
        base = len(index) * (y.index(1) if heads else 0)
        path = [0, *(j + 1 for j in range(size) if y[heads + j]), size + 1]
        return [base + index[pair] for pair in itertools.pairwise(path)]

    truth = Enumeration([2] * (heads + size), max(heads, 1) * len(index), parts_of)
    return Case(F.GrandSiblings, (heads, size), truth)


@builder(F.GatedSiblings)
def build_gated_siblings(cls, specs, scores):
    return cls(offset_lists([range(1 + n) for n in specs]), scores)


@family(F.GatedSiblings)
def gated_siblings_case(rng, size):
    size = max(size - 1, 1)
    index = {t: i for i, t in enumerate(itertools.combinations(range(size + 2), 2))}

    def parts_of(y):
        path = [0, *(j + 1 for j in range(size) if y[1 + j]), size + 1]
        return [index[pair] for pair in itertools.pairwise(path)] if y[0] else []

    return Case(F.GatedSiblings, size, Enumeration([2] * (1 + size), len(index), parts_of))


@family(F.GrandTriSiblings)
def grand_tri_siblings_case(rng, size):
    heads, size = int(rng.integers(0, 4)), min(size, 4)
    index = {t: 1 + i for i, t in enumerate(itertools.combinations(range(size + 2), 3))}

    def parts_of(y):
        if heads and sum(y[:heads]) != 1:
            return None
        base = (1 + len(index)) * (y.index(1) if heads else 0)
        path = [0, *(j + 1 for j in range(size) if y[heads + j]), size + 1]
        if len(path) == 2:
            return [base]
        return [base + index[tuple(path[i : i + 3])] for i in range(len(path) - 2)]

    truth = Enumeration([2] * (heads + size), max(heads, 1) * (1 + len(index)), parts_of)
    return Case(F.GrandTriSiblings, (heads, size), truth)


@builder(F.CompressionTree)
def build_compression_tree(cls, specs, scores):
    return cls(offset_lists(specs), specs, scores)


@family(F.CompressionTree)
def compression_tree_case(rng, size):
    order = rng.permutation(size)
    heads = np.full(size, -1)
    for i in range(1, size):
        heads[order[i]] = rng.choice([-1, *order[:i]])

    def parts_of(y):
        kept = [1 if h < 0 else y[h] for h in heads]
        if any(on and not head_on for on, head_on in zip(y, kept, strict=True)):
            return None
        return [w for w in range(size) if kept[w] and not y[w]]

    return Case(F.CompressionTree, heads, Enumeration([2] * size, size, parts_of))


# --- trees ----------------------------------------------------------------------------------------------------------


@builder(F.Tree, F.ProjectiveTree)
def build_tree(cls, specs, scores):
    heads, modifiers = [s[0] for s in specs], [s[1] for s in specs]
    return cls(offset_lists(heads), heads, modifiers, [s[2] for s in specs], single_root=specs[0][3])


def is_tree(heads):
    """heads[m - 1] is the head of word m; every word reaches the root."""
    for m in range(1, len(heads) + 1):
        seen = set()
        while m and m not in seen:
            seen.add(m)
            m = heads[m - 1]
        if m:
            return False
    return True


def crosses(a, b):
    (l1, h1), (l2, h2) = sorted(a), sorted(b)
    return l1 < l2 < h1 < h2 or l2 < l1 < h2 < h1


def tree_case(cls, projective):
    def generate(rng, size):
        num_words = min(size, 3)
        single_root = bool(rng.integers(2))
        arcs = [(h, m) for h in range(num_words + 1) for m in range(1, num_words + 1) if h != m]
        if rng.integers(2):
            arcs = [arc for arc in arcs if rng.random() < 0.8] or arcs
        arcs = [arcs[i] for i in rng.permutation(len(arcs))]

        def parts_of(y):
            on = [arc for arc, state in zip(arcs, y, strict=True) if state]
            heads = {m: h for h, m in on}
            if len(on) != num_words or len(heads) != num_words:
                return None
            if not is_tree([heads[m] for m in range(1, num_words + 1)]):
                return None
            if single_root and sum(h == 0 for h, _ in on) != 1:
                return None
            if projective and any(crosses(a, b) for a, b in itertools.combinations(on, 2)):
                return None
            return []

        heads, modifiers = np.array([h for h, _ in arcs]), np.array([m for _, m in arcs])
        truth = Enumeration([2] * len(arcs), 0, parts_of)
        return Case(cls, (heads, modifiers, num_words, single_root), truth)

    CASES[cls] = generate


tree_case(F.Tree, projective=False)
tree_case(F.ProjectiveTree, projective=True)


@builder(F.NoCross)
def build_no_cross(cls, specs, scores):
    both = offset_lists([s[0] + s[2] for s in specs])
    cut = [len(s[0]) for s in specs]
    return cls(
        [x[:c] for x, c in zip(both, cut, strict=True)],
        [s[0] for s in specs],
        [s[1] for s in specs],
        [x[c:] for x, c in zip(both, cut, strict=True)],
        [s[2] for s in specs],
        [s[3] for s in specs],
        np.concatenate(scores),
    )


@family(F.NoCross)
def no_cross_case(rng, size):
    num_words = size + 2
    j, other = (int(w) for w in rng.choice(np.arange(1, num_words + 1), 2, replace=False))
    candidates = []
    for word in (j, other):
        heads = [h for h in range(num_words + 1) if h != word]
        keep = rng.choice(heads, int(rng.integers(1, min(len(heads), 5) + 1)), replace=False)
        candidates.append([int(h) for h in keep])

    def parts_of(y):
        first, second = y[: len(candidates[0])], y[len(candidates[0]) :]
        if sum(first) != 1 or sum(second) != 1:
            return None
        i, k = candidates[0][first.index(1)], candidates[1][second.index(1)]
        return [0] if crosses((i, j), (k, other)) else []

    truth = Enumeration([2] * (len(candidates[0]) + len(candidates[1])), 1, parts_of)
    return Case(F.NoCross, (candidates[0], j, candidates[1], other), truth)


# --- written in Python ----------------------------------------------------------------------------------------------


@builder(F.UserFactor)
def build_user(cls, specs, scores):
    return cls(variables_of([s[0] for s in specs]), [s[1] for s in specs], scores)


class BruteForce:
    """A user's factor with everything optional, by listing what is allowed."""

    def __init__(self, truth):
        self._truth = truth

    def argmax(self, q, scores):
        totals = self._truth.totals(q, scores)
        return None if totals.max() == -np.inf else self._truth.assignments[int(totals.argmax())]

    def parts(self, y):
        return self._truth.parts[self._truth.assignments.index(tuple(y.tolist()))]

    def marginals(self, q, scores):
        log_z = self._truth.log_partition(q, scores)
        if log_z == -np.inf:
            return log_z, np.zeros(q.size), np.zeros(scores.size)
        return log_z, *self._truth.marginals(q, scores)

    def score(self, y, scores):
        if tuple(y.tolist()) not in self._truth.assignments:
            return -np.inf
        return scores[self.parts(y) == 1].sum()


@family(F.UserFactor)
def user_case(rng, size):
    case = sequence_case(rng, size)
    states = case.spec
    allowed = {y for y in case.truth.assignments if rng.random() < 0.7} | {case.truth.assignments[0]}
    parts_of = case.truth.parts_of
    truth = Enumeration(states, case.truth.num_parts, lambda y: parts_of(y) if y in allowed else None)
    return Case(F.UserFactor, (states, BruteForce(truth)), truth)
