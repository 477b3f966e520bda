"""How a state becomes files, and files become a state."""

from __future__ import annotations

from typing import Any, ClassVar

from ramify.learn.arrays import check_shape, read_arrays, write_arrays
from ramify.learn.cards import card, data_rows, origin_rows, size_of
from ramify.learn.containers import are_names
from ramify.learn.model_files import BadVocabularyError, ModelFiles
from toy_task.config import Config
from toy_task.state import State

__all__ = ["FILES"]


class ToyFiles(ModelFiles[State]):
    """The files of toys."""

    config: ClassVar[type[Config]] = Config

    @staticmethod
    def card(facts, config):
        """Say what a person wants to know."""
        model = {"size": size_of(facts), **origin_rows(facts)}
        return card("Toy", {"Data": data_rows(facts), "Scores": facts.get("scores", {}), "Model": model})

    def vocabulary(self, state: State) -> dict[str, Any]:
        """Return the names."""
        return {"forms": state.forms, "tags": state.tags}

    def pack(self, state: State) -> bytes:
        """Return the weights as the bytes of a safetensors file."""
        return write_arrays({"weights": state.weights.reshape(-1)})

    def unpack(self, config, vocabulary, weights) -> State:
        """Trust nothing: files may come from strangers."""
        for name in ("forms", "tags"):
            if not are_names(vocabulary.get(name), 1, 1 << 20):
                raise BadVocabularyError(f"{name}: expected a list of different names")
        forms, tags = tuple(vocabulary["forms"]), tuple(vocabulary["tags"])
        arrays = read_arrays(weights, {"weights": "F64"})
        check_shape(arrays, "weights", len(forms) * len(tags))
        return State(config, forms, tags, arrays["weights"].reshape(len(forms), len(tags)), vocabulary["facts"])


FILES = ToyFiles("toy")
