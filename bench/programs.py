"""Formulations of TREE in linear and integer programs against each other, and AD3 against HiGHS, by number of words.

usage: python bench/programs.py [--words 10 20 40] [--sentences 3]
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import statistics
import time

import numpy as np

from ramify import FactorGraph
from ramify.factors import Pair, Tree, TreeFormulation
from ramify.inference import AD3, ILP, LP, Status

TIME_LIMIT = 20.0


def sentence(num_words: int, seed: int, *, pairs: bool) -> tuple[FactorGraph, np.ndarray]:
    """At most eight candidate heads per word; pairs: all siblings and grandparents, with small scores."""
    rng = np.random.default_rng(seed)
    arcs = []
    for m in range(1, num_words + 1):
        others = [h for h in range(1, num_words + 1) if h != m]
        arcs += [(0, m), *((int(h), m) for h in rng.choice(others, min(7, len(others)), replace=False))]
    heads, modifiers = np.array(arcs).T
    graph = FactorGraph()
    x = graph.add_variables(len(arcs))
    graph.add(Tree(x, heads, modifiers, num_words))
    if pairs:
        sibling = (heads[:, None] == heads) & np.triu(np.ones((len(arcs), len(arcs)), dtype=bool), 1)
        grand = modifiers[:, None] == heads
        first, second = np.nonzero(sibling | grand)
        graph.add(Pair(x[first], x[second], rng.normal(size=first.size) * 0.1))
    return graph, rng.normal(size=len(arcs))


def measure(method: type, graphs: list, formulations: list[TreeFormulation]) -> dict[TreeFormulation, str]:
    seconds: dict[TreeFormulation, list[float]] = {f: [] for f in formulations}
    for graph, scores in graphs:
        for formulation in formulations:  # interleaved
            start = time.perf_counter()
            result = graph.solve(method(tree=formulation, time_limit=TIME_LIMIT), scores)
            late = result.status is Status.TIME_LIMIT
            seconds[formulation].append(float("inf") if late else time.perf_counter() - start)
    return {f: statistics.median(s) for f, s in seconds.items()}


def ad3_against_lp(num_words: int, graphs: list) -> None:
    """CPU seconds of AD3 and of the linear program by the default formulation, and how far AD3's bound is off."""
    seconds: dict[str, list[float]] = {"LP": [], "AD3": []}
    off, converged = [], 0
    for graph, scores in graphs:
        results = {}
        for name, method in (("LP", LP(time_limit=TIME_LIMIT)), ("AD3", AD3())):  # interleaved
            start = time.process_time()
            results[name] = graph.solve(method, scores)
            seconds[name].append(time.process_time() - start)
        off.append(results["AD3"].bound - results["LP"].bound)
        converged += results["AD3"].status is not Status.ITERATION_LIMIT
    lp, ad3 = (1000 * statistics.median(seconds[name]) for name in ("LP", "AD3"))
    print(f"{num_words:5}{lp:12.1f}{ad3:12.1f}{lp / ad3:10.1f}{max(off):16.1e}{converged:10}/{len(graphs)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, nargs="+", default=[10, 20, 40])
    parser.add_argument("--sentences", type=int, default=3)
    arguments = parser.parse_args()
    formulations = list(TreeFormulation)
    names = [f.value for f in formulations]
    print(f"median milliseconds of {arguments.sentences} sentences, 8 heads a word; single-commodity LPs are looser")
    columns = "".join(f"{name:>18}" for name in [*names, "multi / cuts"])
    print(f"{'model':<12} {'method':<6} {'words':>5}{columns}")
    for pairs in (False, True):
        for num_words in arguments.words:
            graphs = [sentence(num_words, seed, pairs=pairs) for seed in range(arguments.sentences)]
            for method in (LP, ILP):
                found = measure(method, graphs, formulations)
                ratio = found[TreeFormulation.MULTI_COMMODITY] / found[TreeFormulation.CUTS]
                cells = "".join(f"{1000 * found[f]:18.1f}" for f in formulations)
                model = "second-order" if pairs else "arcs only"
                print(f"{model:<12} {method.__name__:<6} {num_words:5}{cells}{ratio:18.1f}", flush=True)
    print("\nAD3 against the linear program (lazy cuts), second-order: median CPU milliseconds; AD3's bound - LP")
    print(f"{'words':>5}{'LP':>12}{'AD3':>12}{'LP / AD3':>10}{'largest excess':>16}{'settled':>12}")
    for num_words in arguments.words:
        ad3_against_lp(num_words, [sentence(num_words, seed, pairs=True) for seed in range(arguments.sentences)])


if __name__ == "__main__":
    main()
