"""The sentences that taggers take: words of a treebank, columns of a file, or plain lists of words."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Union

import ramify._core as _engine
from ramify._core import tagging as _core
from ramify.data import LabelSequence, Sentence, read, read_sequences
from ramify.errors import InvalidInputError
from ramify.learn.corpus import load_corpus

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from ramify.learn.corpus import Corpus

__all__ = [
    "AnySentence",
    "Sentences",
    "as_sentence",
    "attribute_of",
    "column_of",
    "fill",
    "load",
    "read_any",
    "source_of",
    "treebank_column",
    "with_column",
]

AnySentence = Sentence | LabelSequence
Sentences = Union[str, "os.PathLike[str]", "Iterable[str | os.PathLike[str] | AnySentence]"]

_COLUMNS = {
    "form": _engine.Column.FORM,
    "lemma": _engine.Column.LEMMA,
    "upos": _engine.Column.UPOS,
    "xpos": _engine.Column.XPOS,
    "feats": _engine.Column.FEATS,
    "deprel": _engine.Column.DEPREL,
    "misc": _engine.Column.MISC,
}
_ATTRIBUTE = "feats:"


def as_sentence(item: object) -> AnySentence:
    """Return a sentence as it is, and a list of words as a column."""
    if isinstance(item, (Sentence, LabelSequence)):
        return item
    if isinstance(item, (list, tuple)) and all(isinstance(word, str) for word in item):
        return LabelSequence({"form": tuple(item)})
    raise InvalidInputError(
        f"A tagger expects ramify.data.Sentence, ramify.data.LabelSequence or a list of words; got "
        f"{type(item).__name__}."
    )


def column_of(sentence: AnySentence, name: str) -> tuple[str, ...]:
    """Return a column by the name that configurations have for it."""
    if isinstance(sentence, Sentence):
        attribute = attribute_of(name)
        if attribute:
            return tuple(_features(text).get(attribute, "_") for text in sentence.feats)
        return sentence._core.column(treebank_column(name))
    if name not in sentence.columns:
        raise InvalidInputError(
            f"The tagger looks at column {name!r}; the sentence has {list(sentence.columns)}. "
            "Name the columns of the file as in training."
        )
    return sentence.columns[name]


def with_column(sentence: AnySentence, name: str, values: Sequence[str]) -> AnySentence:
    """Return a copy of a sentence with a column replaced or added."""
    if isinstance(sentence, Sentence):
        copy = sentence.copy()
        fill(copy, name, values)
        return copy
    return LabelSequence(
        sentence.columns | {name: tuple(values)}, comments=sentence.comments, starts_document=sentence.starts_document
    )


def fill(sentence: Sentence, name: str, values: Sequence[str]) -> None:
    """Replace a column of this very sentence, or one attribute in its features."""
    attribute = attribute_of(name)
    if not attribute:
        sentence._core.set_column(treebank_column(name), list(values))
        return
    changed = []
    for old, value in zip(sentence.feats, values, strict=True):
        features = _features(old)
        features.pop(attribute, None)
        if value != "_":
            features[attribute] = value
        # Universal Dependencies sorts attributes without regard to case.
        kept = sorted(features.items(), key=lambda item: item[0].lower())
        changed.append("|".join(f"{key}={text}" for key, text in kept) or "_")
    sentence.feats = tuple(changed)


def attribute_of(name: str) -> str:
    """Return the attribute of FEATS that a target such as ``feats:Number`` names, or nothing."""
    return name.removeprefix(_ATTRIBUTE) if name.startswith(_ATTRIBUTE) else ""


def _features(text: str) -> dict[str, str]:
    if text == "_":
        return {}
    pairs = (item.partition("=") for item in text.split("|"))
    return {key: value for key, _, value in pairs}


def treebank_column(name: str) -> _engine.Column:
    """Return the core's constant for a column of treebanks."""
    if name not in _COLUMNS:
        raise InvalidInputError(
            f"Treebanks have the columns {', '.join(_COLUMNS)}; got {name!r}. Column files need their columns named "
            "(data.columns)."
        )
    return _COLUMNS[name]


def source_of(sentences: Sequence[AnySentence], columns: Sequence[str]) -> _core.Source:
    """Return sentences as the C++ side takes them."""
    if all(isinstance(sentence, Sentence) for sentence in sentences):
        cores = [sentence._core for sentence in sentences]  # type: ignore[union-attr]
        return _core.TreebankSource(cores, [treebank_column(name) for name in columns])
    return _core.ColumnSource([[column_of(sentence, name) for name in columns] for sentence in sentences])


def read_any(path: str | os.PathLike[str], names: Sequence[str]) -> Iterator[AnySentence]:
    """Read a treebank, or a column file where its columns are named."""
    if names:
        return read_sequences(path, columns=names)
    return read(path, multiple_roots=True)


def load(source: Sentences, role: str, names: Sequence[str]) -> Corpus[AnySentence]:
    """Read all sentences of files, or take those that are given."""
    return load_corpus(source, role, lambda path: read_any(path, names), as_sentence)


def batched(items: Iterable[object], size: int) -> Iterator[list[AnySentence]]:
    """Yield sentences in lists of at most `size`."""
    rest = iter(items)
    while batch := [as_sentence(item) for item in itertools.islice(rest, size)]:
        yield batch
