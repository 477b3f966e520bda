"""What the training of a parser reports besides the events of all tasks."""

from __future__ import annotations

from dataclasses import dataclass

from ramify.learn.progress import EpochDone, Resumed, Started, Step

__all__ = ["EpochDone", "Event", "Pruned", "Resumed", "Started", "Step"]


@dataclass(frozen=True)
class Pruned:
    """The pruner has been trained.

    Attributes
    ----------
    heads_per_word : mean number of candidate heads that the pruner keeps for each word
    recall : fraction of the gold heads that it keeps
    on : ``"dev"`` if the numbers are from the dev data, or ``"train"`` if there are none
    """

    heads_per_word: float
    recall: float
    on: str

    def __str__(self) -> str:
        kept = f"{100 * self.recall:.2f}% of the gold heads kept"
        return f"pruner: {self.heads_per_word:.2f} heads per word, {kept} ({self.on})"


Event = Started | Resumed | Step | Pruned | EpochDone
