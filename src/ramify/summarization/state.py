"""What a trained summarizer consists of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ramify.learn.linear import Linear
    from ramify.summarization.config import Config

__all__ = ["State"]


@dataclass(frozen=True)
class State:
    """Options, weights, and the facts of the card.

    Attributes
    ----------
    config : options of the training run
    weights : of features
    facts : for the card
    """

    config: Config
    weights: Linear
    facts: dict[str, Any] = field(default_factory=dict)

    def build(self) -> State:
        """Return what answers questions."""
        return self
