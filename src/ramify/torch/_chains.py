"""Distributions over sequences of labels: linear-chain conditional random fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from ramify.errors import InvalidInputError
from ramify.torch import _engine, _operators
from ramify.torch._batches import as_batch, forbid
from ramify.torch._distribution import Distribution

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ChainMarginals", "Chains"]


class ChainMarginals(NamedTuple):
    """Probabilities of labels and of pairs of neighbouring labels.

    Attributes
    ----------
    labels : tensor of shape (n, k), with a batch axis or in a list if the scores were so
    pairs : tensor of shape (n − 1, k, k), likewise
    """

    labels: Any
    pairs: Any


class Chains(Distribution):
    """Distribution over labellings of n words with k labels, by forward–backward.

    Parameters
    ----------
    scores : float tensor of shape (n, k) or (batch, n, k): the score of each label of each word; or a list of tensors
        of shape (n, k). −inf forbids a label. Scores for the first and the last label are added to those of their words
    transitions : float tensor of shape (k, k), indexed [label, next label]; or (n − 1, k, k) for each pair of
        neighbours, with a batch axis or not
    lengths : numbers of words of a padded batch, shape (batch,)
    mask : booleans of the shape of the scores; false forbids a label

    Examples
    --------
    >>> import torch
    >>> chains = Chains(torch.zeros(4, 3), torch.zeros(3, 3))
    >>> round(chains.log_partition().exp().item(), 2)  # 3 * 3 * 3 * 3
    81.0
    """

    def __init__(
        self,
        scores: Tensor | Sequence[Tensor],
        transitions: Tensor,
        *,
        lengths: Tensor | Sequence[int] | None = None,
        mask: Tensor | Sequence[Tensor] | None = None,
    ) -> None:
        who = type(self).__name__
        batch = as_batch(who, scores, lengths, 2, 0)
        count, n, k = batch.scores.shape
        if k < 2:
            raise InvalidInputError(f"{who} expects at least two labels; got scores of shape {(count, n, k)}.")
        shapes = {(k, k), (n - 1, k, k), (count, n - 1, k, k)}
        if tuple(transitions.shape) not in shapes:
            raise InvalidInputError(
                f"{who} expects transitions of shape {(k, k)}, {(n - 1, k, k)} or {(count, n - 1, k, k)}; got "
                f"{tuple(transitions.shape)}."
            )
        pairs = transitions.to(batch.scores).expand(count, n - 1, k, k)
        table = torch.cat([forbid(who, batch, mask).flatten(1), pairs.flatten(1)], 1)
        super().__init__(batch, table, _engine.Chains(n, k))

    def max_marginals(self) -> Any:
        """Find, for every label of every word, the score of the best labelling with it. It has a gradient."""
        return self._as_parts(_operators.max_marginals(self._table, self._batch.lengths, self._name)).labels

    def _as_parts(self, table: Tensor) -> ChainMarginals:
        n, k = self._structure.size, self._structure.labels
        labels, pairs = table[:, : n * k].unflatten(1, (n, k)), table[:, n * k :].unflatten(1, (n - 1, k, k))
        return ChainMarginals(self._batch.give_tables(labels, 0, 1), self._batch.give_tables(pairs, -1, 1))

    def _score(self, structures: Tensor) -> Tensor:
        n, k, count = self._structure.size, self._structure.labels, structures.shape[1]
        labels = structures.clamp(min=0)
        words = self._table[:, None, : n * k].expand(-1, count, -1)
        pairs = self._table[:, None, n * k :].expand(-1, count, -1)
        position = torch.arange(n, device=labels.device)
        chosen = words.gather(2, position * k + labels)
        follows = pairs.gather(2, position[:-1] * k * k + labels[..., :-1] * k + labels[..., 1:])
        inside = structures >= 0
        return torch.where(inside, chosen, 0.0).sum(-1) + torch.where(inside[..., 1:], follows, 0.0).sum(-1)
