"""What all distributions over structures share: everything follows from log Z, marginals and the best structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ramify.errors import InvalidInputError
from ramify.options import Integer, check_argument
from ramify.torch import _operators
from ramify.torch._engine import name_of

if TYPE_CHECKING:
    from ramify.torch._batches import Batch

__all__ = ["Distribution"]


class Distribution:
    """Structures of a batch of items, each with a probability proportional to e to the power of its score.

    Subclasses say how the scores of parts become the engine's table, and back.
    """

    def __init__(self, batch: Batch, table: Tensor, structure: Any) -> None:
        self._batch, self._table, self._structure = batch, table, structure
        self._name = name_of(structure)

    def log_partition(self) -> Tensor:
        """Compute log Z, the logarithm of the sum over all structures: shape (batch,). It has two derivatives."""
        return self._batch.give(self._sums(torch.is_grad_enabled() and self._table.requires_grad)[0])

    def marginals(self) -> Any:
        """Compute the probability of every part, in the form of the scores. They have one derivative."""
        return self._as_parts(self._sums(True)[1])

    def entropy(self) -> Tensor:
        """Compute the entropy in nats: shape (batch,). It has one derivative."""
        # In double precision: the difference of two large numbers may be small.
        table = self._table.double()
        log_z, marginals = _operators.sums(table, self._batch.lengths, self._name, True)
        expected = (marginals * torch.where(marginals > 0, table, 0.0)).sum(1)
        return self._batch.give((log_z - expected).to(self._table.dtype))

    def argmax(self) -> tuple[Tensor, Tensor]:
        """Find the best structure of each item, and its score.

        Returns
        -------
        structures : int64 tensor with a row per item; −1 in the padding, and for the root
        scores : tensor of shape (batch,), with the gradient of the score of this structure
        """
        found = _operators.best(self._table.detach(), self._batch.lengths, self._name)
        return self._batch.give(found), self._batch.give(self._score(found[:, None])[:, 0])

    def k_best(self, k: int) -> tuple[Tensor, Tensor]:
        """Find the k best structures, best first, no structure twice.

        Parameters
        ----------
        k : number of structures for each item

        Returns
        -------
        structures : int64 tensor of shape (batch, k, n) or, for trees, (batch, k, n + 1); rows of −1 if there are fewer
        scores : tensor of shape (batch, k), with gradients; −inf if there are fewer
        """
        k = check_argument(f"{type(self).__name__}.k_best", "k", Integer(1), k)
        found = self._structure.k_best(*self._inputs(k), torch.get_num_threads())
        rows = np.full((len(found), k, self._structure.size), -1, np.int64)
        for row, items in zip(rows, found, strict=True):
            row[: len(items), : items.shape[1]] = items
        structures = torch.from_numpy(rows).to(self._table.device)
        exists = (structures >= 0).any(-1)
        scores = torch.where(exists, self._score(structures), -torch.inf)
        return self._batch.give(structures), self._batch.give(scores)

    def sample(self, num_samples: int = 1, seed: int | None = None) -> Tensor:
        """Draw structures, exactly and independently.

        Parameters
        ----------
        num_samples : structures for each item
        seed : the same seed gives the same structures; by default, PyTorch's generator decides

        Returns
        -------
        int64 tensor of shape (batch, num_samples, n) or, for trees, (batch, num_samples, n + 1). It has no gradient;
        that of `log_prob` can be used for an estimate.
        """
        who = f"{type(self).__name__}.sample"
        num_samples = check_argument(who, "num_samples", Integer(0), num_samples)
        seed = int(torch.randint(2**62, ()).item()) if seed is None else check_argument(who, "seed", Integer(0), seed)
        table, _, lengths = self._inputs(0)
        found = self._structure.sample(table, num_samples, seed, lengths, torch.get_num_threads())
        return self._batch.give(torch.from_numpy(found.astype(np.int64)).to(self._table.device))

    def score(self, structures: Tensor) -> Tensor:
        """Add up the scores of the parts of structures, with gradients.

        Parameters
        ----------
        structures : int tensor in the form that `argmax` or `sample` returns; they must be legal

        Returns
        -------
        tensor of shape (batch,) or (batch, num_samples)
        """
        rows = structures if self._batch.form != "single" else structures[None]
        if rows.shape[0] != self._table.shape[0] or rows.shape[-1] != self._structure.size or rows.dim() not in (2, 3):
            raise InvalidInputError(
                f"{type(self).__name__}.score expects structures of shape (batch, {self._structure.size}) or (batch, "
                f"num_samples, {self._structure.size}); got {tuple(structures.shape)}."
            )
        scores = self._score(rows if rows.dim() == 3 else rows[:, None])
        return self._batch.give(scores if rows.dim() == 3 else scores[:, 0])

    def log_prob(self, structures: Tensor) -> Tensor:
        """Compute the logarithm of the probability of structures: their `score` minus log Z.

        Parameters
        ----------
        structures : as for `score`
        """
        score, log_z = self.score(structures), self.log_partition()
        return score - (log_z[..., None] if score.dim() > log_z.dim() else log_z)

    def _sums(self, with_marginals: bool) -> tuple[Tensor, Tensor]:
        found: tuple[Tensor, Tensor] = _operators.sums(self._table, self._batch.lengths, self._name, with_marginals)
        return found

    def _inputs(self, k: int) -> tuple[Any, int, Any]:
        return _operators.as_array(self._table), k, _operators.as_lengths(self._batch.lengths)

    def _as_parts(self, table: Tensor) -> Any:
        raise NotImplementedError

    def _score(self, structures: Tensor) -> Tensor:
        """Score structures of shape (batch, k, n) or (batch, k, n + 1); rows of −1 get any finite number."""
        raise NotImplementedError
