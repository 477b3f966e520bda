"""Files of models whose weights are those of `ramify.learn.linear`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from ramify.learn.arrays import BadTensorsError, read_arrays, write_arrays
from ramify.learn.cards import card, data_rows, origin_rows, size_of
from ramify.learn.linear import Linear
from ramify.learn.model_files import BadVocabularyError, ModelFiles
from ramify.learn.state import LinearState

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LinearFiles", "number_of", "unpack_weights"]

S = TypeVar("S", bound=LinearState[Any])
_MOST = 1e6


class LinearFiles(ModelFiles[S]):
    """The files of a model with linear weights; the scale of the weights is in ``vocab.json``.

    Attributes
    ----------
    on_dev : how the card writes the scores on dev, which it gets in per cent by their names
    """

    on_dev: ClassVar[str]

    def card(self, facts: Mapping[str, Any], config: Any) -> str:
        """Return the card as Markdown; unknown facts are left out."""
        scores = facts.get("scores") or {}
        model = {
            "training": f"{config.training.epochs} epochs, seed {config.training.seed}",
            **self.more(config),
            "size": size_of(facts),
            **origin_rows(facts),
        }
        rows = {"on dev": self.on_dev.format(**{name: 100 * score for name, score in scores.items()})} if scores else {}
        return card(self.kind.capitalize(), {"Data": data_rows(facts), "Scores": rows, "Model": model})

    def more(self, config: Any) -> dict[str, str]:
        """Return what the card says of the model besides."""
        return {}

    def vocabulary(self, state: S) -> dict[str, Any]:
        """Return the number that is no weight."""
        return {"scale": state.weights.scale}

    def pack(self, state: S) -> bytes:
        """Return the weights as the bytes of a safetensors file."""
        return write_arrays({"keys": state.weights.keys, "weights": state.weights.weights})


def number_of(vocabulary: Mapping[str, Any], name: str, *, above: float | None = None) -> float:
    """Return a number of ``vocab.json``.

    Parameters
    ----------
    vocabulary : content of the file
    name : of the number
    above : it is larger than this
    """
    value: Any = vocabulary.get(name)
    fits = type(value) in (int, float) and abs(value) <= _MOST  # NaN is none of these
    if not fits or (above is not None and value <= above):
        raise BadVocabularyError(f"{name}: expected a number" + ("" if above is None else f" above {above:g}"))
    return float(value)


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
    return Linear(arrays["keys"], arrays["weights"], scale)
