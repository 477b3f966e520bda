"""Files of models whose weights are those of `ramify.learn.linear`."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar

from ramify.learn.arrays import BadTensorsError, read_arrays, write_arrays
from ramify.learn.cards import card, data_rows, origin_rows, size_of
from ramify.learn.linear import Linear
from ramify.learn.model_files import ModelFiles
from ramify.learn.state import LinearState

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LinearFiles", "unpack_weights"]

S = TypeVar("S", bound=LinearState[Any])


class LinearFiles(ModelFiles[S]):
    """The files of a model with linear weights; the scale of the weights is in ``vocab.json``."""

    def card(self, facts: Mapping[str, Any], config: Any) -> str:
        """Return the card as Markdown; unknown facts are left out."""
        scores = facts.get("scores") or {}
        model = {
            "training": f"{config.training.epochs} epochs, seed {config.training.seed}",
            **self.more(config),
            "size": size_of(facts),
            **origin_rows(facts),
        }
        rows = {"on dev": self.on_dev(scores)} if scores else {}
        return card(self.kind.capitalize(), {"Data": data_rows(facts), "Scores": rows, "Model": model})

    @abstractmethod
    def on_dev(self, scores: Mapping[str, Any]) -> str:
        """Return what the card says of the scores on dev."""

    def more(self, config: Any) -> dict[str, str]:
        """Return what the card says of the model besides."""
        return {}

    def pack(self, state: S) -> bytes:
        """Return the weights as the bytes of a safetensors file."""
        return write_arrays({"keys": state.weights.keys, "weights": state.weights.weights})


def unpack_weights(content: bytes, scale: float, max_weights: int) -> Linear:
    """Return the weights that `LinearFiles.pack` wrote.

    Parameters
    ----------
    content : of the safetensors file
    scale : of the weights
    max_weights : how many there are at most, as ``model.max-weights`` says
    """
    arrays = read_arrays(content, {"keys": "U64", "weights": "I16"})
    if len(arrays["keys"]) > max_weights:
        raise BadTensorsError(f"keys: expected at most model.max-weights = {max_weights:,}")
    return Linear(arrays["keys"], arrays["weights"], float(scale))
