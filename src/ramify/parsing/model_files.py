"""Parsers on disk, in the files that all models of ramify have (`ramify.learn.containers`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramify.errors import InvalidInputError, ModelError
from ramify.learn.arrays import BadTensorsError
from ramify.learn.containers import (
    FORMAT_VERSION,
    REMEDY,
    are_names,
    check_card,
    check_target,
    is_model,
    read_card,
    read_facts,
    read_files,
    read_vocabulary,
    write_files,
)
from ramify.parsing import tensors
from ramify.parsing.card import render_card
from ramify.parsing.config import Config
from ramify.parsing.state import COLUMNS, MAX_LABELS, MAX_PAIRS, MAX_TAGS, ModelState

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "FORMAT_VERSION",
    "check_target",
    "from_files",
    "is_model",
    "load_model",
    "read_card",
    "read_facts",
    "save_model",
    "to_files",
]


def save_model(state: ModelState, path: str | Path) -> None:
    """Write a model: a directory, or a zip if the path ends in ``.zip``; it appears whole or not at all."""
    write_files(to_files(state), Path(path))


def load_model(path: str | Path) -> ModelState:
    """Read a model that `save_model` wrote.

    Raises
    ------
    ModelError
        Something is missing, damaged, too large, of a newer format, or no parser.
    """
    return from_files(read_files(Path(path)), str(path))


def from_files(files: Mapping[str, bytes], path: str) -> ModelState:
    """Return the model that files hold; `path` is for errors."""
    vocabulary = _read_vocabulary(files["vocab.json"], path)
    try:
        config = Config.parse(files["config.toml"].decode(), name="config.toml")
    except (InvalidInputError, UnicodeDecodeError) as error:
        raise ModelError(path, "config.toml", str(error).removeprefix("config.toml: ")) from None
    try:
        frame, weights = tensors.unpack(files["weights.safetensors"], vocabulary, config)
    except BadTensorsError as error:
        raise ModelError(path, "weights.safetensors", f"{error}; {REMEDY}") from None
    check_card(path, lambda: render_card(vocabulary["facts"], config))
    return ModelState(config, frame, weights, vocabulary["facts"])


def to_files(state: ModelState) -> dict[str, bytes]:
    """Return the files of a model, by their names."""
    frame = state.frame
    arrays = tensors.pack(frame, state.weights)
    facts = state.facts | {"bytes": len(arrays)}
    vocabulary = {
        "format-version": FORMAT_VERSION,
        "tags": frame.tags,
        "labels": frame.labels,
        "empty-columns": frame.empty,
        "single-root": frame.single_root,
        "facts": facts,
    }
    return {
        "config.toml": state.config.to_toml().encode(),
        "vocab.json": json.dumps(vocabulary, ensure_ascii=False, indent=1).encode(),
        "weights.safetensors": arrays,
        "card.md": render_card(facts, state.config).encode(),
    }


def _read_vocabulary(content: bytes, path: str) -> dict[str, Any]:
    def refuse(problem: str) -> ModelError:
        return ModelError(path, "vocab.json", problem)

    value = read_vocabulary(content, path, FORMAT_VERSION)
    if value.get("kind", "parser") != "parser":
        raise refuse("expected a parser; this is another kind of model")
    for key, low, high in (("tags", 2, MAX_TAGS), ("labels", 1, MAX_LABELS), ("empty-columns", 0, len(COLUMNS))):
        if not are_names(value.get(key), low, high):
            raise refuse(f"{key}: expected a list of {low} to {high} different names")
    if not set(value["empty-columns"]) <= set(COLUMNS):
        raise refuse(f"empty-columns: expected some of {', '.join(COLUMNS)}")
    if len(value["tags"]) ** 2 * len(value["labels"]) > MAX_PAIRS:
        raise refuse(f"expected at most {MAX_PAIRS:,} pairs of tags with labels")
    if not isinstance(value.get("single-root"), bool):
        raise refuse("single-root: expected true or false")
    return value
