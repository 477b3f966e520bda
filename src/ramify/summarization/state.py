"""What a trained summarizer consists of."""

from __future__ import annotations

from ramify.learn.state import LinearState
from ramify.summarization.config import Config

__all__ = ["State"]


class State(LinearState[Config]):
    """A trained summarizer: options, weights, and the facts of the card."""
