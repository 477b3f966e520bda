"""Summarizers on disk, and their cards."""

from __future__ import annotations

from typing import Any, ClassVar

from ramify.learn.linear_files import LinearFiles, number_of, unpack_weights
from ramify.summarization.config import Config
from ramify.summarization.state import State

__all__ = ["FILES"]


class SummarizerFiles(LinearFiles[State]):
    """The files of summarizers."""

    config: ClassVar[type[Config]] = Config
    on_dev = "ROUGE-2 recall {recall:.2f}"

    def more(self, config: Config) -> dict[str, str]:
        """Say whether cuts were learned."""
        return {"cuts": "learned from compressed summaries" if config.training.compressive else "not learned"}

    def unpack(self, config: Config, vocabulary: dict[str, Any], weights: bytes) -> State:
        """Check the number and arrays."""
        scale = number_of(vocabulary, "scale", above=0)
        return State(config, unpack_weights(weights, scale, config.model.max_weights), vocabulary["facts"])


FILES = SummarizerFiles("summarizer")
