"""Compressors on disk, and their cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ramify.compression.config import Config
from ramify.compression.state import State
from ramify.learn.linear_files import LinearFiles, unpack_weights
from ramify.learn.model_files import BadVocabularyError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FILES"]

_MOST = 1e6  # a price


class CompressorFiles(LinearFiles[State]):
    """The files of compressors."""

    config: ClassVar[type[Config]] = Config

    def on_dev(self, scores: Mapping[str, Any]) -> str:
        """Return F1 and the share of words that stay."""
        return f"F1 {100 * scores['f1']:.2f}, {100 * scores['rate']:.1f}% of the words stay"

    def vocabulary(self, state: State) -> dict[str, Any]:
        """Return the two numbers that are no weights."""
        return {"price": state.price, "scale": state.weights.scale}

    def unpack(self, config: Config, vocabulary: dict[str, Any], weights: bytes) -> State:
        """Check numbers and arrays."""
        for name in ("price", "scale"):
            value: Any = vocabulary.get(name)
            if type(value) not in (int, float) or not abs(value) <= _MOST:  # NaN is none of these
                raise BadVocabularyError(f"{name}: expected a number")
        linear = unpack_weights(weights, vocabulary["scale"], config.model.max_weights)
        return State(config, linear, vocabulary["facts"], float(vocabulary["price"]))


FILES = CompressorFiles("compressor")
