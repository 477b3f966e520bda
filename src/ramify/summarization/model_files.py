"""Summarizers on disk, and their cards."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from ramify.learn.arrays import BadTensorsError, read_arrays, write_arrays
from ramify.learn.cards import card, data_rows, origin_rows, size_of
from ramify.learn.linear import Linear
from ramify.learn.model_files import BadVocabularyError, ModelFiles
from ramify.summarization.config import Config
from ramify.summarization.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FILES"]

_MOST = 1e6  # a scale


class SummarizerFiles(ModelFiles[State]):
    """The files of summarizers."""

    config: ClassVar[type[Config]] = Config

    @staticmethod
    def card(facts: Mapping[str, Any], config: Config) -> str:
        """Return the card as Markdown; unknown facts are left out."""
        scores = facts.get("scores") or {}
        rows = {"on dev": f"ROUGE-2 recall {100 * scores['recall']:.2f}"} if scores else {}
        model = {
            "training": f"{config.training.epochs} epochs, seed {config.training.seed}",
            "cuts": "learned from compressed summaries" if config.training.compressive else "not learned",
            "size": size_of(facts),
            **origin_rows(facts),
        }
        return card("Summarizer", {"Data": data_rows(facts), "Scores": rows, "Model": model})

    def vocabulary(self, state: State) -> dict[str, Any]:
        """Return the number that is no weight."""
        return {"scale": state.weights.scale}

    def pack(self, state: State) -> bytes:
        """Return the weights as the bytes of a safetensors file."""
        return write_arrays({"keys": state.weights.keys, "weights": state.weights.weights})

    def unpack(self, config: Config, vocabulary: dict[str, Any], weights: bytes) -> State:
        """Check numbers and arrays."""
        scale: Any = vocabulary.get("scale")
        if type(scale) not in (int, float) or not math.isfinite(scale) or not 0 < scale <= _MOST:
            raise BadVocabularyError("scale: expected a number above 0")
        arrays = read_arrays(weights, {"keys": "U64", "weights": "I16"})
        if len(arrays["keys"]) > config.model.max_weights:
            raise BadTensorsError(f"keys: expected at most model.max-weights = {config.model.max_weights:,}")
        return State(config, Linear(arrays["keys"], arrays["weights"], float(scale)), vocabulary["facts"])


FILES = SummarizerFiles("summarizer")
