"""Projective trees: Eisner marginals against inside-outside in torch.

usage: python bench/projective.py            (needs torch)

One thread, competitors interleaved, medians. The bar: at n = 40, at least 50 times faster than torch at batch 1 and 5
times at batch 64.
"""

from __future__ import annotations

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import time  # noqa: E402

import numpy as np  # noqa: E402

from ramify.trees import projective  # noqa: E402

try:
    import torch
except ImportError:
    torch = None


def torch_marginals(scores):
    """Inside pass in the log semiring, vectorised over the spans of a width and their splits; marginals by autograd.

    scores : (batch, n+1, n+1) [head, modifier]. Charts are (batch, word, width), listed by the left or the right end of
    the span, so that each width is three calls of logsumexp on slices.
    """
    scores = torch.as_tensor(scores).requires_grad_()
    batch, size, _ = scores.shape

    def by_left(values, w):
        return torch.nn.functional.pad(values, (0, w))[:, :, None]

    def by_right(values, w):
        return torch.nn.functional.pad(values, (w, 0))[:, :, None]

    start = torch.zeros(batch, size, 1, dtype=scores.dtype)
    right_l = right_r = left_l = left_r = start
    arc_right = arc_left = start[:, :, :0]
    root = torch.zeros(size, dtype=scores.dtype)
    root[0] = -1e300
    for w in range(1, size):
        spans = size - w
        inner = torch.logsumexp(right_l[:, :spans] + left_r[:, w:].flip(2), 2)
        arc_right = torch.cat([arc_right, by_left(inner + torch.diagonal(scores, w, 1, 2), w)], 2)
        to_left = torch.diagonal(scores, -w, 1, 2) + root[:spans]
        arc_left = torch.cat([arc_left, by_right(inner + to_left, w)], 2)
        right = torch.logsumexp(arc_right[:, :spans] + right_r[:, w:].flip(2), 2)
        left = torch.logsumexp(left_l[:, :spans].flip(2) + arc_left[:, w:], 2)
        right_l, right_r = torch.cat([right_l, by_left(right, w)], 2), torch.cat([right_r, by_right(right, w)], 2)
        left_l, left_r = torch.cat([left_l, by_left(left, w)], 2), torch.cat([left_r, by_right(left, w)], 2)
    log_z = right_l[:, 0, -1]
    (grad,) = torch.autograd.grad(log_z.sum(), scores)
    return grad.numpy(), log_z.detach().numpy()


def medians(competitors, turns, least=0.02):
    """Median seconds per call of each competitor; they take turns, and a turn is calls for at least `least` seconds."""
    times = [[] for _ in competitors]
    for _ in range(turns):
        for taken, run in zip(times, competitors, strict=True):
            calls, start = 0, time.perf_counter()
            while calls == 0 or time.perf_counter() - start < least:
                run()
                calls += 1
            taken.append((time.perf_counter() - start) / calls)
    return [float(np.median(taken)) for taken in times]


def against_torch():
    print("Eisner marginals, n = 40      batch   scale     ramify ms      torch ms     ratio")
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    for batch, repeats in ((1, 15), (64, 5)):
        for scale in (1.0, 50.0):
            scores = rng.normal(size=(batch, 41, 41)) * scale
            ours, theirs = projective.marginals(scores), torch_marginals(scores)
            np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9)
            np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-10)
            run = (lambda s=scores: projective.marginals(s)), (lambda s=scores: torch_marginals(s))
            fast, slow = medians(run, repeats)
            print(f"{batch:35d} {scale:7g} {fast * 1e3:13.3f} {slow * 1e3:13.2f} {slow / fast:9.1f}")


if __name__ == "__main__":
    if torch is None:
        print("torch is not installed: no comparison")
    else:
        against_torch()
