"""Treebanks to learn from: read, checked and counted."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from ramify._core import parsing as _core
from ramify.errors import InvalidInputError
from ramify.learn import corpus as corpora
from ramify.parsing.state import COLUMNS, MAX_LABELS, MAX_PAIRS, Frame

if TYPE_CHECKING:
    import ramify._core as _engine
    from ramify.data import Sentence
    from ramify.learn.corpus import Corpus, Treebank
    from ramify.parsing.config import Config

__all__ = ["core_sentences", "frame_of", "has_tree", "load_corpus"]

_FEW_ROOTS = 0.01  # a treebank with fewer sentences of several roots than this has one root by rule


def load_corpus(source: Treebank, role: str, config: Config) -> Corpus[Sentence]:
    """Read treebanks and check that there are trees to learn from; see `ramify.learn.task.LearningTask`."""
    corpus: Corpus[Sentence] = corpora.load_corpus(source, role)
    if not any(has_tree(sentence, single_root=False) for sentence in corpus.sentences):
        raise InvalidInputError(
            f"{role}: expected sentences with heads (column HEAD) for all their words; found none in {corpus.where}. "
            "A treebank is needed, not tagged text."
        )
    for number, sentence in enumerate(corpus.sentences, 1):
        if _has_cycle(sentence.heads):
            raise InvalidInputError(f"{role}: expected trees; sentence {number} of {corpus.where} has a cycle.")
    return corpus


def core_sentences(corpus: Corpus[Sentence] | None) -> list[_engine.Sentence]:
    """Return what the C++ side takes."""
    return [] if corpus is None else [sentence._core for sentence in corpus.sentences]


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


def frame_of(corpus: Corpus[Sentence], config: Config) -> Frame:
    """Return what a model has to know of its treebank before it learns."""
    vocabulary = _core.Vocabulary()
    vocabulary.count(core_sentences(corpus))
    vocabulary.settle(config.model.frequent)
    labels = sorted(set(itertools.chain.from_iterable(sentence.deprels for sentence in corpus.sentences)))
    size = len(vocabulary.tags) ** 2 * len(labels)
    if size > MAX_PAIRS or len(labels) > MAX_LABELS:
        raise InvalidInputError(
            f"train: expected tags and labels of a few hundred kinds; found {len(vocabulary.tags):,} tags in UPOS "
            f"and {len(labels):,} labels in DEPREL. Is something else in these columns?"
        )
    pairs = _core.count_pairs(vocabulary, labels, core_sentences(corpus))
    return Frame(
        tags=tuple(vocabulary.tags),
        labels=tuple(labels),
        empty=tuple(column for column in COLUMNS if _is_empty(corpus, column)),
        single_root=_single_root(corpus, config),
        frequent=vocabulary.frequent_forms(),
        longest=pairs.longest(),
        allowed=pairs.allowed(),
    )


def _is_empty(corpus: Corpus[Sentence], column: str) -> bool:
    name = {"lemma": "lemmas"}.get(column, column)
    return all(set(getattr(sentence, name)) <= {"_"} for sentence in corpus.sentences)


def _single_root(corpus: Corpus[Sentence], config: Config) -> bool:
    choice = config.model.single_root
    if isinstance(choice, bool):
        return choice
    several = sum(int(np.count_nonzero(sentence.heads == 0)) > 1 for sentence in corpus.sentences)
    return several < _FEW_ROOTS * len(corpus.sentences)
