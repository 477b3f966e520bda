"""What is scored of an input: its concepts, its sentences, and the cuts of those that have trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ramify.compression.features import cut_features
from ramify.compression.units import Units, units_of
from ramify.learn.linear import Rows, Sharing, rows_of
from ramify.summarization.concepts import Concepts, find_concepts
from ramify.summarization.cuts import safe_units
from ramify.summarization.features import sentence_features
from ramify.summarization.problem import SummaryProblem
from ramify.summarization.readability import needed_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ramify.data import Sentence
    from ramify.summarization.source import Source

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

__all__ = ["Layout", "Reading", "Scores", "lay_out", "read_input"]

_ROUNDING = 1e-9
_WORDS = 20.0  # the score of a sentence is for so many words


@dataclass(frozen=True)
class Scores:
    """Scores of an input.

    Attributes
    ----------
    concepts : (concepts,)
    sentences : (sentences,) of each sentence, for a sentence of 20 words
    cuts : (cuts,) of the units of all sentences with trees, one after the other
    """

    concepts: Floats
    sentences: Floats
    cuts: Floats


@dataclass(frozen=True)
class Reading:
    """An input with its features.

    Attributes
    ----------
    source : documents and sentences
    concepts : of all sentences
    rows : features of the kinds of concepts, of sentences, and of cuts
    units : of sentences with trees, by their numbers, in ascending order
    """

    source: Source
    concepts: Concepts
    rows: Rows
    units: Mapping[int, Units]

    def scores(self, values: Floats) -> Scores:
        """Divide the scores of the rows.

        Parameters
        ----------
        values : of all rows
        """
        kinds, sentences = len(self.concepts.features), len(self.source.sentences)
        return Scores(
            values[:kinds][self.concepts.kind], values[kinds : kinds + sentences], values[kinds + sentences :]
        )


def read_input(
    source: Source,
    *,
    trees: Mapping[int, Sentence] | None = None,
    concepts: Concepts | None = None,
    query: str = "",
    sharing: Sharing | None = None,
) -> Reading:
    """Return an input with its features.

    Parameters
    ----------
    source : documents and sentences
    trees : parsed sentences by number; only these can be cut
    concepts : of the source, if they are known already
    query : what the summary shall be about
    sharing : how the task shares its weights with others
    """
    concepts = concepts or find_concepts(source, query)
    units = {s: safe_units(units_of(tree)) for s, tree in sorted((trees or {}).items())}
    cuts = [["cut:" + name for name in names] for own in units.values() for names in cut_features(own)]
    names: list[Sequence[str]] = [*concepts.features, *sentence_features(source, concepts, query), *cuts]
    return Reading(source, concepts, rows_of(names, sharing), units)


@dataclass(frozen=True)
class Layout:
    """A summary problem, and what its sentences are.

    Attributes
    ----------
    reading : the input
    problem : what a summary is chosen from
    chosen : (problem's sentences,) their numbers in the source
    words : (units,) words, counted at spaces
    cut_rows : (units,) the row of the cut of each unit among the cuts of the reading, −1 for none
    """

    reading: Reading
    problem: SummaryProblem
    chosen: tuple[int, ...]
    words: Ints
    cut_rows: Ints

    def scored(self, scores: Scores, price: float = 0.0) -> SummaryProblem:
        """Return the problem with scores.

        Parameters
        ----------
        scores : of the reading
        price : what each cut costs besides its score
        """
        p = self.problem
        own = np.repeat(np.array(self.chosen, np.int64), np.diff(p.begin))
        cuts = np.append(scores.cuts - price, 0.0)[self.cut_rows]  # the last one is that of no cut
        stays = self.words * scores.sentences[own] / _WORDS
        return replace(p, cuts=cuts, stays=stays, weights=scores.concepts)

    def gradient(self, kept: NDArray[np.bool_]) -> Floats:
        """Return (rows,) how often each row scores a choice.

        Parameters
        ----------
        kept : (units,) which units stay
        """
        p, reading = self.problem, self.reading
        kinds, sentences = len(reading.concepts.features), len(reading.source.sentences)
        found = np.zeros(len(reading.rows))
        np.add.at(found, reading.concepts.kind[np.flatnonzero(p.covered(kept))], 1.0)
        sizes = np.add.reduceat(self.words * kept, p.roots) if p.num_sentences else np.zeros(0)
        found[kinds + np.array(self.chosen, np.int64)] += sizes / _WORDS
        goes = np.append(kept, True)[p.heads] & ~kept & (self.cut_rows >= 0)
        found[kinds + sentences + self.cut_rows[goes]] += 1.0
        return found


def lay_out(
    reading: Reading,
    chosen: Sequence[int],
    budget: int,
    *,
    sentences: int | None = None,
    characters: bool = False,
    independent: bool = True,
    share: float = 0.0,
) -> Layout:
    """Return the problem of choosing a summary, without scores.

    Parameters
    ----------
    reading : the input
    chosen : numbers of the sentences that can be taken, ascending
    budget : words, counted at spaces, or characters
    sentences : how many at most
    characters : whether the budget counts characters, each sentence with a blank
    independent : whether sentences that need the one before can only stand with it
    share : of the length of a sentence that stays at least if it is chosen
    """
    maker = _Maker(reading, characters)
    for s in chosen:
        maker.add(s)
    requires = needed_sentences(reading.source, chosen) if independent else np.full(len(chosen), -1)
    problem = maker.problem(budget, 1 << 30 if sentences is None else sentences, requires, share)
    return Layout(reading, problem, tuple(chosen), np.array(maker.words, np.int64), np.array(maker.cut_rows, np.int64))


class _Maker:
    """Collects the units of sentences."""

    def __init__(self, reading: Reading, characters: bool) -> None:
        self.reading, self.characters = reading, characters
        sizes = np.cumsum([0, *(len(units) for units in reading.units.values())])
        self.first_row = dict(zip(reading.units, sizes.tolist(), strict=False))
        self.begin = [0]
        self.heads: list[int] = []
        self.lengths: list[int] = []
        self.words: list[int] = []
        self.cut_rows: list[int] = []
        self.tokens: list[list[Ints]] = [[], [], []]

    def add(self, s: int) -> None:
        units = self.reading.units.get(s)
        words = self.reading.source.sentences[s].words
        if units is None or len(units) == 1 or int(units.lengths.sum()) != words:
            self._add_whole(s, words)
        else:
            self._add_tree(s, units)
        self.begin.append(len(self.heads))

    def _add_whole(self, s: int, words: int) -> None:
        offset = len(self.heads)
        text = self.reading.source.sentences[s].text
        self.heads.append(-1)
        self.lengths.append(len(" ".join(text.split())) + 1 if self.characters else words)
        self.words.append(words)
        self.cut_rows.append(-1)
        concepts = self.reading.concepts.tokens[s]
        own = np.full(len(concepts), offset)
        self._append(concepts, own, own)

    def _add_tree(self, s: int, units: Units) -> None:
        offset = len(self.heads)
        place = _places(self.reading, s, units).tolist()
        above = units.heads.tolist()
        merged = [_deeper(above, a, b) for a, b in pairwise(place)]
        first, second = np.array(merged, np.int64).reshape(-1, 2).T
        self.heads += [head if head < 0 else head + offset for head in above]
        self.lengths += (units.characters if self.characters else units.lengths).tolist()
        self.words += units.lengths.tolist()
        row = self.first_row[s]
        self.cut_rows += [-1, *range(row + 1, row + len(units))]
        self._append(self.reading.concepts.tokens[s], first + offset, second + offset)

    def _append(self, *tokens: Ints) -> None:
        for column, own in zip(self.tokens, tokens, strict=True):
            column.append(own)

    def problem(self, budget: int, sentences: int, requires: Ints, share: float) -> SummaryProblem:
        concept, first, second = (np.concatenate([np.zeros(0, np.int64), *column]) for column in self.tokens)
        zeros = np.zeros(len(self.heads))
        begin, lengths = np.array(self.begin, np.int64), np.array(self.lengths, np.int64)
        whole = np.add.reduceat(lengths, begin[:-1]) if len(lengths) else lengths
        least = np.ceil(share * whole - _ROUNDING).astype(np.int64)
        return SummaryProblem(
            begin, np.array(self.heads, np.int64), lengths, zeros, zeros, first, second, concept,
            np.zeros(len(self.reading.concepts)), requires, least, budget, sentences,
        )  # fmt: skip


def _places(reading: Reading, s: int, units: Units) -> Ints:
    """Return (stems,) the unit of each stem of a sentence."""
    sentence = reading.source.sentences[s]
    starts = np.array(reading.concepts.stems[s].starts, np.int64) + sentence.start
    token = np.searchsorted(sentence.starts, starts, side="right") - 1
    words = units.words
    first_word = np.array([i for i, word in enumerate(words) if word.width], np.int64)
    if len(first_word) != len(sentence.starts):  # a form that is empty; then nothing is certain
        return np.zeros(len(starts), np.int64)
    place = units.unit[first_word[token]]
    return np.where(place < 0, 0, place)


def _deeper(heads: Sequence[int], a: int, b: int) -> tuple[int, int]:
    """Return two units, or the lower one twice if the other stands above it."""
    high, low = min(a, b), max(a, b)
    at = low
    while at > high:
        at = heads[at]
    return (low, low) if at == high else (high, low)
