"""Compressed sentences in treebanks: a word that is cut has ``Cut=Yes`` in its column MISC."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError
from ramify.learn.corpus import Corpus, load_corpus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ramify.data import Sentence

__all__ = ["aligned", "kept_words", "load_marked", "with_cuts"]

_MARK = "Cut=Yes"
_WORDS = re.compile(r"\w+")


def kept_words(sentence: Sentence) -> NDArray[np.bool_]:
    """Return (words,) which words of a marked sentence stay."""
    return np.array([_MARK not in misc.split("|") for misc in sentence.misc], bool)


def with_cuts(sentence: Sentence, kept: NDArray[np.bool_]) -> Sentence:
    """Return a copy of a sentence whose words are marked.

    Parameters
    ----------
    sentence : any
    kept : (words,) which words stay
    """
    marked = sentence.copy()
    cells = []
    for misc, stays in zip(sentence.misc, kept, strict=True):
        items = [item for item in misc.split("|") if item not in ("_", _MARK)]
        cells.append("|".join(items if stays else [*items, _MARK]) or "_")
    marked.misc = tuple(cells)
    return marked


def aligned(forms: Sequence[str], compression: str) -> NDArray[np.bool_] | None:
    """Return (words,) which words of a sentence a compression keeps, or None if it has others, or another order.

    Case and punctuation do not count. Where a word comes twice, the first place is taken that leaves room for the rest.

    Parameters
    ----------
    forms : words of the sentence
    compression : text
    """
    pieces = [(i, piece) for i, form in enumerate(forms) for piece in _WORDS.findall(form.lower())]
    wanted = _WORDS.findall(compression.lower())
    kept = np.zeros(len(forms), bool)
    at = 0
    for piece in wanted:
        while at < len(pieces) and pieces[at][1] != piece:
            at += 1
        if at == len(pieces):
            return None
        kept[pieces[at][0]] = True
        at += 1
    return kept


def load_marked(source: Any, role: str, config: Any) -> Corpus[Any]:
    """Return marked sentences, and refuse such in which nothing is cut.

    Parameters
    ----------
    source, role : see `ramify.learn.corpus.load_corpus`
    config : not used
    """
    corpus = load_corpus(source, role)
    if all(kept_words(sentence).all() for sentence in corpus.sentences):
        raise InvalidInputError(
            f"{role}: expected sentences in which some words have {_MARK} in MISC; found none in {corpus.where}."
        )
    return corpus
