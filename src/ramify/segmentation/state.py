"""What a segmenter is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import segmentation as _core

if TYPE_CHECKING:
    import numpy.typing as npt

    from ramify.segmentation.config import Config
    from ramify.segmentation.multiword import MultiwordRule

__all__ = ["NUM_PAIRS", "SegmenterState"]

NUM_PAIRS: int = _core.NUM_CLASSES**2


@dataclass(frozen=True)
class SegmenterState:
    """A trained segmenter.

    Attributes
    ----------
    config : options it was trained with
    token, sentence : (2^bits,) weights
    inside : (NUM_PAIRS,) 1 for two kinds of characters that no token ends between
    lexicon : words that the treebank has often enough, as ascending hashes
    rules : how multiword tokens are split
    spaces_inside : whether tokens may hold spaces
    sentence_bias : is added to the score of every sentence end
    known_share : share of words of new text like the treebank that are in `lexicon`; None if nobody has counted
    facts : what the card says
    """

    config: Config
    token: npt.NDArray[np.float16]
    sentence: npt.NDArray[np.float16]
    inside: npt.NDArray[np.uint8]
    lexicon: npt.NDArray[np.uint64]
    rules: list[MultiwordRule]
    spaces_inside: bool
    sentence_bias: float
    facts: dict[str, Any]
    known_share: float | None = None

    def build(self) -> _core.Segmenter:
        """Return the C++ side of it."""
        return _core.Segmenter(
            token=self.token.astype(np.float32),
            sentence=self.sentence.astype(np.float32),
            inside=self.inside,
            spaces_inside=self.spaces_inside,
            sentence_bias=self.sentence_bias,
            lexicon=self.lexicon,
            rules=self.rules,
        )
