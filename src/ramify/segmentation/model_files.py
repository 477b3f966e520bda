"""Segmenters on disk: the files of any model of ramify, with the arrays and names of this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ramify.learn.arrays import BadTensorsError, check_shape, read_arrays, write_arrays
from ramify.learn.model_files import BadVocabularyError, ModelFiles
from ramify.options import Number, key_of
from ramify.segmentation.card import render_card
from ramify.segmentation.config import Config
from ramify.segmentation.state import NUM_PAIRS, SegmenterState

if TYPE_CHECKING:
    import numpy.typing as npt

    from ramify.segmentation.multiword import MultiwordRule, WordRule

__all__ = ["FILES", "load_segmenter", "save_segmenter"]

_ARRAYS: dict[str, str | tuple[str, ...]] = {"token": "F16", "sentence": "F16", "inside": "U8", "lexicon": "U64"}
_DTYPES = {"token": np.float16, "sentence": np.float16, "inside": np.uint8, "lexicon": np.uint64}
_MAX_RULES = 1_000_000
_MAX_LETTERS = 1000
_MOST_BIAS = 1e6


class SegmenterFiles(ModelFiles[SegmenterState]):
    """The files of segmenters."""

    config: ClassVar[type[Config]] = Config
    card = staticmethod(render_card)
    indent: ClassVar[int | None] = None  # there may be thousands of rules

    def vocabulary(self, state: SegmenterState) -> dict[str, Any]:
        """Return the rules for multiword tokens, and a few numbers."""
        numbers = {key_of(name): getattr(state, name) for name in ("spaces_inside", "sentence_bias", "known_share")}
        return numbers | {"multiword": state.rules}

    def pack(self, state: SegmenterState) -> bytes:
        """Return the arrays of both questions."""
        return write_arrays({name: getattr(state, name) for name in _ARRAYS})

    def unpack(self, config: Config, vocabulary: dict[str, Any], weights: bytes) -> SegmenterState:
        """Check names, rules and arrays."""
        _check(vocabulary)
        return SegmenterState(
            config=config,
            **_unpack(weights, 1 << config.model.bits),
            rules=vocabulary["multiword"],
            spaces_inside=vocabulary["spaces-inside"],
            sentence_bias=vocabulary["sentence-bias"],
            facts=vocabulary["facts"],
            known_share=vocabulary.get("known-share"),
        )


def _unpack(content: bytes, num_weights: int) -> dict[str, npt.NDArray[Any]]:
    arrays = read_arrays(content, _ARRAYS)
    for name, size in (("token", num_weights), ("sentence", num_weights), ("inside", NUM_PAIRS)):
        check_shape(arrays, name, size)
    if not all(np.isfinite(arrays[name]).all() for name in ("token", "sentence")):
        raise BadTensorsError("expected finite weights")
    return {name: arrays[name].astype(dtype) for name, dtype in _DTYPES.items()}


def _check(vocabulary: dict[str, Any]) -> None:
    """Refuse wrong values; the right ones get their proper types."""
    try:
        vocabulary["sentence-bias"] = Number(-_MOST_BIAS, _MOST_BIAS).check(vocabulary.get("sentence-bias"))
    except ValueError:
        raise BadVocabularyError("sentence-bias: expected a number") from None
    if not isinstance(vocabulary.get("spaces-inside"), bool):
        raise BadVocabularyError("spaces-inside: expected true or false")
    share = vocabulary.get("known-share")
    if share is not None and (isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1):
        raise BadVocabularyError("known-share: expected a number from 0 to 1")
    vocabulary["multiword"] = _checked_rules(vocabulary.get("multiword"))
    if vocabulary["multiword"] is None:
        raise BadVocabularyError("multiword: expected endings of tokens, each with its words")


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


FILES = SegmenterFiles("segmenter")
load_segmenter = FILES.load
save_segmenter = FILES.save
