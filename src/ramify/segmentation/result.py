"""The result of segmentation: sentences and the positions of their tokens in the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from ramify.data import Sentence
from ramify.segmentation.gold_text import surface_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

__all__ = ["Segmentation", "restore_text"]


@dataclass(frozen=True)
class Segmentation(Sequence[Sentence]):
    """The sentences of a text; it is a sequence of them.

    Attributes
    ----------
    text : the segmented text
    sentences : with words, multiword tokens, ``# text``, ``# newpar``, and white space in MISC
    starts, ends : (n,) characters of the text that the n surface tokens of all sentences cover
    offsets : (S + 1,) tokens of sentence i are ``offsets[i]`` to ``offsets[i + 1]``
    """

    text: str
    sentences: tuple[Sentence, ...]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sentences)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sentence]: ...
    def __getitem__(self, index: int | slice) -> Sentence | Sequence[Sentence]:
        """Return a sentence, or several."""
        return self.sentences[index]

    def spans(self, sentence: int) -> npt.NDArray[np.int64]:
        """Return (n, 2), where each surface token of a sentence starts and ends in the text."""
        number = range(len(self))[sentence]
        tokens = slice(self.offsets[number], self.offsets[number + 1])
        return np.column_stack((self.starts[tokens], self.ends[tokens]))

    @property
    def tokens(self) -> list[str]:
        """The n surface tokens, as they stand in the text."""
        return [self.text[start:end] for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True)]

    def __repr__(self) -> str:
        return f"<Segmentation: {len(self):,} sentences, {len(self.starts):,} tokens, {len(self.text):,} characters>"


def restore_text(sentences: Iterable[Sentence]) -> str:
    r"""Return the original text of sentences, from their tokens and the white space that MISC records.

    What MISC says nothing of is a single space, so the text is the very one that `Segmenter.segment` was given.

    Examples
    --------
    >>> restore_text([Sentence(["Hi", "!"], misc=["SpaceAfter=No", r"SpacesAfter=\n"])])
    'Hi!\n'
    """
    pieces: list[str] = []
    for sentence in sentences:
        for token in surface_tokens(sentence):
            space = token.space_after
            pieces += (token.space_before, token.form, " " if space is None else space)
    return "".join(pieces)
