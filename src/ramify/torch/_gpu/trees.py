"""Log-partition function and marginals of non-projective trees.

The Laplacian is eliminated word after word, as a chain of contractions that never subtract: the weight of the arc from
i to head j grows by that of the way over the eliminated word k. With a single root, the sums of weights leave out the
root, until one word is left, which is the root word. Reverse mode gives the marginals.

The first kernel computes with weights, each row divided by its largest. Where a sum becomes so small that digits could
be lost, the second kernel repeats the item with logarithms, which are right for scores of any size.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from ramify.torch._gpu.logarithms import log_add, log_sum

__all__ = ["MOST", "tree_sums"]

MOST = 127
"""Words of the longest sentence that a program can hold."""
_WORKERS = 132
_SMALLEST = 1e-200
"""Sums of weights below this one could have lost digits."""


@triton.jit
def _with_weights(
    scores, lengths, log_z, marginals, again, rows_at, columns_at, pivots_at, sums_at,
    N: tl.constexpr, BLOCK: tl.constexpr, SINGLE: tl.constexpr, SMALLEST: tl.constexpr,
):  # fmt: skip
    item = tl.program_id(0)
    n = tl.load(lengths + item)
    i = tl.arange(0, BLOCK)  # rows: modifiers
    j = tl.arange(0, BLOCK)  # columns: heads
    base = item.to(tl.int64) * N * N
    legal = (i[:, None] >= 1) & (i[:, None] <= n) & (j[None, :] <= n) & (i[:, None] != j[None, :])
    raw = tl.load(scores + base + j[None, :] * N + i[:, None], mask=legal, other=float("-inf"))
    top = tl.max(raw, 1)
    top = tl.where(top == float("-inf"), 0.0, top)
    start = tl.exp(raw - top[:, None])
    a = start
    total = tl.sum(tl.where((i >= 1) & (i <= n), top, 0.0), 0)
    alive = (i >= 1) & (i <= n)
    low = tl.sum(tl.zeros([BLOCK], dtype=tl.float64), 0) + 1.0
    steps = item.to(tl.int64) * N
    for step in range(n):
        more = step < n - 1
        counted = a
        if SINGLE:
            counted = tl.where((j[None, :] == 0) & more, 0.0, a)
        sums = tl.where(alive, tl.sum(counted, 1), -1.0)
        pivot = tl.argmax(sums, 0)
        s = tl.max(sums, 0)
        low = tl.minimum(low, s)
        s = tl.maximum(s, SMALLEST)
        total += tl.log(s)
        row = tl.sum(tl.where(i[:, None] == pivot, a, 0.0), 0) / s
        column = tl.sum(tl.where(j[None, :] == pivot, a, 0.0), 1)
        tl.store(rows_at + (steps + step) * BLOCK + j, row)
        tl.store(columns_at + (steps + step) * BLOCK + i, column)
        tl.store(pivots_at + steps + step, pivot.to(tl.int32))
        tl.store(sums_at + steps + step, s)
        alive = alive & (i != pivot)
        a = a + column[:, None] * row[None, :]
        gone = (i[:, None] == pivot) | (j[None, :] == pivot) | (i[:, None] == j[None, :])
        a = tl.where(gone, 0.0, a)
    tl.store(log_z + item, total)
    tl.store(again + item, (low < SMALLEST).to(tl.int32))
    tl.debug_barrier()
    # The gradient of log Z with respect to the weights.
    g = tl.zeros([BLOCK, BLOCK], dtype=tl.float64)
    for back in range(n):
        step = n - 1 - back
        more = step < n - 1
        row = tl.load(rows_at + (steps + step) * BLOCK + j)
        column = tl.load(columns_at + (steps + step) * BLOCK + i)
        pivot = tl.load(pivots_at + steps + step)
        s = tl.load(sums_at + steps + step)
        into = tl.sum(g * row[None, :], 1)  # of the arcs to the pivot
        through = tl.sum(g * column[:, None], 0)  # of the pivot's own arcs, times the sum
        rest = 1.0 - tl.sum(through * row, 0)
        counted = tl.full([BLOCK], 1.0, dtype=tl.float64)
        if SINGLE:
            counted = tl.where((j == 0) & more, 0.0, 1.0)
        own = (through + rest * counted) / s
        g = tl.where(i[:, None] == pivot, own[None, :], tl.where(j[None, :] == pivot, into[:, None], g))
        g = tl.where(i[:, None] == j[None, :], 0.0, g)
    found = tl.maximum(tl.where(start > 0, start * g, 0.0), 0.0)
    inside = (i[:, None] < N) & (j[None, :] < N)
    tl.store(marginals + base + j[None, :] * N + i[:, None], found, mask=inside)


@triton.jit
def _with_logarithms(
    scores, lengths, log_z, marginals, again, before_at, pivots_at, sums_at, count, workers,
    N: tl.constexpr, BLOCK: tl.constexpr, SINGLE: tl.constexpr,
):  # fmt: skip
    worker = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    j = tl.arange(0, BLOCK)
    cell = i[:, None] * BLOCK + j[None, :]
    own = worker.to(tl.int64) * N
    for item in range(worker, count, workers):
        wanted = tl.load(again + item)
        n = tl.load(lengths + item) * wanted
        base = tl.cast(item, tl.int64) * N * N
        legal = (i[:, None] >= 1) & (i[:, None] <= n) & (j[None, :] <= n) & (i[:, None] != j[None, :])
        a = tl.load(scores + base + j[None, :] * N + i[:, None], mask=legal, other=float("-inf"))
        alive = (i >= 1) & (i <= n)
        total = tl.sum(tl.zeros([BLOCK], dtype=tl.float64), 0)
        for step in range(n):
            more = step < n - 1
            tl.store(before_at + (own + step) * BLOCK * BLOCK + cell, a)
            counted = a
            if SINGLE:
                counted = tl.where((j[None, :] == 0) & more, float("-inf"), a)
            sums = log_sum(counted, 1)
            # A row without arcs is still taken before those that are gone.
            order = tl.where(alive, tl.maximum(sums, -1e300), float("-inf"))
            pivot = tl.argmax(order, 0)
            s = tl.max(tl.where(i == pivot, sums, float("-inf")), 0)
            total += s
            tl.store(pivots_at + own + step, pivot.to(tl.int32))
            tl.store(sums_at + own + step, s)
            s = tl.where(s == float("-inf"), 0.0, s)
            row = tl.max(tl.where(i[:, None] == pivot, a, float("-inf")), 0) - s
            column = tl.max(tl.where(j[None, :] == pivot, a, float("-inf")), 1)
            alive = alive & (i != pivot)
            a = log_add(a, column[:, None] + row[None, :])
            gone = (i[:, None] == pivot) | (j[None, :] == pivot) | (i[:, None] == j[None, :])
            a = tl.where(gone, float("-inf"), a)
        if wanted > 0:
            tl.store(log_z + item, total)
        tl.debug_barrier()
        # The gradient of log Z with respect to the logarithms of the weights; `after` is what a step made.
        g = tl.zeros([BLOCK, BLOCK], dtype=tl.float64)
        after = a
        for back in range(n):
            step = n - 1 - back
            more = step < n - 1
            before = tl.load(before_at + (own + step) * BLOCK * BLOCK + cell)
            pivot = tl.load(pivots_at + own + step)
            s = tl.load(sums_at + own + step)
            s = tl.where(s == float("-inf"), 0.0, s)
            row = tl.max(tl.where(i[:, None] == pivot, before, float("-inf")), 0) - s
            column = tl.max(tl.where(j[None, :] == pivot, before, float("-inf")), 1)
            reached = after > float("-inf")
            safe = tl.where(reached, after, 0.0)
            way = tl.where(reached, g * tl.exp(column[:, None] + row[None, :] - safe), 0.0)
            kept = tl.where(reached, g * tl.exp(before - safe), 0.0)
            into = tl.sum(way, 1)
            through = tl.sum(way, 0)
            rest = 1.0 - tl.sum(through, 0)
            share = tl.exp(row)
            if SINGLE:
                share = tl.where((j == 0) & more, 0.0, share)
            mine = through + rest * share
            g = tl.where(i[:, None] == pivot, mine[None, :], tl.where(j[None, :] == pivot, into[:, None], kept))
            g = tl.where(i[:, None] == j[None, :], 0.0, g)
            after = before
        inside = (i[:, None] < N) & (j[None, :] < N)
        found = tl.where(total > float("-inf"), tl.maximum(g, 0.0), 0.0)
        tl.store(marginals + base + j[None, :] * N + i[:, None], found, mask=inside & (wanted > 0))
        tl.debug_barrier()


def tree_sums(scores: Tensor, lengths: Tensor, single_root: bool) -> tuple[Tensor, Tensor]:
    """Compute log Z and the probability of every arc.

    Parameters
    ----------
    scores : float tensor of shape (batch, n + 1, n + 1), indexed [head, modifier], n at most `MOST`
    lengths : int tensor of shape (batch,)
    single_root : whether exactly one word must have the root as its head

    Returns
    -------
    double tensors of shape (batch,) and (batch, n + 1, n + 1); −inf and zeros where there is no tree
    """
    count, size, _ = scores.shape
    given = scores.to(torch.float64).contiguous()
    sizes = lengths.to(scores.device, torch.int32).contiguous()
    block = max(16, triton.next_power_of_2(size))
    warps = 4 if block <= 32 else 8 if block <= 64 else 16
    log_z, marginals = given.new_empty(count), torch.empty_like(given)
    again = sizes.new_empty(count)
    rows, columns = given.new_empty(count, size, block), given.new_empty(count, size, block)
    pivots, sums = sizes.new_empty(count, size), given.new_empty(count, size)
    shape = {"N": size, "BLOCK": block, "SINGLE": single_root, "num_warps": warps}
    _with_weights[(count,)](
        given, sizes, log_z, marginals, again, rows, columns, pivots, sums, SMALLEST=_SMALLEST, **shape
    )  # fmt: skip
    workers = min(count, _WORKERS if block <= 64 else 32)
    before = given.new_empty(workers, size, block, block)
    _with_logarithms[(workers,)](
        given, sizes, log_z, marginals, again, before, pivots, sums, count, workers, **shape
    )  # fmt: skip
    return log_z, marginals
