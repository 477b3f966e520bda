"""Segmenters on disk: the files of any model of ramify, with the arrays and names of this one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError, ModelError
from ramify.learn.arrays import BadTensorsError, check_shape, read_arrays, write_arrays
from ramify.learn.containers import check_card, read_files, read_vocabulary, write_files
from ramify.options import Number
from ramify.segmentation.card import render_card
from ramify.segmentation.options import Options
from ramify.segmentation.state import NUM_PAIRS, SegmenterState

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from ramify.segmentation.multiword import MultiwordRule, WordRule

__all__ = ["FORMAT_VERSION", "KIND", "from_files", "load_segmenter", "save_segmenter", "to_files"]

FORMAT_VERSION = 1
KIND = "segmenter"
_ARRAYS: dict[str, str | tuple[str, ...]] = {"token": "F16", "sentence": "F16", "inside": "U8", "lexicon": "U64"}
_DTYPES = {"token": np.float16, "sentence": np.float16, "inside": np.uint8, "lexicon": np.uint64}
_MAX_RULES = 1_000_000
_MAX_LETTERS = 1000
_MOST_BIAS = 1e6


def save_segmenter(state: SegmenterState, path: str | Path) -> None:
    """Write a segmenter: a directory, or a zip if the path ends in ``.zip``; it appears whole or not at all."""
    write_files(to_files(state), Path(path))


def load_segmenter(path: str | Path) -> SegmenterState:
    """Read a segmenter that `save_segmenter` wrote.

    Raises
    ------
    ModelError
        Something is missing, damaged, too large, of a newer format, or a model of another kind.
    """
    return from_files(read_files(Path(path)), str(path))


def from_files(files: Mapping[str, bytes], path: str) -> SegmenterState:
    """Return the segmenter that files hold; `path` is for errors."""
    vocabulary = _read_vocabulary(files["vocab.json"], path)
    try:
        options = Options.parse(files["config.toml"].decode())
    except (InvalidInputError, UnicodeDecodeError) as error:
        raise ModelError(path, "config.toml", str(error)) from None
    arrays = _unpack(files["weights.safetensors"], 1 << options.bits, path)
    check_card(path, lambda: render_card(vocabulary["facts"], options))
    return SegmenterState(
        options=options,
        token=arrays["token"],
        sentence=arrays["sentence"],
        inside=arrays["inside"],
        lexicon=arrays["lexicon"],
        rules=vocabulary["multiword"],
        spaces_inside=vocabulary["spaces-inside"],
        sentence_bias=vocabulary["sentence-bias"],
        facts=vocabulary["facts"],
        known_share=vocabulary.get("known-share"),
    )


def to_files(state: SegmenterState) -> dict[str, bytes]:
    """Return the files of a segmenter, by their names."""
    vocabulary = {
        "format-version": FORMAT_VERSION,
        "kind": KIND,
        "spaces-inside": state.spaces_inside,
        "sentence-bias": state.sentence_bias,
        "known-share": state.known_share,
        "multiword": state.rules,
        "facts": state.facts,
    }
    return {
        "config.toml": state.options.to_toml().encode(),
        "vocab.json": json.dumps(vocabulary, ensure_ascii=False).encode(),
        "weights.safetensors": write_arrays({name: getattr(state, name) for name in _ARRAYS}),
        "card.md": render_card(state.facts, state.options).encode(),
    }


def _unpack(content: bytes, num_weights: int, path: str) -> dict[str, npt.NDArray[Any]]:
    try:
        arrays = read_arrays(content, _ARRAYS)
        for name, size in (("token", num_weights), ("sentence", num_weights), ("inside", NUM_PAIRS)):
            check_shape(arrays, name, size)
    except BadTensorsError as error:
        raise ModelError(path, "weights.safetensors", str(error)) from None
    if not all(np.isfinite(arrays[name]).all() for name in ("token", "sentence")):
        raise ModelError(path, "weights.safetensors", "expected finite weights")
    return {name: arrays[name].astype(dtype) for name, dtype in _DTYPES.items()}


def _read_vocabulary(content: bytes, path: str) -> dict[str, Any]:
    def refuse(problem: str) -> ModelError:
        return ModelError(path, "vocab.json", problem)

    value = read_vocabulary(content, path, FORMAT_VERSION)
    if value.get("kind") != KIND:
        raise refuse("expected a model that segments text; this one is for something else")
    try:
        bias = Number(-_MOST_BIAS, _MOST_BIAS).check(value.get("sentence-bias"))
    except ValueError:
        raise refuse("sentence-bias: expected a number") from None
    if not isinstance(value.get("spaces-inside"), bool):
        raise refuse("spaces-inside: expected true or false")
    share = value.get("known-share")
    if share is not None and (isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1):
        raise refuse("known-share: expected a number from 0 to 1")
    rules = _checked_rules(value.get("multiword"))
    if rules is None:
        raise refuse("multiword: expected endings of tokens, each with its words")
    return value | {"multiword": rules, "sentence-bias": bias}


def _checked_rules(rules: object) -> list[MultiwordRule] | None:
    """Return the rules in their proper types, or None if they are not rules."""
    if not isinstance(rules, list) or len(rules) > _MAX_RULES:
        return None
    checked: list[MultiwordRule] = []
    for rule in rules:
        if not isinstance(rule, list) or len(rule) != 2 or not _is_text(rule[0]) or not isinstance(rule[1], list):
            return None
        words = [_checked_word(word) for word in rule[1]]
        if len(words) == 1 or len(words) > _MAX_LETTERS or None in words:
            return None
        checked.append((rule[0], [word for word in words if word is not None]))
    return checked


def _checked_word(word: object) -> WordRule | None:
    if not isinstance(word, list) or len(word) != 3 or not _is_text(word[2]):
        return None
    begin, end, letters = word
    if any(isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= _MAX_LETTERS for n in (begin, end)):
        return None
    # Letters go into files: nothing that would break a line or a column.
    return None if any(map(str.isspace, letters)) else (begin, end, letters)


def _is_text(value: object) -> bool:
    return (
        isinstance(value, str)
        and len(value) <= _MAX_LETTERS
        and not any("\ud800" <= character <= "\udfff" for character in value)
    )
