"""The model that parses: the C++ side, with what a network says of the sentences if a network scores them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify._core import Column
from ramify.parsing.reading import BATCH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    import ramify._core as _engine
    from ramify._core import parsing as _core
    from ramify.neural.tags import Advice
    from ramify.parsing.reading import Reader

__all__ = ["ScoredModel"]


class ScoredModel:
    """A model of the C++ side, whose parts have scores.

    Parameters
    ----------
    core : knows parts and inference
    reader : runs the network over sentences; None where the weights of features give the scores
    keep_tags : whether the network predicts tags only of sentences that have none
    """

    def __init__(self, core: _core.ParserModel, reader: Reader | None = None, *, keep_tags: bool = False) -> None:
        self.core = core
        self.reader = reader
        self.keep_tags = keep_tags

    def parse(
        self,
        sentences: Sequence[_engine.Sentence],
        request: _core.ParseRequest,
        constraints: Sequence[Sequence[_core.Constraint]],
        threads: int,
    ) -> list[_core.Parse]:
        """Write heads and labels into sentences; a network that predicts tags writes these, too."""
        if self.reader is None:
            return self.core.parse(list(sentences), request, constraints, threads, [])
        parses: list[_core.Parse] = []
        for begin in range(0, len(sentences), BATCH):
            batch = list(sentences[begin : begin + BATCH])
            bare = [s for s in batch if set(s.column(Column.UPOS)) <= {"_"}] if self.keep_tags else batch
            self.reader.write_tags(bare, threads)
            outputs = self.reader.read(batch, threads, request.max_words)
            parses += self.core.parse(batch, request, constraints[begin : begin + BATCH], threads, outputs)
        return parses

    def tag(self, sentences: Sequence[_engine.Sentence], threads: int, advice: Mapping[str, Advice]) -> None:
        """Write the tags that the network predicts, with the advice of other taggers."""
        if self.reader is not None:
            self.reader.write_tags(sentences, threads, advice)

    def problem(
        self, sentence: _engine.Sentence, factorization: _core.Factorization, projective: bool
    ) -> _core.SentenceProblem:
        """Return the factor graph of a sentence."""
        return self.core.problem(sentence, factorization, projective, self._output(sentence))

    def score(self, sentence: _engine.Sentence, heads: npt.NDArray[Any], labels: npt.NDArray[Any]) -> float:
        """Return the score of a tree; heads and labels have shape (n + 1,)."""
        return self.core.score(sentence, heads, labels, self._output(sentence))

    def parts(self, heads: npt.NDArray[Any], labels: npt.NDArray[Any]) -> list[_core.Part]:
        """Return the parts of a tree; heads and labels have shape (n + 1,)."""
        return self.core.parts(heads, labels)

    def explain(self, sentence: _engine.Sentence, parts: Sequence[_core.Part]) -> list[list[_core.FeatureFact]]:
        """Return what the score of each part is made of."""
        return self.core.explain(sentence, parts, self._output(sentence))

    def _output(self, sentence: _engine.Sentence) -> Any:
        return None if self.reader is None else self.reader.read([sentence], 1)[0]
