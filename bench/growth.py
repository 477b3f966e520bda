"""How the time of every tree algorithm grows with the length of the sentence: a fitted exponent beside the theory.

    python bench/growth.py [NAME…]

One thread. The time of a size is the mean over several inputs of the fastest of several runs, which other work on the
machine disturbs least. The largest size of a row has tables of at most 4 MB, so that the slope is the algorithm's and
not that of the memory behind a cache; the smallest is a quarter of it, or a third with four indexes. What a call costs
at n = 2 is taken off first. The dense arborescence, which does little with each entry, ends where its table leaves a
cache of 1 MB; first-order projective marginals begin where they work on logarithms throughout. The allocator keeps its
memory.
"""

from __future__ import annotations

import os
import sys

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
# Tables beyond a threshold would be fresh pages in every call; the C library must be told before it starts.
KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(1 << 30), "MALLOC_TRIM_THRESHOLD_": str(1 << 32)}
if not KEEP_MEMORY.items() <= os.environ.items():
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | KEEP_MEMORY)

import time  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402

import numpy as np  # noqa: E402

from ramify import trees  # noqa: E402
from ramify.trees import projective  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

MATRIX = (160, 320, 640)  # 641² doubles: 3.3 MB
CUBE = (20, 40, 79)  # 80³: 4.1 MB
FOUR = (8, 14, 25)  # 26⁴: 3.7 MB
ARCS_PER_WORD = 8


def arc_scores(n: int, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(n + 1, n + 1))


def arc_list(n: int, rng: np.random.Generator) -> trees.ArcList:
    modifiers = np.repeat(np.arange(1, n + 1), ARCS_PER_WORD)
    heads = (modifiers + rng.integers(1, n + 1, modifiers.size)) % (n + 1)
    heads[::ARCS_PER_WORD] = 0
    keep = heads != modifiers
    keys = np.unique(heads[keep] * (n + 1) + modifiers[keep])
    return trees.ArcList(keys // (n + 1), keys % (n + 1), rng.normal(size=keys.size), n)


def parts(kind: Any, **axes: int) -> Callable[[int, np.random.Generator], Any]:
    def make(n: int, rng: np.random.Generator) -> Any:
        tables = {name: rng.normal(size=(n + 1,) * number) for name, number in axes.items()}
        return kind(arc=arc_scores(n, rng), **tables)

    return make


SIBLING = parts(projective.SiblingParts, sibling=3)
GRANDPARENT = parts(projective.GrandparentParts, grand=3)
GRAND_SIBLING = parts(projective.GrandSiblingParts, grandsib=4)
TRI_SIBLING = parts(projective.TriSiblingParts, trisib=4)

# name, function, input, exponent in theory, sizes
ROWS = [
    ("max_arborescence", trees.max_arborescence, arc_scores, 2, (80, 160, 320)),
    ("max_arborescence of arcs", trees.max_arborescence, arc_list, 1, (500, 1000, 2000)),
    ("log_partition", trees.log_partition, arc_scores, 3, MATRIX),
    ("marginals", trees.marginals, arc_scores, 3, MATRIX),
    ("max_marginals", trees.max_marginals, arc_scores, 3, MATRIX),
    ("projective marginals", projective.marginals, arc_scores, 3, (320, 450, 640)),
    ("projective argmax", projective.max_arborescence, arc_scores, 3, MATRIX),
    ("projective max_marginals", projective.max_marginals, arc_scores, 3, MATRIX),
    ("sibling argmax", projective.max_arborescence, SIBLING, 3, CUBE),
    ("sibling marginals", projective.marginals, SIBLING, 3, CUBE),
    ("grandparent argmax", projective.max_arborescence, GRANDPARENT, 4, CUBE),
    ("grandparent marginals", projective.marginals, GRANDPARENT, 4, CUBE),
    ("grand-sibling argmax", projective.max_arborescence, GRAND_SIBLING, 4, FOUR),
    ("grand-sibling marginals", projective.marginals, GRAND_SIBLING, 4, FOUR),
    ("tri-sibling argmax", projective.max_arborescence, TRI_SIBLING, 4, FOUR),
    ("tri-sibling marginals", projective.marginals, TRI_SIBLING, 4, FOUR),
]


def fastest(call: Callable[[], object], seconds: float = 0.02) -> float:
    best = np.inf
    stop = time.perf_counter() + seconds
    runs = 0
    while time.perf_counter() < stop or runs < 3:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
        runs += 1
    return best


def mean_time(function: Callable[[Any], object], make: Callable[..., Any], n: int, seconds: float = 1.5) -> float:
    """Over as many inputs as fit the time: how much work an input makes depends on it."""
    rng = np.random.default_rng(n)
    times: list[float] = []
    stop = time.perf_counter() + seconds
    while time.perf_counter() < stop or len(times) < 3:
        scores = make(n, rng)
        times.append(fastest(lambda s=scores: function(s)))
    return float(np.mean(times))


def main(wanted: list[str]) -> None:
    print(f"{'':28}{'exponent':>9}{'theory':>8}   milliseconds by n")
    for name, function, make, theory, sizes in ROWS:
        if wanted and not any(word in name for word in wanted):
            continue
        overhead = mean_time(function, make, 2, 0.2)
        times = [mean_time(function, make, n) for n in sizes]
        slope = float(np.polyfit(np.log(sizes), np.log(np.array(times) - overhead), 1)[0])
        cells = "  ".join(f"{n}: {1e3 * t:.3g}" for n, t in zip(sizes, times, strict=True))
        verdict = "" if abs(slope - theory) <= 0.3 else "  (off)"
        print(f"{name:28}{slope:9.2f}{theory:8}   {cells}{verdict}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
