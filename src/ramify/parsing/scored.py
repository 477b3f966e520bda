"""The model that parses: the C++ side, with what a network says of the sentences if a network scores them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    import ramify._core as _engine
    from ramify._core import parsing as _core
    from ramify.parsing.reading import Reader

__all__ = ["ScoredModel"]


class ScoredModel:
    """A model of the C++ side, whose parts have scores.

    Parameters
    ----------
    core : knows parts and inference
    reader : runs the network over sentences; None where the weights of features give the scores
    """

    def __init__(self, core: _core.ParserModel, reader: Reader | None = None) -> None:
        self.core = core
        self.reader = reader

    def parse(
        self,
        sentences: Sequence[_engine.Sentence],
        request: _core.ParseRequest,
        constraints: Sequence[Sequence[_core.Constraint]],
        threads: int,
    ) -> list[_core.Parse]:
        """Write heads and labels into sentences; a network that predicts tags writes these, too."""
        outputs: Sequence[Any] = ()
        if self.reader is not None:
            outputs = self.reader.read(sentences, threads)
            self.reader.write_tags(sentences, outputs)
        return self.core.parse(list(sentences), request, constraints, threads, outputs)

    def tag(self, sentences: Sequence[_engine.Sentence], threads: int) -> None:
        """Write the tags that the network predicts."""
        if self.reader is not None:
            self.reader.write_tags(sentences, self.reader.read(sentences, threads))

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
