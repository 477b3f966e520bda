"""Distributions over dependency trees, non-projective and projective."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ramify.errors import InvalidInputError
from ramify.torch import _engine, _operators
from ramify.torch._batches import Batch, as_batch, forbid
from ramify.torch._distribution import Distribution
from ramify.torch._parts import ProjectiveParts

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NonprojectiveTrees", "ProjectiveTrees"]


class _ArcScored(Distribution):
    """Trees whose score is a sum over their arcs."""

    def max_marginals(self) -> Any:
        """Find, for every arc, the score of the best tree that has it; −inf where there is none. It has a gradient."""
        return self._as_parts(_operators.max_marginals(self._table, self._batch.lengths, self._name))

    def _as_parts(self, table: Tensor) -> Any:
        size = self._structure.size
        return self._batch.give_tables(table.reshape(-1, size, size), 1, 2)

    def _score(self, structures: Tensor) -> Tensor:
        size = self._structure.size
        matrices = self._table.reshape(-1, 1, size, size).expand(-1, structures.shape[1], -1, -1)
        chosen = matrices.gather(2, structures.clamp(min=0)[:, :, None])[:, :, 0]
        return torch.where(structures >= 0, chosen, 0.0).sum(-1)


class NonprojectiveTrees(_ArcScored):
    """Distribution over all dependency trees, by the matrix-tree theorem.

    Parameters
    ----------
    scores : float tensor of shape (n + 1, n + 1) or (batch, n + 1, n + 1), indexed [head, modifier], the root 0; or a
        list of tensors of different sizes. Column 0 and the diagonal are ignored, −inf prunes an arc
    lengths : numbers of words of a padded batch, shape (batch,)
    mask : booleans of the shape of the scores, or a list of them; false prunes an arc
    single_root : whether exactly one word must have the root as its head

    Examples
    --------
    >>> import torch
    >>> trees = NonprojectiveTrees(torch.zeros(3, 3), single_root=True)
    >>> round(trees.log_partition().exp().item(), 3)  # 1 or 2 is the root of the other
    2.0
    >>> trees.marginals()
    tensor([[0.0000, 0.5000, 0.5000],
            [0.0000, 0.0000, 0.5000],
            [0.0000, 0.5000, 0.0000]])
    """

    def __init__(
        self,
        scores: Tensor | Sequence[Tensor],
        *,
        lengths: Tensor | Sequence[int] | None = None,
        mask: Tensor | Sequence[Tensor] | None = None,
        single_root: bool = False,
    ) -> None:
        batch, table = _arc_table(type(self).__name__, scores, lengths, mask)
        super().__init__(batch, table, _engine.Trees(batch.scores.shape[-1], bool(single_root)))


class ProjectiveTrees(_ArcScored):
    """Distribution over projective dependency trees, by dynamic programming.

    Parameters
    ----------
    scores : as for `NonprojectiveTrees`; or, for scores of larger parts, `Siblings`, `Grandparents`, `GrandSiblings` or
        `TriSiblings`. Then marginals have the same class
    lengths, mask, single_root : as for `NonprojectiveTrees`; with larger parts there is no mask, −inf prunes them
    """

    def __init__(
        self,
        scores: Tensor | Sequence[Tensor] | ProjectiveParts,
        *,
        lengths: Tensor | Sequence[int] | None = None,
        mask: Tensor | Sequence[Tensor] | None = None,
        single_root: bool = False,
    ) -> None:
        who = type(self).__name__
        self._parts = scores if isinstance(scores, ProjectiveParts) else None
        if self._parts is None:
            batch, table = _arc_table(who, scores, lengths, mask)
            order = "ARC"
        else:
            if mask is not None:
                raise InvalidInputError(
                    f"{who} expects no mask with larger parts; give forbidden parts the score −inf instead."
                )
            batch = as_batch(who, self._parts.arc, lengths, 2, 1)
            self._parts = self._parts.batched(who)
            table, order = self._parts.table(), self._parts.order
        super().__init__(batch, table, _engine.ProjectiveTrees(batch.scores.shape[-1], bool(single_root), order))

    def max_marginals(self) -> Any:
        """Find, for every arc, the score of the best tree that has it; −inf where there is none.

        It has a gradient where only arcs are scored. With larger parts it is computed from them, for arcs.
        """
        if self._parts is None:
            return super().max_marginals()
        values = _operators.max_marginals(self._table.detach(), self._batch.lengths, self._name)
        return self._batch.give(self._parts.best_arcs(values))

    def _as_parts(self, table: Tensor) -> Any:
        if self._parts is None:
            return super()._as_parts(table)
        parts = self._parts.unfold(table)
        given = {f.name: getattr(parts, f.name) for f in fields(parts)}
        return type(parts)(**{name: None if t is None else self._batch.give(t) for name, t in given.items()})

    def _score(self, structures: Tensor) -> Tensor:
        if self._parts is None:
            return super()._score(structures)
        return self._parts.score(structures)


def _arc_table(who: str, scores: Any, lengths: Any, mask: Any) -> tuple[Batch, Tensor]:
    batch = as_batch(who, scores, lengths, 2, 1)
    if batch.scores.shape[-1] != batch.scores.shape[-2]:
        raise InvalidInputError(f"{who} expects square matrices of scores; got shape {tuple(batch.scores.shape)}.")
    return batch, forbid(who, batch, mask).flatten(1)
