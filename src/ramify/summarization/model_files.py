"""Summarizers on disk, and their cards."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from ramify.learn.linear_files import LinearFiles, unpack_weights
from ramify.learn.model_files import BadVocabularyError
from ramify.summarization.config import Config
from ramify.summarization.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FILES"]

_MOST = 1e6  # a scale


class SummarizerFiles(LinearFiles[State]):
    """The files of summarizers."""

    config: ClassVar[type[Config]] = Config

    def on_dev(self, scores: Mapping[str, Any]) -> str:
        """Return the recall of bigrams."""
        return f"ROUGE-2 recall {100 * scores['recall']:.2f}"

    def more(self, config: Config) -> dict[str, str]:
        """Say whether cuts were learned."""
        return {"cuts": "learned from compressed summaries" if config.training.compressive else "not learned"}

    def vocabulary(self, state: State) -> dict[str, Any]:
        """Return the number that is no weight."""
        return {"scale": state.weights.scale}

    def unpack(self, config: Config, vocabulary: dict[str, Any], weights: bytes) -> State:
        """Check numbers and arrays."""
        scale: Any = vocabulary.get("scale")
        if type(scale) not in (int, float) or not math.isfinite(scale) or not 0 < scale <= _MOST:
            raise BadVocabularyError("scale: expected a number above 0")
        return State(config, unpack_weights(weights, scale, config.model.max_weights), vocabulary["facts"])


FILES = SummarizerFiles("summarizer")
