"""A treebank as one set of columns, every word placed in the text by its characters."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

from ramify import data
from ramify.derived import Derived
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ramify.data import Sentence
    from ramify.data.files import PathOrFile

    Treebank: TypeAlias = str | os.PathLike[str] | IO[Any] | Iterable[Sentence] | "Corpus"
    IntArray: TypeAlias = NDArray[np.int64]
    BoolArray: TypeAlias = NDArray[np.bool_]

__all__ = ["MISSING", "ROOT", "Corpus", "flatten", "load", "read_gold"]

ROOT = -1  # in `Corpus.parent`: the word hangs from the root
MISSING = -2  # in `Corpus.parent`: the word has no head (`_`)

# Unicode category Zs, whole. Forms may hold spaces ("10 000"); texts are compared without them.
_SPACES = re.compile("[\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")


@dataclass(frozen=True)
class Corpus:
    """All sentences of a treebank, one column after the other.

    N words, T tokens (a multiword token is one token of several words), S sentences. Positions are
    counted in `text`; ends are exclusive.

    Attributes
    ----------
    name : ``"gold"`` or ``"system"``, for messages
    text : the forms of all tokens, joined, without spaces
    token_start, token_end : (T,) where each token lies in `text`
    word_start, word_end : (N,) the same for words; a word of a multiword token has the token's place
    in_multiword : (N,) whether the word belongs to a multiword token
    forms, lemmas, upos, xpos, feats, deprels : N strings each
    heads : (N,) head ids as the file counts them, 0 = root, -1 = missing
    parent : (N,) index in this corpus of each word's head, or ROOT, or MISSING
    first_word : (S + 1,) index of each sentence's first word, and N
    sentence_start, sentence_end : (S,) where each sentence lies in `text`
    sent_ids : S identifiers, None where the file names none
    """

    name: str
    text: str
    token_start: IntArray
    token_end: IntArray
    word_start: IntArray
    word_end: IntArray
    in_multiword: BoolArray
    forms: list[str]
    lemmas: list[str]
    upos: list[str]
    xpos: list[str]
    feats: list[str]
    deprels: list[str]
    heads: IntArray
    parent: IntArray
    first_word: IntArray
    sentence_start: IntArray
    sentence_end: IntArray
    sent_ids: list[str | None]

    num_words = Derived[int](lambda corpus: len(corpus.forms), "Number of words, N.")
    num_sentences = Derived[int](lambda corpus: len(corpus.sent_ids), "Number of sentences, S.")

    @property
    def sentence_of_word(self) -> IntArray:
        """(N,) the sentence that each word belongs to."""
        return np.repeat(np.arange(self.num_sentences), np.diff(self.first_word))

    @property
    def word_id(self) -> IntArray:
        """(N,) each word's id in its sentence, from 1."""
        return np.arange(self.num_words) - self.first_word[:-1][self.sentence_of_word] + 1

    def sentence_name(self, sentence: int) -> str:
        """Return what a person would look for: the number, and the sent_id if there is one."""
        sent_id = self.sent_ids[sentence]
        return f"sentence {sentence + 1}" + (f" (sent_id {sent_id})" if sent_id else "")

    def word_name(self, word: int) -> str:
        """Return where a word is, for a message."""
        sentence = int(np.searchsorted(self.first_word, word, side="right")) - 1
        place = self.sentence_name(sentence)
        return f"{place}, word {word - int(self.first_word[sentence]) + 1} {self.forms[word]!r}"


def load(treebank: Treebank, name: str) -> Corpus:
    """Read a treebank, given as a path, an open file or sentences, into columns."""
    return treebank if isinstance(treebank, Corpus) else flatten(read_gold(treebank, name), name)


def read_gold(treebank: PathOrFile | Iterable[Sentence], name: str = "gold") -> list[Sentence]:
    """Read all sentences of a treebank that is to be scored, given as a path, an open file or sentences."""
    if isinstance(treebank, (str, os.PathLike)) or hasattr(treebank, "read"):
        # Trees with several roots are scored like any others, though strict CoNLL-U forbids them.
        return list(data.read(cast("PathOrFile", treebank), multiple_roots=True))
    if isinstance(treebank, data.Sentence) or not isinstance(treebank, Iterable):
        raise InvalidInputError(
            f"The {name} treebank must be a path, an open file or an iterable of sentences; "
            f"got {type(treebank).__name__}."
        )
    return list(treebank)


def flatten(sentences: Iterable[Sentence], name: str) -> Corpus:
    """Join the columns of all sentences and place their words in the text."""
    sentences = list(sentences)
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    if lengths.size and not lengths.all():
        number = int(np.argmin(lengths)) + 1
        raise InvalidInputError(
            f"Evaluation needs words in every sentence; {name} sentence {number} is empty. Remove it."
        )
    first_word = np.concatenate([[0], np.cumsum(lengths)])
    token_forms, token_of_word, in_multiword, tokens_before = _tokens(sentences)
    forms = _column(sentences, "forms")
    if _SPACES.search("".join(token_forms)):
        token_forms = [_SPACES.sub("", form) for form in token_forms]
        # Words that are tokens lose their spaces too; those inside multiword tokens are not part of the text.
        forms = [
            form if inside else _SPACES.sub("", form) for form, inside in zip(forms, in_multiword.tolist(), strict=True)
        ]
    widths = np.array([len(form) for form in token_forms], dtype=np.int64)
    _check_widths(widths, tokens_before, name)
    token_end = np.cumsum(widths)
    token_start = token_end - widths
    heads = np.concatenate([np.zeros(0, np.int64), *(np.asarray(sentence.heads, np.int64) for sentence in sentences)])
    corpus = Corpus(
        name=name,
        text="".join(token_forms),
        token_start=token_start,
        token_end=token_end,
        word_start=token_start[token_of_word],
        word_end=token_end[token_of_word],
        in_multiword=in_multiword,
        forms=forms,
        lemmas=_column(sentences, "lemmas"),
        upos=_column(sentences, "upos"),
        xpos=_column(sentences, "xpos"),
        feats=_column(sentences, "feats"),
        deprels=_column(sentences, "deprels"),
        heads=heads,
        parent=np.where(
            heads > 0, heads - 1 + np.repeat(first_word[:-1], lengths), np.where(heads == 0, ROOT, MISSING)
        ),
        first_word=first_word,
        sentence_start=token_start[tokens_before[:-1]] if sentences else np.zeros(0, np.int64),
        sentence_end=token_end[tokens_before[1:] - 1] if sentences else np.zeros(0, np.int64),
        sent_ids=[sentence.sent_id for sentence in sentences],
    )
    too_far = np.flatnonzero((heads > np.repeat(lengths, lengths)) | (heads < -1))
    if too_far.size:
        word = int(too_far[0])
        raise InvalidInputError(
            f"Evaluation expects heads between 0 and the sentence's length; {name} {corpus.word_name(word)} "
            f"has head {heads[word]}. Correct the file."
        )
    return corpus


def _column(sentences: Sequence[Sentence], name: str) -> list[str]:
    return list(chain.from_iterable(getattr(sentence, name) for sentence in sentences))


def _tokens(sentences: Sequence[Sentence]) -> tuple[list[str], IntArray, BoolArray, IntArray]:
    """List token forms, token and multiword flag of every word, and the tokens before each sentence."""
    token_forms: list[str] = []
    token_of_word: list[int] = []
    in_multiword: list[bool] = []
    tokens_before = [0]
    for sentence in sentences:
        word_forms, num_words = sentence.forms, len(sentence)
        done = 0  # words placed so far
        for multiword in sorted(sentence.multiword_tokens, key=lambda token: token.first):
            before = multiword.first - 1 - done
            token_of_word.extend(range(len(token_forms), len(token_forms) + before))
            token_forms.extend(word_forms[done : done + before])
            width = multiword.last - multiword.first + 1
            token_of_word.extend([len(token_forms)] * width)
            token_forms.append(multiword.form)
            in_multiword.extend([False] * before + [True] * width)
            done = multiword.last
        token_of_word.extend(range(len(token_forms), len(token_forms) + num_words - done))
        token_forms.extend(word_forms[done:])
        in_multiword.extend([False] * (num_words - done))
        tokens_before.append(len(token_forms))
    return (
        token_forms,
        np.array(token_of_word, dtype=np.int64),
        np.array(in_multiword, dtype=np.bool_),
        np.array(tokens_before, dtype=np.int64),
    )


def _check_widths(widths: IntArray, tokens_before: IntArray, name: str) -> None:
    empty = np.flatnonzero(widths == 0)
    if empty.size:
        token = int(empty[0])
        sentence = int(np.searchsorted(tokens_before, token, side="right"))
        raise InvalidInputError(
            f"Evaluation places words by their characters, so no form may be empty or only spaces; "
            f"token {token - int(tokens_before[sentence - 1]) + 1} of {name} sentence {sentence} is. "
            "Give it a form."
        )
