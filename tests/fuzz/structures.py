"""Trees, projective trees, chains and statements of logic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.calls import spoilt, strange
from oracles.projective import projective_trees
from oracles.trees import all_trees
from ramify import FactorGraph, _core, trees
from ramify.inference import Exact
from ramify.logic import Index, Theory, at_most_one, exists, exists_one, forall
from ramify.trees import ArcList, projective

if TYPE_CHECKING:
    from fuzz.calls import Recorder


def right_tree(r: Recorder) -> None:
    """All functions on matrices of few words, against the list of all trees."""
    n, single_root = int(r.rng.integers(1, 5)), r.chance(0.5)
    module = r.pick([trees, projective])
    scores = r.rng.normal(scale=float(r.rng.choice([1.0, 100.0])), size=(n + 1, n + 1))
    scores[r.rng.random(scores.shape) < r.pick([0.0, 0.3])] = -np.inf
    legal = projective_trees(n, single_root) if module is projective else all_trees(n, single_root)
    modifiers = np.arange(1, n + 1)
    totals = np.array([scores[np.asarray(heads)[-n:], modifiers].sum() for heads in legal])
    best = totals.max(initial=-np.inf)
    log_z = best + np.log(np.exp(totals - best).sum()) if best > -np.inf else -np.inf
    value = r.right("log_partition", module.log_partition, scores, single_root=single_root)
    r.expect(abs(value - log_z) <= 1e-6 * (1 + abs(log_z)) if log_z > -np.inf else value == -np.inf, "log Z is wrong")
    if best == -np.inf:
        r.call("max_arborescence", module.max_arborescence, scores, single_root=single_root)
        return
    _, found = r.right("max_arborescence", module.max_arborescence, scores, single_root=single_root)
    r.expect(abs(found - best) <= 1e-9 * (1 + abs(best)), f"best tree has {found}, not {best}")
    mu, _ = r.right("marginals", module.marginals, scores, single_root=single_root)
    r.expect(np.isfinite(mu).all() and mu.min() >= 0 and mu.max() <= 1 + 1e-9, "a marginal is not in [0, 1]")
    heads, values = r.right("k_best", module.k_best, scores, 3, single_root=single_root)
    r.expect(len(np.unique(heads, axis=0)) == len(heads) and abs(values[0] - best) <= 1e-9 * (1 + abs(best)), "k best")
    r.right("sample", module.sample, scores, 3, int(r.rng.integers(2**32)), single_root=single_root)


def wrong_tree(r: Recorder) -> None:
    """The same functions with arguments of all kinds."""
    rng = r.rng
    for _ in range(6):
        n = int(rng.integers(0, 6))
        module = r.pick([trees, projective])
        matrix = rng.normal(size=r.pick([(n + 1, n + 1), (3, n + 1, n + 1), (n + 1, n + 2)]))
        scores = r.pick([matrix, spoilt(rng, matrix), _arc_list(r, n), strange(rng)])
        options: dict[str, Any] = {"single_root": r.chance(0.5)}
        if r.chance(0.3):
            options["num_threads"] = r.pick([1, 2, 3, 0, -1, 10**9, strange(rng)])
        if r.chance(0.4):
            options["lengths"] = r.pick([rng.integers(-1, n + 3, 3), strange(rng)])
        name = r.pick(
            [
                "log_partition",
                "max_arborescence",
                "marginals",
                "max_marginals",
                "entropy",
                "mbr",
                "k_best",
                "sample",
                "marginals_vjp",
                "kl_divergence",
                "score",
            ]
        )
        extra: tuple[Any, ...] = ()
        if name in ("k_best", "sample"):
            extra = (r.pick([1, 3, 0, -1, strange(rng)]),)
            options.pop("num_threads", None)
        elif name in ("marginals_vjp", "kl_divergence", "score"):
            extra = (r.pick([matrix, spoilt(rng, matrix), rng.integers(-1, n + 2, n + 1)]),)
        if name in ("mbr", "score"):
            options.pop("lengths", None)
            options.pop("num_threads", None)
        r.call(f"{module.__name__}.{name}", getattr(module, name), scores, *extra, **options)
        heads = r.pick([rng.integers(0, n + 1, n + 1), rng.integers(-2, n + 3, n + 1), strange(rng)])
        ask = r.pick(["is_tree", "is_projective", "crossing_arcs", "gap_degree", "projectivize", "closest_projective"])
        r.call(ask, getattr(projective, ask), heads)


def _arc_list(r: Recorder, n: int) -> Any:
    rng = r.rng
    pairs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m] or [(0, 1)]
    heads, modifiers = np.array(pairs).T
    scores = rng.normal(size=len(pairs))
    arguments = [heads, modifiers, scores, n]
    if r.chance(0.5):
        at = int(rng.integers(4))
        arguments[at] = strange(rng) if at == 3 else spoilt(rng, arguments[at])
    arcs = r.call("ArcList", ArcList, *arguments)
    if arcs is not None and r.chance(0.3):
        for array in (arcs.heads, arcs.modifiers):
            array.setflags(write=True)
            array[int(rng.integers(array.size))] = r.pick([-1, n + 1, 10**8, -(10**8)])
    return arcs


def chain(r: Recorder) -> None:
    """Chains of labels, right and wrong, against enumeration."""
    rng = r.rng
    order, k, n = int(rng.integers(0, 3)), int(rng.integers(1, 4)), int(rng.integers(0, 5))
    scores = rng.normal(size=n * k)
    pairs = rng.normal(size=(k + 1) ** 2 if order else 0)
    triples = rng.normal(size=(k + 1) ** 3 if order == 2 else 0)
    arguments = [order, k, scores, pairs, triples, 2]
    found = r.right("solve_chain", _core.tagging.solve_chain, *arguments)
    if n:
        mu = found[0].marginals()
        r.expect(np.allclose(mu.reshape(n, k).sum(axis=1), 1.0), "marginals of a word do not sum to one")
        best = found[0].best.value
        r.expect(best <= found[0].log_partition + 1e-9, "the best labelling has more than all together")
    for _ in range(4):
        wrong = list(arguments)
        at = int(rng.integers(len(wrong)))
        wrong[at] = spoilt(rng, wrong[at]) if isinstance(wrong[at], np.ndarray) else strange(rng)
        r.call("solve_chain", _core.tagging.solve_chain, *wrong)


def statements(r: Recorder) -> None:
    """Random statements about a small predicate: what is accepted must be solved."""
    graph = FactorGraph()
    theory = Theory(graph)
    i, j = Index("i", 0, int(r.rng.integers(1, 4))), Index("j", 0, int(r.rng.integers(1, 4)))
    p = r.call("predicate", theory.predicate, "p", i, j, where=r.pick([None, i != j, i < j]))
    q = r.call("predicate", theory.predicate, "q", i)
    r.call("predicate", theory.predicate, strange(r.rng), strange(r.rng))
    if p is None or q is None:
        return
    quantify = r.pick([exists, exists_one, at_most_one, forall])
    for make in (
        lambda: quantify(j, p(i, j)),
        lambda: q(i) >> exists(j, p(i, j)),
        lambda: q(i).iff(exists(j, p(i, j))),
        lambda: ~q(i) | p(i, i + r.pick([1, -1])),
        lambda: q(strange(r.rng)),
        lambda: q(i) & q(i + 1),
        lambda: quantify(strange(r.rng), q(i)),
    ):
        if r.chance(0.5):
            formula = r.call("formula", make)
            if formula is not None:
                r.call("add", theory.add, formula)
    result = r.call("solve", graph.solve, Exact(), r.rng.normal(size=graph.num_coordinates))
    r.expect(result is None or not np.isnan(result.marginals).any(), "a marginal is NaN")
