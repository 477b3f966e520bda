"""Scores of larger parts of projective trees, as tensors; `ramify.trees.projective.parts` describes the entries."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import torch
from torch import Tensor

from ramify.errors import InvalidInputError
from ramify.trees.projective import parts as numpy_parts

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["GrandSiblings", "Grandparents", "ProjectiveParts", "Siblings", "TriSiblings"]


@dataclass(frozen=True, eq=False)
class ProjectiveParts:
    """What all of them share. Every tensor may have a leading batch axis, all or none of them.

    Attributes
    ----------
    arc : float tensor of shape (n + 1, n + 1), indexed [head, modifier]
    """

    arc: Tensor

    twin: ClassVar[type[numpy_parts.Parts]]

    @property
    def order(self) -> str:
        """The engine's name of these parts."""
        return self.twin.order.name

    def batched(self, who: str) -> Self:
        """Return the same with a batch axis, having checked the shapes."""
        single = self.arc.dim() == 2
        size, lead = self.arc.shape[-1], self.arc.shape[:-2]
        given = {}
        for f in fields(self):
            tensor = getattr(self, f.name)
            expected = (*lead, *[size] * self.twin.axes[f.name])
            if tensor is not None and tuple(tensor.shape) != expected:
                raise InvalidInputError(
                    f"{who} expects {f.name} of shape {expected}, to fit arc; got {tuple(tensor.shape)}."
                )
            given[f.name] = tensor[None] if single and tensor is not None else tensor
        return type(self)(**given)

    def table(self) -> Tensor:
        """Return the engine's table, (batch, parts), with what is of lower order folded in."""
        return self._fold().flatten(1)

    def unfold(self, table: Tensor) -> Self:
        """Return the expected number of each part from the table's marginals.

        Folding is linear, and a part's marginal is the sum over the cells that it was added to: folding transposed.
        """
        names = [f.name for f in fields(self) if getattr(self, f.name) is not None]
        zeros = [torch.zeros_like(getattr(self, name), dtype=table.dtype) for name in names]

        def fold(*tensors: Tensor) -> Tensor:
            return type(self)(**dict(zip(names, tensors, strict=True)))._fold().flatten(1)

        _, transposed = torch.func.vjp(fold, *zeros)
        return type(self)(**dict(zip(names, transposed(table), strict=True)))

    def best_arcs(self, table: Tensor) -> Tensor:
        """Return the best score with each arc, from that with each cell of the table."""
        parts = self.twin.__new__(self.twin)
        object.__setattr__(parts, "arc", np.zeros(tuple(self.arc.shape)))
        arcs = np.asarray(parts.unfold(table.double().cpu().numpy(), np.max).arc)
        return torch.from_numpy(np.array(arcs)).to(table)

    def score(self, structures: Tensor) -> Tensor:
        """Score trees: heads of shape (batch, k, n + 1), the result (batch, k)."""
        items = enumerate(structures.cpu().numpy().astype(np.int32))
        rows = [self._score_one(item, heads) for item, trees in items for heads in trees]
        return torch.stack(rows).reshape(structures.shape[:2])

    def _score_one(self, item: int, heads: np.ndarray) -> Tensor:
        words = heads[: 1 + int((heads[1:] >= 0).sum())]  # what follows is padding
        listed = self.twin.tree_parts(self, words)  # type: ignore[arg-type] # it reads no scores
        total = self.arc.new_zeros(())
        for name, cells in listed.items():
            tensor = getattr(self, name, None)
            if tensor is not None and cells:
                total = total + tensor[item][tuple(torch.tensor(cells, device=tensor.device).T)].sum()
        return total

    @property
    def axes(self) -> dict[str, int]:
        """Axes of each tensor of an item."""
        return self.twin.axes

    def _list_side(self, parts: dict[str, list[tuple[int, ...]]], g: int, h: int, side: list[int]) -> None:
        self.twin._list_side(object.__new__(self.twin), parts, g, h, side)

    def _fold(self) -> Tensor:
        raise NotImplementedError


def _off_diagonal(table: Tensor) -> Tensor:
    return table.masked_fill(torch.eye(table.shape[-1], device=table.device, dtype=torch.bool), 0.0)


@dataclass(frozen=True, eq=False)
class Siblings(ProjectiveParts):
    """Arcs and neighbouring siblings.

    Attributes
    ----------
    arc : float tensor of shape (n + 1, n + 1), indexed [head, modifier]
    sibling : float tensor of shape (n + 1, n + 1, n + 1), indexed [h, s, m]; see `ramify.trees.projective.SiblingParts`
    """

    sibling: Tensor
    twin = numpy_parts.SiblingParts

    def _fold(self) -> Tensor:
        return self.sibling + _off_diagonal(self.arc)[:, :, None, :]


@dataclass(frozen=True, eq=False)
class Grandparents(ProjectiveParts):
    """Arcs and grandparents.

    Attributes
    ----------
    arc : float tensor of shape (n + 1, n + 1), indexed [head, modifier]
    grand : float tensor of shape (n + 1, n + 1, n + 1), indexed [g, h, m]; see
        `ramify.trees.projective.GrandparentParts`
    """

    grand: Tensor
    twin = numpy_parts.GrandparentParts

    def _fold(self) -> Tensor:
        return self.grand + self.arc[:, None]


@dataclass(frozen=True, eq=False)
class GrandSiblings(ProjectiveParts):
    """Neighbouring siblings with their grandparent.

    Attributes
    ----------
    grandsib : float tensor with four axes, indexed [g, h, s, m]; see `ramify.trees.projective.GrandSiblingParts`
    arc, sibling, grand : as in `Siblings` and `Grandparents`; sibling and grand may be None for zeros
    """

    grandsib: Tensor
    sibling: Tensor | None = None
    grand: Tensor | None = None
    twin = numpy_parts.GrandSiblingParts

    def _fold(self) -> Tensor:
        table = self.grandsib + _off_diagonal(self.arc)[:, None, :, None, :]
        if self.sibling is not None:
            table = table + self.sibling[:, None]
        return table if self.grand is None else table + _off_diagonal(self.grand)[:, :, :, None, :]


@dataclass(frozen=True, eq=False)
class TriSiblings(ProjectiveParts):
    """Three neighbouring siblings, and grandparents of the outermost one.

    Attributes
    ----------
    trisib : float tensor with four axes, indexed [h, t, s, m]; see `ramify.trees.projective.TriSiblingParts`
    arc, grandsib, sibling, grand : as in `GrandSiblings`; all but arc may be None for zeros
    """

    trisib: Tensor
    grandsib: Tensor | None = None
    sibling: Tensor | None = None
    grand: Tensor | None = None
    twin = numpy_parts.TriSiblingParts

    def _fold(self) -> Tensor:
        sibling = torch.zeros_like(self.trisib[:, 0]) if self.sibling is None else self.sibling
        inner = self.trisib + (sibling + _off_diagonal(self.arc)[:, :, None, :])[:, :, None]
        stops = _stops(self.trisib) + _stops(sibling)[:, :, None, :]
        last = stops[:, None].expand_as(self.trisib)
        if self.grandsib is not None:
            last = last + self.grandsib
        if self.grand is not None:
            last = last + self.grand[:, :, :, None, :]
        return torch.stack([inner, last], 1)


def _stops(table: Tensor) -> Tensor:
    """From a table (batch, h, …, m), take the entries m = h: (batch, h, …)."""
    return torch.diagonal(table, dim1=1, dim2=-1).movedim(-1, 1)
