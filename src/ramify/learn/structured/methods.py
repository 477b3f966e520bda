"""Parameters of a structured model as JSON: numbers, texts, losses and inference methods with their options."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import numpy as np

from ramify import inference
from ramify.errors import InvalidInputError
from ramify.learn.structured.losses import Loss

__all__ = ["from_json", "to_json"]

_CLASSES: dict[str, Any] = {name: getattr(inference, name) for name in inference.__all__} | {"Loss": Loss}
_KINDS = {name: kind for name, kind in _CLASSES.items() if isinstance(kind, type) and is_dataclass(kind)}
CODE = {"code": True}  # what a file cannot hold


def to_json(value: Any) -> Any:
    """Return a value that JSON can hold; functions and methods of the user's own are only noted."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (float, np.number)):
        number = value.item() if isinstance(value, np.number) else value
        return number if math.isfinite(number) else {"number": str(number)}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {"pairs": [[to_json(key), to_json(item)] for key, item in value.items()]}
    name = type(value).__name__
    if _KINDS.get(name) is type(value):
        options = {f.name: to_json(_plain(getattr(value, f.name))) for f in fields(value)}
        return CODE if CODE in options.values() else {"class": name, "options": options}
    return CODE


def from_json(value: Any) -> Any:
    """Return what `to_json` was given; raises InvalidInputError, TypeError or ValueError for anything else."""
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"number"}:
        return float(value["number"])
    if set(value) == {"pairs"}:
        return {from_json(key): from_json(item) for key, item in value["pairs"]}
    if set(value) != {"class", "options"} or value["class"] not in _KINDS or not isinstance(value["options"], dict):
        raise InvalidInputError(f"expected an inference method of ramify; got {str(value)[:80]}")
    kind = _KINDS[value["class"]]
    defaults = {f.name: f.default for f in fields(kind)}
    options = {name: from_json(option) for name, option in value["options"].items()}
    for name, option in options.items():
        if isinstance(defaults.get(name), Enum) and isinstance(option, str):
            choices: Any = type(defaults[name])
            try:
                options[name] = choices(option)
            except ValueError:
                raise InvalidInputError(f"{value['class']}: {name} has no choice {option[:80]!r}") from None
    return kind(**options)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value
