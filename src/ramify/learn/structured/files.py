"""Structured models in the files that all models of ramify have. They hold weights, and no code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError, ModelError
from ramify.learn.arrays import BadTensorsError, read_arrays, write_arrays
from ramify.learn.cards import card
from ramify.learn.containers import FORMAT_VERSION, REMEDY, are_names, read_files, read_vocabulary, write_files
from ramify.learn.structured.fitting import History
from ramify.learn.structured.methods import CODE, from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[Any]]

__all__ = ["Saved", "given_parameters", "read_model", "write_model"]

KIND = "structured model"
_NAMES = ["vocab.json", "weights.safetensors", "card.md"]
_TYPES = {"uint64": "U64", "uint32": "U32", "float32": "F32", "float64": "F64"}
_LARGEST = 1 << 31  # features of a template, and weights of each


@dataclass(frozen=True)
class Saved:
    """What a file holds of a model.

    Attributes
    ----------
    parameters : of the constructor; read from a file they are JSON still
    shapes : templates in their order, with numbers of features and of weights for each
    epochs : that it has been trained for
    history, state : how that went, and the learner as it stands
    """

    parameters: dict[str, Any]
    shapes: dict[str, tuple[int, int]]
    epochs: int
    history: History
    state: Arrays


def write_model(saved: Saved, target: Path) -> None:
    """Write a model: a directory, or a zip if the path ends in ``.zip``; it appears whole or not at all."""
    best = saved.history.best or {}
    arrays = saved.state | {f"best.{name}": array for name, array in best.items()}
    vocabulary = {
        "format-version": FORMAT_VERSION,
        "kind": KIND,
        "parameters": {name: to_json(value) for name, value in saved.parameters.items()},
        "templates": list(saved.shapes),
        "shapes": list(saved.shapes.values()),
        "epochs": saved.epochs,
        "losses": saved.history.losses,
        "scores": saved.history.scores,
        "arrays": {name: _TYPES[array.dtype.name] for name, array in arrays.items()},
        "facts": {"templates": len(saved.shapes), "epochs": saved.epochs},
    }
    rows = {
        name: f"{features:,} features, {width:,} weights of each" for name, (features, width) in saved.shapes.items()
    }
    training = {"epochs": saved.epochs, "loss": f"{saved.history.losses[-1]:.4f}" if saved.history.losses else "none"}
    files = {
        "vocab.json": json.dumps(vocabulary, ensure_ascii=False, indent=1).encode(),
        "weights.safetensors": write_arrays(arrays),
        "card.md": card("Structured model", {"Templates": rows, "Training": training}).encode(),
    }
    write_files(files, target)


def read_model(path: Path, names: list[str]) -> Saved:
    """Read what `write_model` wrote; values of parameters are still JSON.

    Parameters
    ----------
    path : of the model
    names : of the parameters

    Raises
    ------
    ModelError
        Something is missing, damaged, too large, of a newer format, or no structured model.
    """
    files = read_files(path, _NAMES)
    value = read_vocabulary(files["vocab.json"], str(path), FORMAT_VERSION)
    problem = _problem(value, names)
    if problem:
        raise ModelError(str(path), "vocab.json", problem)
    try:
        arrays = read_arrays(files["weights.safetensors"], value["arrays"])
    except BadTensorsError as error:
        raise ModelError(str(path), "weights.safetensors", f"{error}; {REMEDY}") from None
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise ModelError(str(path), "weights.safetensors", f"expected finite numbers; {REMEDY}")
    best = {name.removeprefix("best."): array for name, array in arrays.items() if name.startswith("best.")}
    state = {name: array for name, array in arrays.items() if not name.startswith("best.")}
    shapes = {
        name: (features, width) for name, (features, width) in zip(value["templates"], value["shapes"], strict=True)
    }
    history = History(value["losses"], value["scores"], best or None)
    return Saved(value["parameters"], shapes, value["epochs"], history, state)


def given_parameters(path: Path, saved: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a constructor: what the caller gives, and else what the file holds.

    Parameters
    ----------
    path : of the model
    saved : as JSON, by name
    given : values by name
    """
    out = dict(given)
    for name, value in saved.items():
        if name in out:
            continue
        if value == CODE:
            raise InvalidInputError(
                f"StructuredModel.load expects {name} to be given: it was code when the model was saved, and no file "
                "holds code."
            )
        try:
            out[name] = from_json(value)
        except (InvalidInputError, TypeError, ValueError) as error:
            raise ModelError(str(path), "vocab.json", f"parameters: {name}: {error}") from None
    return out


def _problem(value: Mapping[str, Any], names: list[str]) -> str:
    """Say what is wrong with the content of ``vocab.json``; nothing if nothing is."""
    if value.get("kind") != KIND:
        return f"expected a {KIND}; this is another kind of model"
    if not isinstance(value.get("parameters"), dict) or sorted(value["parameters"]) != sorted(names):
        return f"parameters: expected {', '.join(names)}"
    templates, shapes = value.get("templates"), value.get("shapes")
    if not are_names(templates, 0, 1 << 12) or not isinstance(shapes, list) or len(shapes) != len(templates or ()):
        return "templates: expected different names, each with a shape"
    if not all(isinstance(shape, list) and len(shape) == 2 and all(map(_is_size, shape)) for shape in shapes):
        return "shapes: expected two numbers for each template"
    if type(value.get("epochs")) is not int or value["epochs"] < 0:
        return "epochs: expected a whole number"
    for name in ("losses", "scores"):
        if not isinstance(value.get(name), list) or not all(type(item) in (int, float) for item in value[name]):
            return f"{name}: expected numbers"
    arrays = value.get("arrays")
    if not isinstance(arrays, dict) or not all(kind in _TYPES.values() for kind in arrays.values()):
        return "arrays: expected names and types"
    return ""


def _is_size(number: object) -> bool:
    return type(number) is int and 1 <= number < _LARGEST
