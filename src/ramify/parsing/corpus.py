"""Treebanks to learn from: read, checked and counted."""

from __future__ import annotations

import hashlib
import itertools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Union

import numpy as np

import ramify._core as _engine
from ramify._core import parsing as _core
from ramify.data import Sentence, read
from ramify.errors import InvalidInputError
from ramify.parsing.state import COLUMNS, MAX_LABELS, MAX_PAIRS, Frame

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.parsing.config import Config

__all__ = ["Corpus", "Treebank", "frame_of", "has_tree", "load_corpus"]

Treebank = Union[str, "os.PathLike[str]", "Iterable[str | os.PathLike[str] | Sentence]"]

_FEW_ROOTS = 0.01  # a treebank with fewer sentences of several roots than this has one root by rule


@dataclass(frozen=True)
class Corpus:
    """Sentences with trees.

    Attributes
    ----------
    sentences : all of them, those without a whole tree too
    files : names of the files they come from, without folders
    """

    sentences: list[Sentence]
    files: tuple[str, ...]

    @property
    def core(self) -> list[_engine.Sentence]:
        """What the C++ side takes."""
        return [sentence._core for sentence in self.sentences]

    @property
    def num_words(self) -> int:
        """Words of all sentences."""
        return sum(map(len, self.sentences))

    def digest(self) -> str:
        """Return a checksum of all that the sentences say."""
        sha = hashlib.sha256()
        for start in range(0, len(self.sentences), 1000):
            part = [sentence._core for sentence in self.sentences[start : start + 1000]]
            sha.update(_engine.to_bytes(part, _engine.Format.CONLLU, first=False, last=False))
        return sha.hexdigest()


def load_corpus(source: Treebank, role: str) -> Corpus:
    """Read treebanks and check that there is something to learn from.

    Parameters
    ----------
    source : a path, or paths, or sentences
    role : ``"train"`` or ``"dev"``, for messages
    """
    items = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    sentences: list[Sentence] = []
    files: list[str] = []
    for item in items:
        if isinstance(item, Sentence):
            sentences.append(item)
        elif isinstance(item, (str, os.PathLike)):
            sentences += read(item, multiple_roots=True)
            files.append(Path(item).name)
        else:
            raise InvalidInputError(f"{role} expects paths or sentences; got {type(item).__name__}.")
    where = ", ".join(files) or "the sentences given"
    if not any(map(len, sentences)):
        raise InvalidInputError(f"{role}: expected sentences with words; found none in {where}.")
    if not any(has_tree(sentence, single_root=False) for sentence in sentences):
        raise InvalidInputError(
            f"{role}: expected sentences with heads (column HEAD) for all their words; found none in {where}. "
            "A treebank is needed, not tagged text."
        )
    for number, sentence in enumerate(sentences, 1):
        if _has_cycle(sentence.heads):
            raise InvalidInputError(f"{role}: expected trees; sentence {number} of {where} has a cycle.")
    return Corpus(sentences, tuple(files))


def has_tree(sentence: Sentence, single_root: bool) -> bool:
    """Tell whether all words have heads, and only one is the root where that is the rule."""
    heads = sentence.heads
    complete = len(heads) > 0 and bool((heads >= 0).all())
    return complete and (not single_root or int(np.count_nonzero(heads == 0)) == 1)


def _has_cycle(heads: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> bool:
    """Tell whether some word is above itself; heads has shape (n,)."""
    above = np.concatenate(([0], np.maximum(heads, 0)))
    for _ in range(len(above).bit_length()):
        above = above[above]  # twice as far up each time
    return bool(above.any())


def frame_of(corpus: Corpus, config: Config) -> Frame:
    """Return what a model has to know of its treebank before it learns."""
    vocabulary = _core.Vocabulary()
    vocabulary.count(corpus.core)
    vocabulary.settle(config.model.frequent)
    labels = sorted(set(itertools.chain.from_iterable(sentence.deprels for sentence in corpus.sentences)))
    size = len(vocabulary.tags) ** 2 * len(labels)
    if size > MAX_PAIRS or len(labels) > MAX_LABELS:
        raise InvalidInputError(
            f"train: expected tags and labels of a few hundred kinds; found {len(vocabulary.tags):,} tags in UPOS "
            f"and {len(labels):,} labels in DEPREL. Is something else in these columns?"
        )
    pairs = _core.count_pairs(vocabulary, labels, corpus.core)
    return Frame(
        tags=tuple(vocabulary.tags),
        labels=tuple(labels),
        empty=tuple(column for column in COLUMNS if _is_empty(corpus, column)),
        single_root=_single_root(corpus, config),
        frequent=vocabulary.frequent_forms(),
        longest=pairs.longest(),
        allowed=pairs.allowed(),
    )


def _is_empty(corpus: Corpus, column: str) -> bool:
    name = {"lemma": "lemmas"}.get(column, column)
    return all(set(getattr(sentence, name)) <= {"_"} for sentence in corpus.sentences)


def _single_root(corpus: Corpus, config: Config) -> bool:
    choice = config.model.single_root
    if isinstance(choice, bool):
        return choice
    several = sum(int(np.count_nonzero(sentence.heads == 0)) > 1 for sentence in corpus.sentences)
    return several < _FEW_ROOTS * len(corpus.sentences)
