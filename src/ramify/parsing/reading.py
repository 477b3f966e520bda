"""A network that reads sentences: words become numbers here, and scores in C++."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify._core import Column
from ramify._core import neural as _neural
from ramify.neural.numbering import Numbering
from ramify.neural.vocabulary import RESERVED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    import ramify._core as _engine
    from ramify.neural.options import Network
    from ramify.neural.vocabulary import Vocabulary

__all__ = ["Reader"]

_TAGS = (Column.UPOS, Column.XPOS, Column.FEATS)


class Reader:
    """Runs a network over sentences.

    Parameters
    ----------
    options : of the network
    vocabulary : names that it knows by number
    arrays : its weights
    """

    def __init__(self, options: Network, vocabulary: Vocabulary, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.options = options
        self.network = _neural.Network(dict(arrays))
        self._numbering = Numbering(vocabulary)
        self._names = (vocabulary.upos, vocabulary.xpos, vocabulary.feats)
        self._last: tuple[Any, list[Any]] = ((), [])

    @property
    def predicts(self) -> bool:
        """Whether the network predicts tags."""
        return self.options.predict_tags

    def read(self, sentences: Sequence[_engine.Sentence], threads: int) -> list[Any]:
        """Return what the network says of each sentence.

        What it said last is remembered: a pipeline first asks for tags, and then for trees of the same sentences.
        """
        forms = [sentence.column(Column.FORM) for sentence in sentences]
        tags = [[sentence.column(column) for column in _TAGS] for sentence in sentences if self.options.tag_size]
        known, outputs = self._last
        if known == (forms, tags) or not forms:
            return outputs if forms else []
        outputs = self.network.run(*self._numbering.sentences(forms, tags), threads)
        self._last = ((forms, tags), outputs)
        return outputs

    def write_tags(self, sentences: Sequence[_engine.Sentence], outputs: Sequence[Any]) -> None:
        """Write the tags that the network predicts, if it does, into sentences."""
        if not self.predicts:
            return
        first = len(RESERVED)  # the root and the like are no tags
        for sentence, output in zip(sentences, outputs, strict=True):
            for column, names, logits in zip(_TAGS, self._names, output.tags, strict=True):
                if len(names) > first:
                    best = logits[1:, first:].argmax(-1) + first
                    sentence.set_column(column, [names[i] for i in best.tolist()])
