"""What users give as scores: one item, a padded batch, or a list of items; with lengths and masks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ramify.errors import InvalidInputError

__all__ = ["Batch", "as_batch", "forbid"]


class Batch:
    """Scores with a batch axis, and how results get the form in which the scores came."""

    def __init__(self, scores: Tensor, lengths: Tensor, form: str) -> None:
        self.scores, self.lengths, self.form = scores, lengths, form

    def give(self, results: Tensor) -> Tensor:
        """Return one result per item; the batch axis is dropped if the scores had none."""
        return results[0] if self.form == "single" else results

    def give_tables(self, tables: Tensor, extra: int, axes: int) -> Any:
        """Return one table per item; for a list, without the padding, whose `axes` first axes are length + extra."""
        if self.form != "list":
            return self.give(tables)
        sizes = [int(n) + extra for n in self.lengths]
        return [table[(slice(size),) * axes] for table, size in zip(tables, sizes, strict=True)]


def as_batch(who: str, scores: Any, lengths: Any, axes: int, extra: int) -> Batch:
    """Check scores, and pad those of a list.

    Parameters
    ----------
    who : for messages
    scores : tensor with `axes` axes, or one more for a batch, or a list of tensors
    lengths : one integer for each item of a batch, or None
    axes : axes of the scores of one item
    extra : entries of the first axis that are no words: 1 for trees, whose root is an entry
    """
    if isinstance(scores, Sequence):
        if lengths is not None:
            raise InvalidInputError(
                f"{who} expects lengths only with a padded batch; the tensors of a list have lengths of their own."
            )
        return _padded(who, scores, axes, extra)
    if not isinstance(scores, Tensor):
        raise InvalidInputError(f"{who} expects scores as a tensor or a list of tensors; got {type(scores).__name__}.")
    if scores.dim() not in (axes, axes + 1) or not scores.is_floating_point():
        raise InvalidInputError(
            f"{who} expects float scores with {axes} axes, or {axes + 1} for a batch; got {scores.dtype} of shape "
            f"{tuple(scores.shape)}."
        )
    single = scores.dim() == axes
    if single and lengths is not None:
        raise InvalidInputError(f"{who} expects lengths only with a batch of scores.")
    batch = _widened(scores[None] if single else scores)
    longest = batch.shape[1] - extra
    if longest < 1:
        raise InvalidInputError(f"{who} expects at least one word; got scores of shape {tuple(scores.shape)}.")
    if lengths is None:
        found = torch.full((batch.shape[0],), longest, dtype=torch.int64, device=batch.device)
    else:
        found = _checked_lengths(who, torch.as_tensor(lengths), batch.shape[0], longest)
    return Batch(batch, found, "single" if single else "batch")


def _widened(scores: Tensor) -> Tensor:
    """Let half precision, as autocast leaves it, become single precision."""
    return scores.float() if scores.dtype in (torch.float16, torch.bfloat16) else scores


def _checked_lengths(who: str, lengths: Tensor, count: int, longest: int) -> Tensor:
    if lengths.shape != (count,) or lengths.is_floating_point() or lengths.dtype == torch.bool:
        raise InvalidInputError(
            f"{who} expects lengths as {count} integers, one for each item; got {lengths.dtype} of shape "
            f"{tuple(lengths.shape)}."
        )
    if not torch.compiler.is_compiling() and count and not (int(lengths.min()) >= 1 and int(lengths.max()) <= longest):
        raise InvalidInputError(
            f"{who} expects lengths in 1…{longest}; got {int(lengths.min())} to {int(lengths.max())}."
        )
    return lengths


def _padded(who: str, items: Sequence[Tensor], axes: int, extra: int) -> Batch:
    if not items or not all(isinstance(item, Tensor) and item.dim() == axes for item in items):
        raise InvalidInputError(f"{who} expects a list of at least one tensor, each with {axes} axes.")
    lengths = torch.tensor([item.shape[0] - extra for item in items], device=items[0].device)
    if int(lengths.min()) < 1:
        raise InvalidInputError(f"{who} expects at least one word in each item; got item {int(lengths.argmin())}.")
    shape = [max(item.shape[axis] for item in items) for axis in range(axes)]
    rows = []
    for item in items:
        missing = [(0, size - own) for size, own in zip(shape, item.shape, strict=True)]
        rows.append(torch.nn.functional.pad(item, [n for pair in reversed(missing) for n in pair]))
    return Batch(_widened(torch.stack(rows)), lengths, "list")


def forbid(who: str, batch: Batch, mask: Any) -> Tensor:
    """Return scores with −inf where a mask of their shape, or a list of such masks, is false."""
    if mask is None:
        return batch.scores
    if isinstance(mask, Sequence):
        mask = torch.nn.utils.rnn.pad_sequence([_flat(m, batch.scores.shape[1:]) for m in mask], batch_first=True)
    if mask.dim() == batch.scores.dim() - 1:
        mask = mask[None]
    if mask.dtype != torch.bool or mask.shape != batch.scores.shape:
        raise InvalidInputError(
            f"{who} expects mask as booleans of the shape of the scores, {tuple(batch.scores.shape)}; got {mask.dtype} "
            f"of shape {tuple(mask.shape)}."
        )
    return batch.scores.masked_fill(~mask, -torch.inf)


def _flat(mask: Tensor, shape: Any) -> Tensor:
    full = torch.ones(tuple(shape), dtype=torch.bool, device=mask.device)
    full[tuple(slice(size) for size in mask.shape)] = mask
    return full
