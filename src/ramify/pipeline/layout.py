"""Where the tokens of a document stand in its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ramify.segmentation import surface_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ramify.data import Sentence

__all__ = ["Layout", "layout_of", "surface_numbers"]


@dataclass(frozen=True)
class Layout:
    """A text and its T surface tokens, in S sentences.

    Attributes
    ----------
    text : the text
    starts, ends : (T,) characters that the tokens cover
    offsets : (S + 1,) tokens of sentence i are ``offsets[i]`` to ``offsets[i + 1]``
    size : characters with the space after the last token, which the text itself does not have
    """

    text: str
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]
    size: int = 0


def layout_of(sentences: Sequence[Sentence]) -> Layout:
    """Return the text of sentences that were tokenized elsewhere, from their words and what MISC says of spaces."""
    pieces: list[str] = []
    starts: list[int] = []
    offsets = [0]
    size = 0
    for sentence in sentences:
        for token in surface_tokens(sentence):
            space = token.space_after
            before, after = token.space_before, " " if space is None else space
            starts.append(size + len(before))
            size += len(before) + len(token.form) + len(after)
            pieces += (before, token.form, after)
        offsets.append(len(starts))
    forms = pieces[1::3]
    ends = [start + len(form) for start, form in zip(starts, forms, strict=True)]
    text = "".join(pieces)
    return Layout(
        text[: ends[-1]] if ends else text,
        np.array(starts, np.int64),
        np.array(ends, np.int64),
        np.array(offsets, np.int64),
        size,
    )


def surface_numbers(sentence: Sentence) -> npt.NDArray[np.int64]:
    """Return (n,) the surface token, from 0, that each word belongs to; those of a multiword token share one."""
    step = np.ones(len(sentence), np.int64)
    step[:1] = 0
    for token in sentence.multiword_tokens:
        step[token.first : token.last] = 0
    return np.cumsum(step)
