"""Words cut into pieces for a pretrained encoder, and sentences into windows that it can read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from ramify.errors import InvalidInputError, MissingExtraError

try:
    from tokenizers import Tokenizer
except ImportError as error:  # pragma: no cover - the tests of this module need it
    raise MissingExtraError("transformers", "encoders", "A pretrained encoder") from error

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Split", "Splitter"]


class Split(NamedTuple):
    """A sentence of n words: windows of numbers of pieces, and window and place of the root's and each word's piece."""

    windows: list[list[int]]
    places: list[tuple[int, int]]


class Splitter:
    """Cuts sentences into windows.

    Parameters
    ----------
    tokenizer : content of ``tokenizer.json``
    limit : number of pieces of a window, the special ones included
    """

    def __init__(self, tokenizer: str, limit: int) -> None:
        try:
            content = json.loads(tokenizer)
            before = content.get("pre_tokenizer") or {}
            for step in [before, *before.get("pretokenizers", [])]:
                if step.get("type") == "ByteLevel":  # every word of ours starts like a word after a space
                    step["add_prefix_space"] = True
            self._tokenizer = Tokenizer.from_str(json.dumps(content))
        except Exception as error:  # of whatever type the library likes
            raise InvalidInputError(f"encoder.path expects a tokenizer.json that can be read ({error}).") from None
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        framed = self._tokenizer.encode(["a"], is_pretokenized=True)
        inside = [i for i, special in enumerate(framed.special_tokens_mask) if not special] or [0]
        self._before, self._after = framed.ids[: inside[0]], framed.ids[inside[-1] + 1 :]
        self._room = max(1, limit - len(self._before) - len(self._after))

    def split(self, forms: Sequence[str]) -> Split:
        """Cut a sentence; a word without pieces, and the root, have the place where their window begins."""
        encoding = self._tokenizer.encode(list(forms), is_pretokenized=True, add_special_tokens=False)
        words: list[list[int]] = [[] for _ in forms]
        for number, word in zip(encoding.ids, encoding.word_ids, strict=True):
            if word is not None:
                words[word].append(number)
        windows: list[list[int]] = [[]]
        places = [(0, 0)]
        for pieces in words:
            kept = pieces[: self._room]
            if len(windows[-1]) + len(kept) > self._room:
                windows.append([])
            places.append((len(windows) - 1, len(self._before) + len(windows[-1]) if kept else 0))
            windows[-1] += kept
        framed = [[*self._before, *window, *self._after] or [0] for window in windows]
        return Split(framed, places)
