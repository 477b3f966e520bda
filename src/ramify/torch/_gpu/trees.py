"""Log-partition function and marginals of non-projective trees.

The Laplacian is eliminated word after word, as a chain of contractions that never subtract: the weight of the arc from
i to head j grows by that of the way over the eliminated word k. With a single root, the sums of weights leave out the
root, until one word is left, which is the root word. Reverse mode gives the marginals.

The first kernel computes with weights, each row divided by its largest. Where the sums become so small that digits
could be lost, or where the probabilities of the heads of a word do not add up to one, the second kernel repeats the
item with logarithms, which are right for scores of any size.
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
_SMALLEST = 1e-300
_LEAST = -600.0
"""Least logarithm of the product of all sums of weights: with less, a number that underflowed could have mattered."""
_WORKERS = 132
_WARPS = {16: 4, 32: 4, 64: 4, 128: 8}
_REGISTERS = 255


@triton.jit
def _pivot(step, n, last, SINGLE: tl.constexpr):
    """Return the word that a step eliminates: with a single root, `last` at the end; otherwise in their order."""
    word = step + 1
    if SINGLE:
        word = tl.where(step == n - 1, last, word + (word >= last).to(tl.int32))
    return word


@triton.jit
def _add_pairs(a, b, c, d):
    return a + c, b + d


@triton.jit
def _eliminate(
    a, table, rows, columns, sums, scales, when, n, last,
    BLOCK: tl.constexpr, SINGLE: tl.constexpr, SMALLEST: tl.constexpr,
):  # fmt: skip
    """Eliminate all words from the matrix; store the row and the column of each, and the sums."""
    i = tl.arange(0, BLOCK)
    j = tl.arange(0, BLOCK)
    # What a step needs of all threads goes through memory. `table` has the rows where the matrix has them, and columns
    # lie one after the other, so that every store lies as `a` does in its threads.
    cell = j[None, :] * BLOCK + i[:, None]
    line = j[None, :] * 0 + i[:, None]
    first = _pivot(0, n, last, SINGLE)
    tl.store(table + cell, a, mask=i[:, None] == first)
    tl.store(columns + line, a, mask=j[None, :] == first)
    tl.debug_barrier()
    for step in range(n):
        pivot = _pivot(step, n, last, SINGLE)
        remains = when > tl.where(pivot == last, BLOCK, pivot)
        row = tl.where(remains, tl.load(table + j * BLOCK + pivot), 0.0)
        column = tl.load(columns + step * BLOCK + i)
        counted = row
        if SINGLE:
            counted = tl.where((j == 0) & (step < n - 1), 0.0, row)
        s = tl.sum(counted, 0)
        scale = 1.0 / tl.maximum(s, SMALLEST)
        row *= scale
        tl.store(sums + step, s)
        tl.store(scales + step, scale)
        tl.store(rows + step * BLOCK + j, row)
        a += column[:, None] * row[None, :]
        follower = _pivot(step + 1, n, last, SINGLE)
        tl.store(table + cell, a, mask=i[:, None] == follower)
        tl.store(columns + (step + 1) * BLOCK + line, a, mask=j[None, :] == follower)
        tl.debug_barrier()


@triton.jit
def _gradient(table, rows, columns, scales, when, n, last, BLOCK: tl.constexpr, SINGLE: tl.constexpr):
    """Return the gradient of log Z with respect to the weights, from what `_eliminate` stored."""
    i = tl.arange(0, BLOCK)
    j = tl.arange(0, BLOCK)
    # The gradient and its transpose. Both begin with zeros that look like loaded ones, so that the compiler gives each
    # thread whole rows of them, and sums along rows need few exchanges.
    g = tl.load(table + j[None, :] * BLOCK + i[:, None], mask=j[None, :] > BLOCK + n, other=0.0)
    h = g
    for back in range(n):
        step = n - 1 - back
        pivot = _pivot(step, n, last, SINGLE)
        counted = when > tl.where(pivot == last, BLOCK, pivot)
        if SINGLE:
            counted = counted & ((j > 0) | (step == n - 1))
        scale = tl.load(scales + step)
        row = tl.load(rows + step * BLOCK + j)
        column = tl.load(columns + step * BLOCK + i)
        # Of the arcs to the pivot, and of the pivot's own arcs, times the sum.
        into, through = tl.reduce((g * row[None, :], h * column[None, :]), 1, _add_pairs)
        rest = 1.0 - tl.sum(through * row, 0)
        own = (through + tl.where(counted, rest, 0.0)) * scale
        here, there = (i == pivot).to(tl.float64), (j == pivot).to(tl.float64)
        g += here[:, None] * own[None, :]
        g += into[:, None] * there[None, :]
        h += here[:, None] * into[None, :]
        h += own[:, None] * there[None, :]
    return g


@triton.jit
def _with_weights(
    scores, lengths, log_z, marginals, scratch,
    N: tl.constexpr, BLOCK: tl.constexpr, SINGLE: tl.constexpr, SMALLEST: tl.constexpr, LEAST: tl.constexpr,
):  # fmt: skip
    item = tl.program_id(0)
    n = tl.load(lengths + item).to(tl.int32)
    i = tl.arange(0, BLOCK)  # rows: modifiers
    j = tl.arange(0, BLOCK)  # columns: heads
    words = (i >= 1) & (i <= n)
    at = item.to(tl.int64) * N * N + j[None, :] * N + i[:, None]
    legal = words[:, None] & (j[None, :] <= n) & (i[:, None] != j[None, :])
    raw = tl.load(scores + at, mask=legal, other=float("-inf")).to(tl.float64)
    top = tl.max(raw, 1)
    top = tl.where(top == float("-inf"), 0.0, top)
    a = tl.exp(raw - top[:, None])
    inside = (i[:, None] < N) & (j[None, :] < N)
    tl.store(marginals + at, a, mask=inside)
    last = n
    if SINGLE:  # the word that the root is likeliest to have
        roots = tl.sum(tl.where(j[None, :] == 0, a, 0.0), 1)
        last = tl.argmax(tl.where(words, roots, -1.0), 0).to(tl.int32)
    when = tl.where(j == 0, 2 * BLOCK, tl.where(j == last, BLOCK, j))  # the root is never eliminated
    table = scratch + item.to(tl.int64) * (BLOCK + 2 * N + 2) * BLOCK
    rows = table + BLOCK * BLOCK
    columns = rows + N * BLOCK
    sums = columns + N * BLOCK
    scales = sums + BLOCK
    _eliminate(a, table, rows, columns, sums, scales, when, n, last, BLOCK, SINGLE, SMALLEST)
    logs = tl.log(tl.maximum(tl.load(sums + i, mask=i < n, other=1.0), SMALLEST))
    g = _gradient(table, rows, columns, scales, when, n, last, BLOCK, SINGLE)
    found = tl.load(marginals + at, mask=inside, other=0.0) * g
    tl.store(marginals + at, tl.maximum(found, 0.0), mask=inside)
    # Not a number says that the second kernel has to answer.
    certain = tl.abs(tl.sum(found, 1) - 1.0) < 1e-9
    good = (tl.sum(tl.minimum(logs, 0.0), 0) >= LEAST) & (tl.sum((words & ~certain).to(tl.int32), 0) == 0)
    total = tl.sum(tl.where(words, top, 0.0), 0) + tl.sum(logs, 0)
    tl.store(log_z + item, tl.where(good, total, float("nan")))


@triton.jit
def _with_logarithms(
    scores, lengths, log_z, marginals, scratch, count, workers,
    N: tl.constexpr, BLOCK: tl.constexpr, SINGLE: tl.constexpr,
):  # fmt: skip
    worker = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    j = tl.arange(0, BLOCK)
    cell = i[:, None] * BLOCK + j[None, :]
    before_at = scratch + worker.to(tl.int64) * N * (BLOCK * BLOCK + 2)
    pivots_at = before_at + N * BLOCK * BLOCK
    sums_at = pivots_at + N
    for item in range(worker, count, workers):
        known = tl.load(log_z + item)
        if known != known:
            n = tl.load(lengths + item).to(tl.int32)
            base = tl.cast(item, tl.int64) * N * N
            legal = (i[:, None] >= 1) & (i[:, None] <= n) & (j[None, :] <= n) & (i[:, None] != j[None, :])
            a = tl.load(scores + base + j[None, :] * N + i[:, None], mask=legal, other=float("-inf")).to(tl.float64)
            alive = (i >= 1) & (i <= n)
            total = tl.sum(tl.zeros([BLOCK], dtype=tl.float64), 0)
            for step in range(n):
                more = step < n - 1
                tl.store(before_at + step * BLOCK * BLOCK + cell, a)
                counted = a
                if SINGLE:
                    counted = tl.where((j[None, :] == 0) & more, float("-inf"), a)
                sums = log_sum(counted, 1)
                # A row without arcs is still taken before those that are gone.
                order = tl.where(alive, tl.maximum(sums, -1e300), float("-inf"))
                pivot = tl.argmax(order, 0)
                s = tl.max(tl.where(i == pivot, sums, float("-inf")), 0)
                total += s
                tl.store(pivots_at + step, pivot.to(tl.float64))
                tl.store(sums_at + step, s)
                s = tl.where(s == float("-inf"), 0.0, s)
                row = tl.max(tl.where(i[:, None] == pivot, a, float("-inf")), 0) - s
                column = tl.max(tl.where(j[None, :] == pivot, a, float("-inf")), 1)
                alive = alive & (i != pivot)
                a = log_add(a, column[:, None] + row[None, :])
                gone = (i[:, None] == pivot) | (j[None, :] == pivot) | (i[:, None] == j[None, :])
                a = tl.where(gone, float("-inf"), a)
            tl.store(log_z + item, total)
            tl.debug_barrier()
            # The gradient of log Z with respect to the logarithms of the weights; `after` is what a step made.
            g = tl.zeros([BLOCK, BLOCK], dtype=tl.float64)
            after = a
            for back in range(n):
                step = n - 1 - back
                more = step < n - 1
                before = tl.load(before_at + step * BLOCK * BLOCK + cell)
                pivot = tl.load(pivots_at + step).to(tl.int32)
                s = tl.load(sums_at + step)
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
            tl.store(marginals + base + j[None, :] * N + i[:, None], found, mask=inside)
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
    scores, lengths = scores.contiguous(), lengths.to(scores.device).contiguous()
    block = max(16, triton.next_power_of_2(size))
    shape = {"N": size, "BLOCK": block, "SINGLE": single_root, "num_warps": _WARPS[block], "maxnreg": _REGISTERS}
    workers = min(count, _WORKERS if block <= 64 else 32)
    log_z = torch.empty(count, dtype=torch.float64, device=scores.device)
    marginals = torch.empty((count, size, size), dtype=torch.float64, device=scores.device)
    scratch = torch.empty(count * (block + 2 * size + 2) * block, dtype=torch.float64, device=scores.device)
    _with_weights[(count,)](scores, lengths, log_z, marginals, scratch, SMALLEST=_SMALLEST, LEAST=_LEAST, **shape)
    scratch = torch.empty(workers * size * (block * block + 2), dtype=torch.float64, device=scores.device)
    _with_logarithms[(workers,)](scores, lengths, log_z, marginals, scratch, count, workers, **shape)
    return log_z, marginals
