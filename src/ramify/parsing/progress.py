"""What the training of a parser reports besides the events of all tasks."""

from __future__ import annotations

from dataclasses import dataclass

from ramify.learn.progress import EpochDone, Resumed, Started, Step

__all__ = ["EpochDone", "Event", "Pruned", "Resumed", "Started", "Step"]


@dataclass(frozen=True)
class Pruned:
    """The pruner is trained.

    Attributes
    ----------
    heads_per_word : candidates that are left
    recall : share of gold heads among them
    on : ``"dev"``, or ``"train"`` where there is no dev
    """

    heads_per_word: float
    recall: float
    on: str

    def __str__(self) -> str:
        return f"pruner: {self.heads_per_word:.2f} heads a word, {100 * self.recall:.2f}% of the right ones ({self.on})"


Event = Started | Resumed | Step | Pruned | EpochDone
