"""A network that reads sentences: words become numbers here, and scores in C++."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import Column
from ramify._core import neural as _neural
from ramify.neural.numbering import Numbering
from ramify.neural.quantisation import full
from ramify.neural.tags import Advice, advised, best_tags
from ramify.neural.vocabulary import RESERVED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    import ramify._core as _engine
    from ramify.neural.encoder import Pretrained
    from ramify.neural.options import Network
    from ramify.neural.vocabulary import Vocabulary

__all__ = ["BATCH", "Reader"]

BATCH = 256
"""Sentences that a network reads at a time: what it says of them takes memory."""
_LONGEST = 2000  # words of a sentence that is read as a whole for its tags

_TAGS = (Column.UPOS, Column.XPOS, Column.FEATS)


class Reader:
    """Runs a network over sentences.

    Parameters
    ----------
    options : of the network
    vocabulary : names that it knows by number
    arrays : its weights
    pretrained : encoder whose vectors the network reads beside the embeddings of words
    """

    def __init__(
        self,
        options: Network,
        vocabulary: Vocabulary,
        arrays: Mapping[str, npt.NDArray[Any]],
        pretrained: Pretrained | None = None,
    ) -> None:
        self.options = options
        self._pretrained = pretrained
        # Vectors of encoders have a few very large numbers, beside which 8 bits would lose the others.
        self._arrays = dict(arrays) if pretrained is None else full(arrays)
        self._words = self._arrays.get("words.weight", np.zeros((len(vocabulary.words), 0), np.float32))
        self.network = self._with_words(np.zeros((1, vocabulary.encoder_width), np.float32), np.zeros(1, np.int32))
        self._numbering = Numbering(vocabulary)
        # The root and the like are no tags.
        self._names = tuple(names[len(RESERVED) :] for names in (vocabulary.upos, vocabulary.xpos, vocabulary.feats))
        self._combinations = vocabulary.combinations
        self._last: tuple[Any, list[Any]] = ((), [])

    @property
    def predicts(self) -> bool:
        """Whether the network predicts tags."""
        return self.options.predict_tags

    def read(self, sentences: Sequence[_engine.Sentence], threads: int, max_words: int = 0) -> list[Any]:
        """Return what the network says of each sentence; None for those with more than `max_words`, unless that is 0.

        What it said last is remembered: a pipeline first asks for tags, and then for trees of the same sentences.
        """
        short = [sentence for sentence in sentences if not 0 < max_words < len(sentence)]
        if len(short) < len(sentences):
            outputs = iter(self.read(short, threads))
            return [None if 0 < max_words < len(sentence) else next(outputs) for sentence in sentences]
        forms = [sentence.column(Column.FORM) for sentence in sentences]
        tags = [[sentence.column(column) for column in _TAGS] for sentence in sentences if self.options.tag_size]
        known, said = self._last
        if known == (forms, tags) or not forms:
            return said if forms else []
        said = self._run(forms, tags, threads)
        self._last = ((forms, tags), said)
        return said

    def _run(self, forms: Sequence[Sequence[str]], tags: Any, threads: int) -> list[Any]:
        numbered = self._numbering.sentences(forms, tags)
        if self._pretrained is None:
            return self.network.run(*numbered, threads)
        vectors = np.concatenate(self._pretrained.vectors(forms, threads=threads))
        network = self._with_words(vectors, numbered.words)
        return network.run(*numbered._replace(words=np.arange(len(vectors), dtype=np.int32)), threads)

    def _with_words(self, vectors: npt.NDArray[np.float32], words: npt.NDArray[np.int32]) -> _neural.Network:
        """Return the network; with an encoder, every token has a row of the table of words: embedding and vector."""
        if self._pretrained is None:
            return _neural.Network(dict(self._arrays))
        table = np.concatenate((self._words[words], vectors), 1)
        return _neural.Network({**self._arrays, "words.weight": np.ascontiguousarray(table, np.float32)})

    def write_tags(
        self, sentences: Sequence[_engine.Sentence], threads: int, advice: Mapping[str, Advice] | None = None
    ) -> None:
        """Write the tags that the network predicts, if it does, into sentences; very long ones are read in pieces.

        Parameters
        ----------
        sentences : with forms
        threads : number of threads
        advice : of other taggers, by column
        """
        if not self.predicts:
            return
        for begin in range(0, len(sentences), BATCH):
            batch = sentences[begin : begin + BATCH]
            outputs: list[Any] = []
            for sentence, output in zip(batch, self.read(batch, threads, _LONGEST), strict=True):
                outputs += [output] if output is not None else self._in_pieces(sentence, threads)
            self._write(batch, outputs, range(begin, begin + len(batch)), advice or {})

    def _in_pieces(self, sentence: _engine.Sentence, threads: int) -> list[Any]:
        forms = sentence.column(Column.FORM)
        pieces = [forms[i : i + _LONGEST] for i in range(0, len(forms), _LONGEST)]
        return self._run(pieces, [], threads)

    def _write(
        self, batch: Sequence[_engine.Sentence], outputs: Sequence[Any], places: range, advice: Mapping[str, Advice]
    ) -> None:
        scores = []
        for k, (column, names) in enumerate(zip(_TAGS, self._names, strict=True)):
            own = np.concatenate([output.tags[k][1:, len(RESERVED) :] for output in outputs])
            scores.append(advised(own, names, advice.get(column.name.lower()), places))
        best = best_tags(scores, self._combinations)
        for k, (column, names) in enumerate(zip(_TAGS, self._names, strict=True)):
            tags = iter([names[i] for i in best[:, k].tolist()])
            for sentence in batch:
                sentence.set_column(column, list(itertools.islice(tags, len(sentence))))
