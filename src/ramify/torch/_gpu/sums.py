"""Which kernel answers for a structure, and products with the Hessian from its marginals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ramify.torch._gpu import chains, projective, trees

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["can_sum", "products", "sums"]

_STEP = 1e-4


def can_sum(structure: Any) -> bool:
    """Whether a kernel exists for this structure: arcs only, and not too large for a program."""
    kind = type(structure).__name__
    if kind == "Chains":
        return structure.labels <= chains.MOST
    if kind == "ProjectiveTrees" and structure.order != "ARC":
        return False
    return structure.size - 1 <= trees.MOST


def sums(structure: Any, table: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
    """Compute log Z of each item and the probability of each part, in double precision.

    Parameters
    ----------
    structure : see `ramify.torch._engine`
    table : float tensor of shape (batch, parts)
    lengths : int tensor of shape (batch,)
    """
    table, lengths = table.contiguous(), lengths.to(table.device)
    if type(structure).__name__ == "Chains":
        n, k = structure.size, structure.labels
        labels, pairs = table[:, : n * k].unflatten(1, (n, k)), table[:, n * k :].unflatten(1, (n - 1, k, k))
        log_z, found, found_pairs = chains.chain_sums(labels, pairs, lengths)
        return log_z, torch.cat([found.flatten(1), found_pairs.flatten(1)], 1)
    kernel = projective.projective_sums if type(structure).__name__ == "ProjectiveTrees" else trees.tree_sums
    log_z, marginals = kernel(table.view(-1, structure.size, structure.size), lengths, structure.single_root)
    return log_z, marginals.view(table.shape)


def products(structure: Any, table: Tensor, direction: Tensor, lengths: Tensor) -> Tensor:
    """Multiply the Hessian of log Z by a direction: central differences of the marginals.

    In double precision, the error is about 1e-8 of the direction's size, far below what a float32 network sees.
    """
    size = direction.abs().amax(1, keepdim=True).double().clamp(min=1e-300)
    step = _STEP * direction.double() / size
    up, down = (sums(structure, table.double() + sign * step, lengths)[1] for sign in (1.0, -1.0))
    return (up - down) * (size / (2 * _STEP))
