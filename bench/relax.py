"""Relaxed inference against full belief propagation on second-order parsing graphs where few factors matter.

python bench/relax.py [words …]
"""

from __future__ import annotations

import os
import statistics
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from ramify.factors import Pair, Tree
from ramify.graph import FactorGraph
from ramify.inference import BeliefPropagation, Relax

REPEATS = 5
SHARE = 0.01  # of the second-order factors that matter
STRONG = 2.0  # standard deviation of their scores
WEAK = 0.02  # of all others


def second_order_graph(n, rng):
    """A tree on n words, unpruned, with all pairs of siblings and all grandparents."""
    heads, modifiers = (x.ravel() for x in np.meshgrid(np.arange(n + 1), np.arange(1, n + 1), indexing="ij"))
    keep = heads != modifiers
    heads, modifiers = heads[keep], modifiers[keep]
    arc = np.full((n + 1, n + 1), -1)
    arc[heads, modifiers] = np.arange(heads.size)
    graph = FactorGraph()
    z = graph.add_variables(heads.size)
    graph.add(Tree(z, heads, modifiers, n))
    h, m, s = np.meshgrid(np.arange(n + 1), np.arange(1, n + 1), np.arange(1, n + 1), indexing="ij")
    siblings = (h != m) & (h != s) & (m < s)
    g, h2, m2 = np.meshgrid(np.arange(n + 1), np.arange(1, n + 1), np.arange(1, n + 1), indexing="ij")
    grandparents = (g != h2) & (h2 != m2) & (g != m2)
    for first, second in (
        (arc[h, m][siblings], arc[h, s][siblings]),
        (arc[g, h2][grandparents], arc[h2, m2][grandparents]),
    ):
        scores = WEAK * rng.normal(size=first.size)
        strong = rng.random(first.size) < SHARE
        scores[strong] = STRONG * rng.normal(size=int(strong.sum()))
        graph.add(Pair(z[first], z[second], scores))
    return graph, 2.0 * rng.normal(size=heads.size)


def main():
    words = [int(x) for x in sys.argv[1:]] or [20, 30, 40, 50, 60]
    print(
        "times in milliseconds, median; error: mean absolute difference of arc marginals from full belief propagation"
    )
    print(
        f"{'words':>5}{'factors':>9}{'gain':>8}{'full':>9}{'iter.':>6}{'relaxed':>9}{'ratio':>7}{'used':>8}{'rounds':>7}"
        f"{'iter.':>6}{'error':>10}{'largest':>9}"
    )
    for n in words:
        graph, scores = second_order_graph(n, np.random.default_rng(n))
        problem = graph.problem(scores)
        inner = BeliefPropagation(tolerance=1e-3, max_iterations=50)
        methods = {"full": inner, **{gain: Relax(inner=inner, gain=gain) for gain in (1e-3, 1e-4)}}
        seconds = {name: [] for name in methods}
        results = {}
        for _ in range(REPEATS):
            for name, method in methods.items():
                start = time.process_time()
                results[name] = method.solve(problem)
                seconds[name].append(time.process_time() - start)
        times = {name: 1e3 * statistics.median(x) for name, x in seconds.items()}
        full = results.pop("full")
        for gain, result in results.items():
            difference = np.abs(result.marginals - full.marginals)
            print(
                f"{n:5}{graph.num_factors:9}{gain:8.0e}{times['full']:9.1f}{full.iterations:6}{times[gain]:9.1f}"
                f"{times['full'] / times[gain]:7.1f}{result.state.fraction:8.2%}{result.state.rounds:7}"
                f"{result.iterations:6}{difference.mean():10.1e}{difference.max():9.1e}",
                flush=True,
            )


if __name__ == "__main__":
    main()
