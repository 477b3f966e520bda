"""Log-partition function and marginals of chains of labels: forward–backward."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from ramify.torch._gpu.logarithms import log_sum

__all__ = ["MOST", "chain_sums"]

MOST = 128
"""Labels that a program can hold."""


@triton.jit
def _forward_backward(
    labels, pairs, lengths, log_z, found_labels, found_pairs, forward,
    N: tl.constexpr, K: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    item = tl.program_id(0)
    n = tl.load(lengths + item)
    forbidden = float("-inf")
    a = tl.arange(0, BLOCK)  # a label
    b = tl.arange(0, BLOCK)  # the next one
    own = item.to(tl.int64) * N * K
    own_pairs = item.to(tl.int64) * (N - 1) * K * K
    table = a[:, None] * K + b[None, :]
    square = (a[:, None] < K) & (b[None, :] < K)
    alpha = tl.load(labels + own + b, mask=b < K, other=forbidden)
    tl.store(forward + own + b, alpha, mask=b < K)
    tl.debug_barrier()
    for t in range(1, n):
        before = tl.load(forward + own + (t - 1) * K + a, mask=a < K, other=forbidden)
        step = tl.load(pairs + own_pairs + (t - 1) * K * K + table, mask=square, other=forbidden)
        alpha = log_sum(before[:, None] + step, 0)
        alpha += tl.load(labels + own + t * K + b, mask=b < K, other=forbidden)
        tl.store(forward + own + t * K + b, alpha, mask=b < K)
        tl.debug_barrier()
    top = tl.max(alpha, 0)
    top = tl.where(top == forbidden, 0.0, top)
    total = top + tl.log(tl.sum(tl.exp(alpha - top), 0))
    tl.store(log_z + item, total)
    safe = tl.where(total == forbidden, 0.0, total)  # where nothing is possible, all below is exp(−inf)
    last = tl.load(forward + own + (n - 1) * K + b, mask=b < K, other=forbidden)
    tl.store(found_labels + own + (n - 1) * K + b, tl.exp(last - safe), mask=b < K)
    beta = tl.zeros([BLOCK], dtype=tl.float64)  # of the label b
    for back in range(1, n):
        t = n - 1 - back
        before = tl.load(forward + own + t * K + a, mask=a < K, other=forbidden)
        step = tl.load(pairs + own_pairs + t * K * K + table, mask=square, other=forbidden)
        step += tl.load(labels + own + (t + 1) * K + b, mask=b < K, other=forbidden)[None, :] + beta[None, :]
        both = tl.exp(before[:, None] + step - safe)
        tl.store(found_pairs + own_pairs + t * K * K + table, both, mask=square)
        tl.store(found_labels + own + t * K + a, tl.sum(both, 1), mask=a < K)
        # The sum belongs to the label a; the next step wants it as one of b.
        sums = log_sum(step, 1)
        beta = tl.max(tl.where(a[:, None] == b[None, :], sums[:, None], forbidden), 0)


def chain_sums(labels: Tensor, pairs: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Compute log Z, and the probabilities of labels and of pairs of neighbouring labels.

    Parameters
    ----------
    labels : float tensor of shape (batch, n, k), k at most `MOST`
    pairs : float tensor of shape (batch, n − 1, k, k)
    lengths : int tensor of shape (batch,)

    Returns
    -------
    double tensors of shape (batch,), (batch, n, k) and (batch, n − 1, k, k); −inf and zeros where nothing is possible
    """
    count, n, k = labels.shape
    given, steps = labels.to(torch.float64).contiguous(), pairs.to(torch.float64).contiguous()
    sizes = lengths.to(labels.device, torch.int32).contiguous()
    log_z, found, found_pairs = given.new_empty(count), torch.zeros_like(given), torch.zeros_like(steps)
    block = max(16, triton.next_power_of_2(k))
    _forward_backward[(count,)](
        given, steps, sizes, log_z, found, found_pairs, torch.empty_like(given),
        N=n, K=k, BLOCK=block, num_warps=4 if block <= 64 else 8,
    )  # fmt: skip
    return log_z, found, found_pairs
