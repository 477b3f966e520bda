"""Sums of logarithms inside kernels."""

from __future__ import annotations

import triton
import triton.language as tl

__all__ = ["log_add", "log_sum"]


@triton.jit
def log_add(a, b):
    """Return log(exp(a) + exp(b)), also where one of them or both are −inf."""
    top = tl.maximum(a, b)
    top = tl.where(top == float("-inf"), 0.0, top)
    return top + tl.log(tl.exp(a - top) + tl.exp(b - top))


@triton.jit
def log_sum(x, axis: tl.constexpr):
    """Return the logarithm of the sum of exponentials along an axis; −inf where all are."""
    top = tl.max(x, axis)
    safe = tl.where(top == float("-inf"), 0.0, top)
    return safe + tl.log(tl.sum(tl.exp(x - tl.expand_dims(safe, axis)), axis))
