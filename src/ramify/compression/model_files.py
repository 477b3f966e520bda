"""Compressors on disk, and their cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ramify.compression.config import Config
from ramify.compression.state import State
from ramify.learn.arrays import BadTensorsError, read_arrays, write_arrays
from ramify.learn.cards import card, data_rows, origin_rows, size_of
from ramify.learn.linear import Linear
from ramify.learn.model_files import BadVocabularyError, ModelFiles

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FILES"]

_MOST = 1e6  # a price


class CompressorFiles(ModelFiles[State]):
    """The files of compressors."""

    config: ClassVar[type[Config]] = Config

    @staticmethod
    def card(facts: Mapping[str, Any], config: Config) -> str:
        """Return the card as Markdown; unknown facts are left out."""
        scores = facts.get("scores") or {}
        rows = {}
        if scores:
            rows["on dev"] = f"F1 {100 * scores['f1']:.2f}, {100 * scores['rate']:.1f}% of the words stay"
        model = {
            "training": f"{config.training.epochs} epochs, seed {config.training.seed}",
            "size": size_of(facts),
            **origin_rows(facts),
        }
        return card("Compressor", {"Data": data_rows(facts), "Scores": rows, "Model": model})

    def vocabulary(self, state: State) -> dict[str, Any]:
        """Return the two numbers that are not weights."""
        return {"price": state.price, "scale": state.weights.scale}

    def pack(self, state: State) -> bytes:
        """Return the weights as the bytes of a safetensors file."""
        return write_arrays({"keys": state.weights.keys, "weights": state.weights.weights})

    def unpack(self, config: Config, vocabulary: dict[str, Any], weights: bytes) -> State:
        """Check numbers and arrays."""
        for name in ("price", "scale"):
            value: Any = vocabulary.get(name)
            if type(value) not in (int, float) or not abs(value) <= _MOST:  # NaN is none of these
                raise BadVocabularyError(f"{name}: expected a number")
        arrays = read_arrays(weights, {"keys": "U64", "weights": "I16"})
        if len(arrays["keys"]) > config.model.max_weights:
            raise BadTensorsError(f"keys: expected at most model.max-weights = {config.model.max_weights:,}")
        linear = Linear(arrays["keys"], arrays["weights"], float(vocabulary["scale"]))
        return State(config, linear, float(vocabulary["price"]), vocabulary["facts"])


FILES = CompressorFiles("compressor")
