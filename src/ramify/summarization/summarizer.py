"""The summarizer, which turns documents into a summary of a given length."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import ramify
from ramify.compression.surface import pieces_of
from ramify.data.documents import Document
from ramify.errors import InvalidInputError
from ramify.learn.model import Model
from ramify.summarization.candidates import best_sentences, candidate_sentences, standing_sentences
from ramify.summarization.config import Method
from ramify.summarization.decoding import Solution, solve
from ramify.summarization.readability import connective_length
from ramify.summarization.reading import Layout, Reading, Scores, lay_out, read_input
from ramify.summarization.source import Source, read_source
from ramify.summarization.summary import Cut, Summary, SummarySentence, spans_of
from ramify.summarization.task import TASK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ramify.data import Sentence
    from ramify.learn.task import LearningTask
    from ramify.summarization.source import SourceSentence
    from ramify.summarization.state import State

__all__ = ["Summarizer", "built_in_summarizer"]

_MODELS = Path(__file__).resolve().parent / "models"
_DEFAULT_WORDS = 100
_QUERY = 3.0  # how many times more a concept of the query scores
_MOST_TRIES = 6
_WORD = re.compile(r"\S+")
_KNOWN = 0.4  # share of the words that the pipeline's language has, below which nothing is cut


def built_in_summarizer(language: str = "en") -> Path:
    """Return the path of the built-in summarizer of a language.

    Parameters
    ----------
    language : its code
    """
    path = _MODELS / f"{language}.zip"
    if not path.is_file():
        known = ", ".join(sorted(found.stem for found in _MODELS.glob("*.zip"))) or "none"
        raise InvalidInputError(
            f"There is no built-in summarizer of {language!r}; built in: {known}. Train one with: ramify train --task "
            "summarize --train clusters.jsonl --output MODEL."
        )
    return path


@dataclass(frozen=True)
class _Wish:
    """What kind of summary is wanted."""

    budget: int
    sentences: int | None
    characters: bool
    compress: bool
    query: str
    method: Method
    share: float

    def size(self, text: str) -> int:
        return len(text) if self.characters else len(text.split())


class Summarizer(Model):
    """Makes summaries: it chooses sentences, shortens them, and never exceeds the given length.

    `train`, `load`, `save` and `card` are those of all models. ``Summarizer.load("en")`` is the one that comes with
    ramify. Training data are JSON lines with ``documents``, ``summaries`` and ``words``.
    """

    task: ClassVar[LearningTask] = TASK
    _model: State

    @classmethod
    def load(cls, path: str | Path = "en", *, options: Any = None) -> Summarizer:
        """Read a summarizer: ``"en"``, a directory, or a zip of one. Loading an untrusted model cannot run code.

        Parameters
        ----------
        path : of the model, or the code of a language
        options : none are taken
        """
        where = built_in_summarizer(path) if isinstance(path, str) and re.fullmatch("[a-z]{2,3}", path) else path
        return super().load(where, options=options)

    def summarize(
        self,
        documents: str | Document | Iterable[str | Document],
        *,
        words: int | None = None,
        sentences: int | None = None,
        ratio: float | None = None,
        characters: int | None = None,
        compress: bool = True,
        query: str = "",
        headline: bool = False,
        method: str | Method | None = None,
        min_share: float | None = None,
        pipeline: Any = None,
        threads: int = 1,
    ) -> Summary:
        """Summarize documents, all of them together.

        Parameters
        ----------
        documents : texts
        words : largest number of words, counted at spaces; 100 if no length is given
        sentences : largest number of sentences
        ratio : largest number of words as a share of those of the documents
        characters : largest number of characters
        compress : whether sentences can be shortened
        query : topic that the summary should be about
        headline : whether the first line of each document is its headline
        method : method that finds the best summary, as in `decoding.method`; that of the model if not given
        min_share : share of the words of a selected sentence that stay at least, as in `decoding.min_share`
        pipeline : divides the text into sentences and parses them; the built-in English one if not given
        threads : of the pipeline; the summary does not depend on this number
        """
        given = [documents] if isinstance(documents, (str, Document)) else list(documents)
        _check(words, sentences, ratio, characters)
        if min_share is not None and not 0 <= min_share <= 1:
            raise InvalidInputError(f"Summarizer.summarize expects min_share from 0 to 1; got {min_share!r}.")
        nlp = pipeline if pipeline is not None else english()
        source = read_source(given, nlp.segmenter, headline=headline)
        budget, is_characters = _budget(source, words, sentences, ratio, characters)
        decoding = self._model.config.decoding
        chosen_method = decoding.method if method is None else Method(method)
        share = decoding.min_share if min_share is None else min_share
        wish = _Wish(budget, sentences, is_characters, compress, query, chosen_method, share)
        return _Run(self._model, source, wish, nlp, threads).summary()


@lru_cache(maxsize=1)
def english() -> Any:
    """Return the built-in English pipeline, which is read once."""
    return ramify.load("en")


def _check(words: Any, sentences: Any, ratio: Any, characters: Any) -> None:
    for name, value in (("words", words), ("sentences", sentences), ("characters", characters)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise InvalidInputError(
                f"Summarizer.summarize expects {name} as a whole number, at least 1; got {value!r}."
            )
    if ratio is not None and not 0 < ratio <= 1:
        raise InvalidInputError(f"Summarizer.summarize expects ratio above 0 and at most 1; got {ratio!r}.")
    if sum(value is not None for value in (words, ratio, characters)) > 1:
        raise InvalidInputError("Summarizer.summarize expects one of words, ratio and characters; got several.")


def _budget(
    source: Source, words: int | None, sentences: int | None, ratio: float | None, characters: int | None
) -> tuple[int, bool]:
    if characters is not None:
        return characters, True
    if ratio is not None:
        return max(1, int(ratio * source.words)), False
    if words is not None:
        return words, False
    return (max(1, source.words) if sentences is not None else _DEFAULT_WORDS), False


class _Run:
    """One summary in the making."""

    def __init__(self, state: State, source: Source, wish: _Wish, nlp: Any, threads: int) -> None:
        self.state, self.source, self.wish, self.nlp, self.threads = state, source, wish, nlp, threads
        self.notes: list[str] = []

    def summary(self) -> Summary:
        if not self.source.sentences:
            self.notes.append("The input has no sentences, so the summary is empty.")
            return self._finished((), Solution(np.zeros(0, bool), 0.0, 0.0, True))
        wish = self.wish
        reading = read_input(self.source, query=wish.query)
        scores = self._scores(reading)
        can_cut = wish.compress and self._knows_language()
        most = None if can_cut or wish.characters else wish.budget
        chosen = standing_sentences(reading, candidate_sentences(reading, most))
        limit = self.state.config.decoding.candidate_words * (1 if can_cut else 5)
        chosen = standing_sentences(reading, best_sentences(reading, scores, chosen, max(limit, 2 * wish.budget)))
        if can_cut:
            reading = read_input(self.source, trees=self._trees(chosen), concepts=reading.concepts, query=wish.query)
            scores = self._scores(reading)
        return self._within(reading, scores, chosen)

    def _scores(self, reading: Reading) -> Scores:
        scores = reading.scores(self.state.weights.scores(reading.rows))
        if not self.wish.query:
            return scores
        wanted = _content(self.wish.query)
        asked = np.array([not wanted.isdisjoint(pair) for pair in reading.concepts.number], bool)
        mean = float(np.abs(scores.concepts).mean()) if len(scores.concepts) else 0.0
        concepts = np.where(asked, np.maximum(scores.concepts, 0.0) * _QUERY + mean, scores.concepts)
        return Scores(concepts, scores.sentences, scores.cuts)

    def _knows_language(self) -> bool:
        forms = [form for sentence in self.source.sentences[:200] for form in sentence.columns.forms]
        words, known = self.nlp.segmenter.count_known(forms)
        usual = self.nlp.segmenter.known_share or 0.0
        if words >= 5 and known < _KNOWN * usual * words:
            self.notes.append(
                f"The text does not look like the language of the pipeline ({self.nlp.language}), so sentences are "
                "chosen, but not shortened."
            )
            return False
        return True

    def _trees(self, chosen: list[int]) -> dict[int, Sentence]:
        columns = [self.source.sentences[s].columns for s in chosen]
        results = list(self.nlp.annotate(columns, threads=self.threads))
        missing = sum(not result.found for result in results)
        if missing:
            self.notes.append(f"{missing} of the sentences could not be parsed, so they are not shortened.")
        return {s: result.sentence for s, result in zip(chosen, results, strict=True) if result.found}

    def _within(self, reading: Reading, scores: Scores, chosen: list[int]) -> Summary:
        """Return a summary whose text is within the budget: what is written can be longer than what was counted."""
        wish, decoding = self.wish, self.state.config.decoding
        budget = wish.budget
        layout = lay_out(
            reading, chosen, budget, sentences=wish.sentences, characters=wish.characters, share=wish.share
        )
        problem = layout.scored(scores, decoding.cut_price)
        if wish.characters:  # the last sentence has no blank behind it
            problem = replace(problem, budget=budget + 1)
        for _ in range(_MOST_TRIES):
            solution = solve(problem, wish.method, decoding.iterations)
            if not solution.kept.any():
                solution = self._least_bad(problem)
            written = _Writer(layout, problem, scores, solution.kept, self.wish).sentences()
            excess = wish.size(" ".join(sentence.text for sentence in written)) - wish.budget
            if excess <= 0 or not written:
                break
            problem = replace(problem, budget=max(0, problem.budget - excess))
        else:
            written = ()
        if not written:
            self._say_why()
        return self._finished(written, solution)

    def _least_bad(self, problem: Any) -> Solution:
        """Return the best summary of one sentence: where every sentence scores below zero, or needs another one."""
        problem = replace(problem, requires=np.full(problem.num_sentences, -1))
        best = Solution(np.zeros(len(problem.heads), bool), 0.0, 0.0, False)
        highest = -np.inf
        for s in range(problem.num_sentences):
            kept = np.zeros(len(problem.heads), bool)
            kept[problem.begin[s] : problem.begin[s + 1]] = True
            value = problem.value(kept)
            if value > highest:
                best, highest = Solution(kept, value, float("inf"), False), value
        return best

    def _say_why(self) -> None:
        unit = "characters" if self.wish.characters else "words"
        shortest = min(self.wish.size(sentence.text) for sentence in self.source.sentences)
        self.notes.append(
            f"No sentence fits into {self.wish.budget:,} {unit}; the shortest has {shortest:,}. The summary is empty."
        )

    def _finished(self, sentences: tuple[SummarySentence, ...], solution: Solution) -> Summary:
        return Summary(
            sentences,
            self.source.documents,
            self.wish.budget,
            "characters" if self.wish.characters else "words",
            solution.value,
            solution.bound,
            solution.certified,
            tuple(self.notes),
        )


def _content(text: str) -> set[str]:
    from ramify.summarization.concepts import STOP_WORDS, read_stems

    return set(read_stems(text).stems) - STOP_WORDS


class _Writer:
    """Writes the sentences of a choice."""

    def __init__(self, layout: Layout, problem: Any, scores: Scores, kept: NDArray[np.bool_], wish: _Wish) -> None:
        self.layout, self.problem, self.scores, self.kept, self.wish = layout, problem, scores, kept, wish
        self.names = layout.reading.concepts.names

    def sentences(self) -> tuple[SummarySentence, ...]:
        found: list[SummarySentence] = []
        said: set[int] = set()
        last = -2
        begin = self.problem.begin
        for i, s in enumerate(self.layout.chosen):
            own = self.kept[begin[i] : begin[i + 1]]
            if own.any():
                found.append(self._sentence(i, s, own, said, follows=last == s - 1))
                last = s
        return tuple(found)

    def _sentence(self, i: int, s: int, own: NDArray[np.bool_], said: set[int], *, follows: bool) -> SummarySentence:
        reading = self.layout.reading
        sentence = reading.source.sentences[s]
        document = reading.source.documents[sentence.document]
        pieces = _whole(sentence) if own.all() else _cut(sentence, reading, s, own)
        if not follows and sentence.number > 0:
            pieces = _without_connective(pieces)
        begin = int(self.problem.begin[i])
        return SummarySentence(
            sentence,
            document.id,
            spans_of(pieces, document.text),
            self._brought(i, own, said),
            tuple(self._cuts(s, begin, own)),
            float(self.problem.stays[begin : begin + len(own)][own].sum()),
        )

    def _brought(self, i: int, own: NDArray[np.bool_], said: set[int]) -> tuple[tuple[str, float], ...]:
        p = self.problem
        begin, end = p.begin[i], p.begin[i + 1]
        mine = (p.first >= begin) & (p.first < end) & self.kept[p.first] & self.kept[p.second]
        fresh = [m for m in dict.fromkeys(p.concept[mine].tolist()) if m not in said]
        said.update(fresh)
        pairs = [(self.names[m], float(p.weights[m])) for m in fresh]
        return tuple(sorted(pairs, key=lambda pair: -pair[1]))

    def _cuts(self, s: int, begin: int, own: NDArray[np.bool_]) -> Iterable[Cut]:
        units = self.layout.reading.units.get(s)
        if units is None or len(units) != len(own):
            return
        for u in np.flatnonzero(~own & np.append(own, True)[units.heads]).tolist():
            below = np.zeros(len(own), bool)
            for v in range(len(own)):
                below[v] = v == u or (units.heads[v] >= 0 and below[units.heads[v]])
            gone = [
                word.surface for word, unit in zip(units.words, units.unit, strict=True) if unit >= 0 and below[unit]
            ]
            yield Cut(
                " ".join(filter(None, gone)), int(units.lengths[below].sum()), float(self.problem.cuts[begin + u])
            )


def _whole(sentence: SourceSentence) -> list[tuple[int, int, str]]:
    pieces: list[tuple[int, int, str]] = []
    for match in _WORD.finditer(sentence.text):
        text = (" " if pieces else "") + match.group()
        pieces.append((sentence.start + match.start(), sentence.start + match.end(), text))
    return pieces


def _cut(sentence: SourceSentence, reading: Reading, s: int, own: NDArray[np.bool_]) -> list[tuple[int, int, str]]:
    units = reading.units[s]
    token = np.cumsum([bool(word.width) for word in units.words]) - 1
    return [
        (
            int(sentence.starts[token[piece.word]]),
            int(sentence.ends[token[piece.word]]),
            (" " if piece.space else "") + piece.text,
        )
        for piece in pieces_of(units, units.kept_words(own))
    ]


def _without_connective(pieces: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    text = "".join(piece[2] for piece in pieces)
    length = connective_length(text)
    if not length:
        return pieces
    kept, position = [], 0
    for start, end, written in pieces:
        if position >= length - 1 and written.strip():
            kept.append((start, end, written))
        position += len(written)
    if not kept:
        return pieces
    start, end, written = kept[0]
    written = written.lstrip()
    kept[0] = (start, end, written[:1].upper() + written[1:])
    return kept
