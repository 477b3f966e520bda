"""Sentences to learn from: given as they are, or read from files."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union

from ramify.data import Sentence, read
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["Corpus", "Treebank", "load_corpus", "read_treebank"]

S = TypeVar("S")
Treebank = Union[str, "os.PathLike[str]", "Iterable[str | os.PathLike[str] | Sentence]"]


@dataclass(frozen=True)
class Corpus(Generic[S]):
    """Sentences of one or several files.

    Attributes
    ----------
    sentences : all of them
    files : names of the files they come from, without folders
    """

    sentences: Sequence[S]
    files: tuple[str, ...] = ()

    @property
    def num_words(self) -> int:
        """Words of all sentences."""
        return sum(map(_length, self.sentences))

    @property
    def where(self) -> str:
        """How messages call the source."""
        return ", ".join(self.files) or "the sentences given"

    def digest(self) -> str:
        """Return a checksum of all that the sentences say."""
        sha = hashlib.sha256()
        for sentence in self.sentences:
            content = sentence.to_bytes() if isinstance(sentence, Sentence) else repr(sentence).encode()
            sha.update(b"%d " % len(content) + content)
        return sha.hexdigest()


def _length(sentence: Any) -> int:
    return len(sentence)


def read_treebank(path: str | os.PathLike[str]) -> Iterable[Sentence]:
    """Read all sentences of a treebank, also those with several roots."""
    return read(path, multiple_roots=True)


def _sentence(item: object) -> Sentence:
    if not isinstance(item, Sentence):
        raise TypeError
    return item


def load_corpus(
    source: Any,
    role: str,
    read_file: Callable[[Any], Iterable[Any]] = read_treebank,
    as_sentence: Callable[[Any], Any] = _sentence,
) -> Corpus[Any]:
    """Return the sentences of files, or those that are given, and check that there is something to learn from.

    Parameters
    ----------
    source : a path, or paths, or sentences
    role : ``"train"`` or ``"dev"``, for messages
    read_file : returns the sentences of a file
    as_sentence : returns what is given as a sentence, or raises TypeError
    """
    items = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    sentences: list[Any] = []
    files: list[str] = []
    for item in items:
        if isinstance(item, (str, os.PathLike)):
            sentences += read_file(item)
            files.append(Path(item).name)
        else:
            try:
                sentences.append(as_sentence(item))
            except TypeError:
                raise InvalidInputError(f"{role} expects paths or sentences; got {type(item).__name__}.") from None
    corpus = Corpus(sentences, tuple(files))
    if not any(map(_length, sentences)):
        raise InvalidInputError(f"{role}: expected sentences with words; found none in {corpus.where}.")
    return corpus
