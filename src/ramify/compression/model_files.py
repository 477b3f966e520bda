"""Compressors on disk, and their cards."""

from __future__ import annotations

from typing import Any, ClassVar

from ramify.compression.config import Config
from ramify.compression.state import State
from ramify.learn.linear_files import LinearFiles, number_of, unpack_weights

__all__ = ["FILES"]


class CompressorFiles(LinearFiles[State]):
    """The files of compressors."""

    config: ClassVar[type[Config]] = Config
    on_dev = "F1 {f1:.2f}, {rate:.1f}% of the words stay"

    def vocabulary(self, state: State) -> dict[str, Any]:
        """Return the two numbers that are not weights."""
        return {"price": state.price, **super().vocabulary(state)}

    def unpack(self, config: Config, vocabulary: dict[str, Any], weights: bytes) -> State:
        """Check numbers and arrays."""
        price, scale = (number_of(vocabulary, name) for name in ("price", "scale"))
        return State(config, unpack_weights(weights, scale, config.model.max_weights), vocabulary["facts"], price)


FILES = CompressorFiles("compressor")
