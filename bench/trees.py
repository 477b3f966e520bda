"""Speed of the non-projective tree algorithms: one thread, medians of interleaved runs, ratios.

Run: python bench/trees.py. Competitors, skipped where not installed: networkx, ufal.chu_liu_edmonds.
"""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import time  # noqa: E402
from typing import TYPE_CHECKING  # noqa: E402

import numpy as np  # noqa: E402

from ramify import trees  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable


def medians(calls: dict[str, Callable[[], object]], seconds: float = 1.0) -> dict[str, float]:
    """Median seconds per call, the competitors taking turns so that they share the machine's moods."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    stop = time.perf_counter() + seconds
    while time.perf_counter() < stop or len(next(iter(times.values()))) < 3:
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: float(np.median(values)) for name, values in times.items()}


def numpy_marginals(scores: np.ndarray, with_log_z: bool = True) -> tuple[np.ndarray, np.ndarray | None]:
    """The textbook version, vectorised over a batch: inverse of the Laplacian. Not stable."""
    weights = np.exp(scores - scores[:, :, 1:].max(axis=(1, 2), keepdims=True))
    n = scores.shape[1] - 1
    diagonal = np.arange(n + 1)
    weights[:, diagonal, diagonal] = 0.0
    laplacian = -weights[:, 1:, 1:]
    words = np.arange(n)
    laplacian[:, words, words] = weights[:, :, 1:].sum(axis=1)
    inverse = np.linalg.inv(laplacian)
    own = inverse[:, words, words]
    result = np.zeros_like(scores)
    result[:, 0, 1:] = weights[:, 0, 1:] * own
    result[:, 1:, 1:] = weights[:, 1:, 1:] * (own[:, np.newaxis, :] - inverse.transpose(0, 2, 1))
    return result, np.linalg.slogdet(laplacian)[1] if with_log_z else None


def numpy_marginals_only(scores: np.ndarray) -> np.ndarray:
    """The same without log Z, which costs a second factorisation."""
    return numpy_marginals(scores, with_log_z=False)[0]


def bench_marginals() -> None:
    print("marginals against numpy.linalg.inv (bars: n=20 3x, n=40 1x, n=80 0.5x)")
    rng = np.random.default_rng(0)
    for n in (20, 40, 80):
        for batch in (1, 64):
            scores = rng.normal(size=(batch, n + 1, n + 1))
            mine, _ = trees.marginals(scores)
            np.testing.assert_allclose(mine, numpy_marginals(scores)[0], atol=1e-9)
            found = medians(
                {
                    "ramify": lambda s=scores: trees.marginals(s),
                    "numpy": lambda s=scores: numpy_marginals(s),
                    "numpy without log Z": lambda s=scores: numpy_marginals_only(s),
                }
            )
            per_item = {name: 1e6 * value / batch for name, value in found.items()}
            print(
                f"  n={n:3d} batch={batch:3d}  ramify {per_item['ramify']:8.1f} us  "
                f"numpy {per_item['numpy']:8.1f} us "
                f"({found['numpy'] / found['ramify']:5.2f}x)  "
                f"without log Z {per_item['numpy without log Z']:8.1f} us "
                f"({found['numpy without log Z'] / found['ramify']:5.2f}x)"
            )
    print("  other modes at n=40, us:", end="")
    scores = rng.normal(size=(16, 41, 41))
    modes = {
        "single root": lambda: trees.marginals(scores, single_root=True),
        "log_partition": lambda: trees.log_partition(scores),
        "vjp": lambda: trees.marginals_vjp(scores, scores),
        "sigma 1e4 (extended)": lambda s=scores * 1e4: trees.marginals(s),
    }
    print(", ".join(f" {name} {1e6 * value / 16:.0f}" for name, value in medians(modes).items()))


def networkx_call(scores: np.ndarray) -> Callable[[], object] | None:
    try:
        import networkx as nx
    except ImportError:
        return None
    graph = nx.DiGraph()
    n = len(scores) - 1
    graph.add_weighted_edges_from((h, m, scores[h, m]) for h in range(n + 1) for m in range(1, n + 1) if h != m)
    return lambda: nx.maximum_spanning_arborescence(graph)


def ufal_call(scores: np.ndarray) -> Callable[[], object] | None:
    try:
        from ufal.chu_liu_edmonds import chu_liu_edmonds
    except ImportError:
        return None
    # Theirs is indexed [modifier, head] and marks what is not allowed with NaN.
    matrix = np.ascontiguousarray(scores.T.copy())
    matrix[0] = np.nan
    np.fill_diagonal(matrix, np.nan)
    return lambda: chu_liu_edmonds(matrix)


def bench_arborescence() -> None:
    print("maximum arborescence (bars: networkx 1000x, fastest on PyPI 1x)")
    rng = np.random.default_rng(1)
    for n in (20, 40, 80):
        scores = rng.normal(size=(n + 1, n + 1))
        batch = rng.normal(size=(64, n + 1, n + 1))
        calls: dict[str, Callable[[], object]] = {
            "ramify": lambda s=scores: trees.max_arborescence(s),
            "ramify single root": lambda s=scores: trees.max_arborescence(s, single_root=True),
            "ramify batch of 64": lambda b=batch: trees.max_arborescence(b),
        }
        ufal = ufal_call(scores)
        if ufal is not None:
            assert np.array_equal(np.asarray(ufal()[0])[1:], trees.max_arborescence(scores)[0][1:])
            calls["ufal.chu_liu_edmonds"] = ufal
        found = medians(calls)
        networkx = networkx_call(scores)
        if networkx is not None and n <= 40:
            found["networkx"] = medians({"networkx": networkx}, 0.5)["networkx"]
        found["ramify batch of 64"] /= 64
        print(f"  n={n:3d}  " + ", ".join(f"{name} {1e6 * value:.1f} us" for name, value in found.items()))
        for name in ("ufal.chu_liu_edmonds", "networkx"):
            if name in found:
                single, batched = found[name] / found["ramify"], found[name] / found["ramify batch of 64"]
                print(f"         {name}: {single:.1f}x one call, {batched:.1f}x in a batch")


def bench_max_marginals() -> None:
    print("all max-marginals against one arborescence per arc (bar: n=40 20x)")
    rng = np.random.default_rng(2)
    for n in (20, 40):
        scores = rng.normal(size=(n + 1, n + 1))
        arcs = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
        constrained = np.repeat(scores[np.newaxis], len(arcs), axis=0)
        for matrix, (h, m) in zip(constrained, arcs, strict=True):
            matrix[:, m] = -np.inf
            matrix[h, m] = scores[h, m]
        for single_root in (False, True):
            found = medians(
                {
                    "all": lambda s=scores, r=single_root: trees.max_marginals(s, single_root=r),
                    "each": lambda c=constrained, r=single_root: trees.max_arborescence(c, single_root=r),
                }
            )
            print(
                f"  n={n:3d} single_root={single_root!s:5}  all at once {1e6 * found['all']:8.1f} us, "
                f"one by one (a batch in C++) {1e6 * found['each']:9.1f} us: "
                f"{found['each'] / found['all']:.1f}x"
            )


if __name__ == "__main__":
    bench_marginals()
    bench_arborescence()
    bench_max_marginals()
