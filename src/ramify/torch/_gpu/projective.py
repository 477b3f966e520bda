"""Log-partition function and marginals of projective trees: Eisner (1996), inside and, in reverse mode, outside.

Spans of one width are computed together, as a tile of spans and places to split them. Their tables lie in global
memory; a barrier separates what writes them from what reads them.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from ramify.torch._gpu.logarithms import log_sum

__all__ = ["MOST", "projective_sums"]

MOST = 127
"""Words of the longest sentence that a program can hold."""
# Tables of an item: complete spans with the head left and right, incomplete ones likewise, and what both share.
_TABLES = 5


@triton.jit
def _add(at, value, mask):
    """Add to places of which no two are the same."""
    tl.store(at, tl.load(at, mask=mask, other=0.0) + value, mask=mask)


@triton.jit
def _eisner(
    scores, lengths, log_z, marginals, tables, gradients,
    N: tl.constexpr, BLOCK: tl.constexpr, SINGLE: tl.constexpr,
):  # fmt: skip
    item = tl.program_id(0)
    n = tl.load(lengths + item)
    forbidden = float("-inf")
    i = tl.arange(0, BLOCK)  # where a span begins
    r = tl.arange(0, BLOCK)  # how many places after it the split is
    score = scores + item.to(tl.int64) * N * N
    found = marginals + item.to(tl.int64) * N * N
    table = tables + item.to(tl.int64) * 5 * N * N
    left, right, to_left, to_right, both = table, table + N * N, table + 2 * N * N, table + 3 * N * N, table + 4 * N * N
    tl.store(left + i * (N + 1), tl.zeros([BLOCK], dtype=tl.float64), mask=i < N)
    tl.store(right + i * (N + 1), tl.zeros([BLOCK], dtype=tl.float64), mask=i < N)
    tl.debug_barrier()
    # left[i, j]: the head is i; right[i, j]: the head is j. to_right[i, j]: arc i -> j; to_left[i, j]: arc j -> i.
    for w in range(1, n + 1):
        j = i + w
        spans = j <= n
        splits = spans[:, None] & (r[None, :] < w)
        k = i[:, None] + r[None, :]
        ways = tl.load(left + i[:, None] * N + k, mask=splits, other=forbidden)
        ways += tl.load(right + (k + 1) * N + j[:, None], mask=splits, other=forbidden)
        if SINGLE:
            ways = tl.where((i[:, None] == 0) & (r[None, :] > 0), forbidden, ways)
        shared = log_sum(ways, 1)
        s_right = tl.load(score + i * N + j, mask=spans, other=forbidden)
        s_left = tl.load(score + j * N + i, mask=spans & (i > 0), other=forbidden)
        tl.store(both + i * N + j, shared, mask=spans)
        tl.store(to_right + i * N + j, shared + s_right, mask=spans)
        tl.store(to_left + i * N + j, shared + s_left, mask=spans)
        tl.debug_barrier()
        ways = tl.load(to_right + i[:, None] * N + k + 1, mask=splits, other=forbidden)
        ways += tl.load(left + (k + 1) * N + j[:, None], mask=splits, other=forbidden)
        tl.store(left + i * N + j, log_sum(ways, 1), mask=spans)
        ways = tl.load(right + i[:, None] * N + k, mask=splits, other=forbidden)
        ways += tl.load(to_left + k * N + j[:, None], mask=splits, other=forbidden)
        tl.store(right + i * N + j, log_sum(ways, 1), mask=spans)
        tl.debug_barrier()
    total = tl.load(left + n)
    tl.store(log_z + item, total)
    # Outside: every span divides its mass among the ways to build it.
    grad = gradients + item.to(tl.int64) * 4 * N * N
    g_left, g_right, g_to_left, g_to_right = grad, grad + N * N, grad + 2 * N * N, grad + 3 * N * N
    tl.store(g_left + n, tl.where(total > forbidden, 1.0, 0.0).to(tl.float64))
    tl.debug_barrier()
    for back in range(n):
        w = n - back
        j = i + w
        spans = j <= n
        splits = spans[:, None] & (r[None, :] < w)
        k = i[:, None] + r[None, :]
        whole = tl.load(left + i * N + j, mask=spans, other=forbidden)
        mass = tl.load(g_left + i * N + j, mask=spans, other=0.0)
        ways = tl.load(to_right + i[:, None] * N + k + 1, mask=splits, other=forbidden)
        ways += tl.load(left + (k + 1) * N + j[:, None], mask=splits, other=forbidden)
        safe = tl.where(whole > forbidden, whole, 0.0)
        share = mass[:, None] * tl.exp(ways - safe[:, None])
        _add(g_to_right + i[:, None] * N + k + 1, share, splits)
        _add(g_left + (k + 1) * N + j[:, None], share, splits & (r[None, :] + 1 < w))
        whole = tl.load(right + i * N + j, mask=spans, other=forbidden)
        mass = tl.load(g_right + i * N + j, mask=spans, other=0.0)
        ways = tl.load(right + i[:, None] * N + k, mask=splits, other=forbidden)
        ways += tl.load(to_left + k * N + j[:, None], mask=splits, other=forbidden)
        safe = tl.where(whole > forbidden, whole, 0.0)
        share = mass[:, None] * tl.exp(ways - safe[:, None])
        _add(g_right + i[:, None] * N + k, share, splits & (r[None, :] > 0))
        _add(g_to_left + k * N + j[:, None], share, splits)
        tl.debug_barrier()
        mass_right = tl.load(g_to_right + i * N + j, mask=spans, other=0.0)
        mass_left = tl.load(g_to_left + i * N + j, mask=spans, other=0.0)
        tl.store(found + i * N + j, mass_right, mask=spans)
        tl.store(found + j * N + i, mass_left, mask=spans & (i > 0))
        whole = tl.load(both + i * N + j, mask=spans, other=forbidden)
        ways = tl.load(left + i[:, None] * N + k, mask=splits, other=forbidden)
        ways += tl.load(right + (k + 1) * N + j[:, None], mask=splits, other=forbidden)
        if SINGLE:
            ways = tl.where((i[:, None] == 0) & (r[None, :] > 0), forbidden, ways)
        safe = tl.where(whole > forbidden, whole, 0.0)
        share = (mass_right + mass_left)[:, None] * tl.exp(ways - safe[:, None])
        _add(g_left + i[:, None] * N + k, share, splits & (r[None, :] > 0))
        _add(g_right + (k + 1) * N + j[:, None], share, splits & (r[None, :] + 1 < w))
        tl.debug_barrier()


def projective_sums(scores: Tensor, lengths: Tensor, single_root: bool) -> tuple[Tensor, Tensor]:
    """Compute log Z and the probability of every arc, as `ramify.torch._gpu.trees.tree_sums`, for projective trees."""
    count, size, _ = scores.shape
    given = scores.to(torch.float64).contiguous()
    sizes = lengths.to(scores.device, torch.int32).contiguous()
    block = max(16, triton.next_power_of_2(size))
    log_z, marginals = given.new_empty(count), torch.zeros_like(given)
    tables = given.new_full((count, _TABLES, size, size), -torch.inf)
    gradients = given.new_zeros(count, 4, size, size)
    _eisner[(count,)](
        given, sizes, log_z, marginals, tables, gradients,
        N=size, BLOCK=block, SINGLE=single_root, num_warps=4 if block <= 32 else 8 if block <= 64 else 16,
    )  # fmt: skip
    return log_z, marginals
