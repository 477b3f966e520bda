"""Building a graph from arrays: seconds and bytes per factor on one core."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import resource
import statistics
import subprocess
import sys
import time

import numpy as np

from ramify import FactorGraph
from ramify.factors import ExactlyOne, Pair, Table


def build(kind: str, num_factors: int) -> tuple[float, float]:
    """Seconds, and bytes per factor above what the input arrays take."""
    rng = np.random.default_rng(0)
    num_variables = num_factors // 10
    first = rng.integers(0, num_variables, num_factors)
    second = (first + rng.integers(1, num_variables, num_factors)) % num_variables
    scores = rng.normal(size=num_factors * (4 if kind == "Table" else 1))
    both = np.stack([first, second], axis=1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    graph = FactorGraph()
    x = graph.add_variables(num_variables)
    if kind == "Pair":
        graph.add(Pair(x[first], x[second], scores))
    elif kind == "Table":
        graph.add(Table(x[both], scores))
    else:
        graph.add(ExactlyOne(x[both]))
    graph.freeze()
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return seconds, (after - before) * 1024 / num_factors


def main() -> None:
    if len(sys.argv) > 1:
        print(*build(sys.argv[1], int(sys.argv[2])))
        return
    num_factors = 1_000_000
    print(f"{num_factors:,} factors of two variables, built from arrays and frozen (median of 3 processes)")
    print(f"{'family':<12} {'seconds':>8} {'peak bytes/factor':>18}")
    for kind in ("Pair", "ExactlyOne", "Table"):
        runs = []
        for _ in range(3):  # a process each: peak memory never falls
            done = subprocess.run([sys.executable, __file__, kind, str(num_factors)], capture_output=True, check=True)
            runs.append([float(word) for word in done.stdout.split()])
        seconds, size = (statistics.median(column) for column in zip(*runs, strict=True))
        print(f"{kind:<12} {seconds:8.3f} {size:18.0f}")


if __name__ == "__main__":
    main()
