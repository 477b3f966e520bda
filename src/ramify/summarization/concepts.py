"""Concepts: the stemmed bigrams of the input, with features of what they tell about its content.

Almeida & Martins (2013, section 3.5): counts of documents, stop words, the earliest position, and their conjunctions.
Here also: counts of sentences, words of the headline, and the kind of input, since one model serves many kinds: how
many documents and sentences it has, and whether most of its sentences are about the same thing, as opinions are.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ramify.data.porter import porter_stem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ramify.summarization.source import Source

__all__ = ["STOP_WORDS", "Concepts", "Stems", "bigrams_of", "find_concepts", "read_stems", "step"]

_WORD = re.compile(r"[^\W_]+")
STOP_WORDS = frozenset(
    [
        "a",
        "about",
        "above",
        "after",
        "again",
        "against",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "below",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "don",
        "down",
        "during",
        "each",
        "few",
        "for",
        "from",
        "further",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "may",
        "me",
        "might",
        "more",
        "most",
        "must",
        "my",
        "no",
        "nor",
        "not",
        "now",
        "of",
        "off",
        "on",
        "once",
        "only",
        "or",
        "other",
        "our",
        "ours",
        "out",
        "over",
        "own",
        "same",
        "shall",
        "she",
        "should",
        "so",
        "some",
        "such",
        "t",
        "than",
        "that",
        "the",
        "their",
        "theirs",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "upon",
        "us",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
        "yours",
        "s",
        "re",
        "ve",
        "ll",
        "d",
        "m",
    ]
)
_STOPS = frozenset(porter_stem(word) for word in STOP_WORDS)
_FOCUSED = 0.6  # share of the sentences with the most frequent word, from which an input is about one thing
_SHARES = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3)  # of the sentences that have a concept
_STEPS = (0, 1, 2, 3, 4, 6, 9, 13, 20, 35, 60, 100)

_STEP_OF = [max(limit for limit in _STEPS if limit <= number) for number in range(_STEPS[-1] + 1)]


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return porter_stem(word.lower())


@dataclass(frozen=True)
class Stems:
    """The words of a sentence.

    Attributes
    ----------
    stems : in lower case
    starts : characters of the sentence's text where they start
    """

    stems: tuple[str, ...]
    starts: tuple[int, ...]


def read_stems(text: str) -> Stems:
    """Return the stems of a text, punctuation left out."""
    found = [(match.group(), match.start()) for match in _WORD.finditer(text)]
    return Stems(tuple(_stem(word) for word, _ in found), tuple(start for _, start in found))


def bigrams_of(text: str) -> list[tuple[str, str]]:
    """Return the stemmed bigrams of a text, as ROUGE counts them."""
    stems = read_stems(text).stems
    return list(itertools.pairwise(stems))


def step(number: float) -> int:
    """Return the largest of a few round numbers that is not above one."""
    return _STEP_OF[min(int(number), _STEPS[-1])]


@dataclass(frozen=True)
class Concepts:
    """The concepts of an input.

    Attributes
    ----------
    number : of each concept, from 0, by its bigram
    stems : of each sentence
    tokens : for each sentence, the concept of every pair of neighbouring stems
    kind : (concepts,) which of `features` describes each
    features : names of features, all different
    genre : what kind of input this is
    """

    number: dict[tuple[str, str], int]
    stems: tuple[Stems, ...]
    tokens: tuple[NDArray[np.int64], ...]
    kind: NDArray[np.int64]
    features: tuple[tuple[str, ...], ...]
    genre: str

    def __len__(self) -> int:
        return len(self.number)

    @property
    def names(self) -> list[str]:
        """The bigrams as text."""
        return [" ".join(pair) for pair in self.number]


def find_concepts(source: Source, query: str = "") -> Concepts:
    """Return the concepts of an input.

    Parameters
    ----------
    source : documents and sentences
    query : what the summary shall be about
    """
    stems = tuple(read_stems(sentence.text) for sentence in source.sentences)
    number: dict[tuple[str, str], int] = {}
    tokens = []
    for sentence in stems:
        pairs = zip(sentence.stems, sentence.stems[1:], strict=False)
        tokens.append(np.array([number.setdefault(pair, len(number)) for pair in pairs], np.int64))
    title = {stem for headline in (*source.headlines, query) for stem in read_stems(headline).stems} - _STOPS
    genre = _genre(source, stems)
    kind, features = _described(source, stems, number, tokens, title, genre)
    return Concepts(number, stems, tuple(tokens), kind, features, genre)


def _genre(source: Source, stems: Sequence[Stems]) -> str:
    documents = {sentence.document for sentence in source.sentences}
    count = len(source.sentences)
    size = "short" if count <= 15 else "middle" if count <= 60 else "long"
    having = Counter(stem for own in stems for stem in set(own.stems) - _STOPS)
    focused = max(having.values(), default=0) >= _FOCUSED * count
    return f"{'one' if len(documents) == 1 else 'many'}-{size}-{'focused' if focused else 'varied'}"


def _described(
    source: Source,
    stems: Sequence[Stems],
    number: dict[tuple[str, str], int],
    tokens: Sequence[NDArray[np.int64]],
    title: set[str],
    genre: str,
) -> tuple[NDArray[np.int64], tuple[tuple[str, ...], ...]]:
    size = len(number)
    in_sentences = np.zeros(size, np.int64)
    first = np.full(size, 1 << 30, np.int64)
    pairs = set()
    for sentence, own in zip(source.sentences, tokens, strict=True):
        distinct = np.unique(own)
        in_sentences[distinct] += 1
        first[distinct] = np.minimum(first[distinct], sentence.number)
        pairs.add(sentence.document)
    in_documents = _document_counts(source, tokens, size) if len(pairs) > 1 else np.ones(size, np.int64)
    unigrams: dict[str, int] = {}
    for sentence_stems in stems:
        for stem in set(sentence_stems.stems):
            unigrams[stem] = unigrams.get(stem, 0) + 1
    last = max((sentence.number for sentence in source.sentences), default=0) + 1
    kinds: dict[tuple[int | str, ...], int] = {}
    kind = np.zeros(size, np.int64)
    count = len(source.sentences)
    binned = {stem: step(count) for stem, count in unigrams.items()}
    columns = zip(number, in_documents.tolist(), in_sentences.tolist(), first.tolist(), strict=True)
    for m, ((a, b), documents, sentences, place) in enumerate(columns):
        stop = ("s" if a in _STOPS else "d" if a.isdigit() else "c") + (
            "s" if b in _STOPS else "d" if b.isdigit() else "c"
        )
        heard = (a in title) + (b in title)
        key = (
            step(documents), step(sentences), step(place), 5 * place // last, stop, heard, binned[a], binned[b],
            sum(sentences >= share * count for share in _SHARES),
        )  # fmt: skip
        kind[m] = kinds.setdefault(key, len(kinds))
    return kind, tuple(tuple(_names(key, genre)) for key in kinds)


def _document_counts(source: Source, tokens: Sequence[NDArray[np.int64]], size: int) -> NDArray[np.int64]:
    counts = np.zeros(size, np.int64)
    for document in sorted({sentence.document for sentence in source.sentences}):
        own = [t for sentence, t in zip(source.sentences, tokens, strict=True) if sentence.document == document]
        counts[np.unique(np.concatenate(own))] += 1
    return counts


def _names(key: tuple[int | str, ...], genre: str) -> Iterator[str]:
    documents, sentences, place, part, stop, heard, left, right, share = key
    kind = genre.partition("-")[0] + genre.rpartition("-")[2]
    content = str(stop).count("c")
    yield "c"
    yield f"c.g={genre}"
    yield f"c.stop={stop}"
    yield f"c.stop,g={stop},{genre}"
    for name, count in (("doc", documents), ("sent", sentences)):
        for limit in _STEPS[2:]:
            if int(count) >= limit:
                yield f"c.{name},content={limit},{content}"
                yield f"c.{name},g={limit},{kind},{content}"
    for limit in range(1, int(share) + 1):
        yield f"c.share,content={limit},{content}"
        yield f"c.share,g={limit},{genre},{content}"
    yield f"c.doc,sent,stop={documents},{sentences},{content}"
    yield f"c.place,stop={place},{stop}"
    yield f"c.place,g={place},{genre}"
    yield f"c.part,g={part},{genre}"
    yield f"c.place,sent,content={place},{sentences},{content}"
    yield f"c.heard,stop={heard},{stop}"
    yield f"c.heard,sent={heard},{sentences}"
    yield f"c.left,right={left},{right},{stop}"
    yield f"c.right,g={right},{content},{genre}"
    yield f"c.left,g={left},{content},{genre}"
