"""Documents from JSON: what `ramify.pipeline.document_json` writes, checked while it is read."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ramify.data import EmptyNode, MultiwordToken, Sentence
from ramify.errors import InvalidInputError
from ramify.parsing import ParseResult, ParseStatus
from ramify.pipeline.document_json import VERSION
from ramify.pipeline.layout import Layout, surface_numbers

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["JsonDocument", "document_from_json"]

T = TypeVar("T")
_MOST_WORDS = 2**31 - 1
_TEXTS = {"lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats", "deprel": "deprels"}
_TEXTS |= {"deps": "deps", "misc": "misc"}


@dataclass(frozen=True)
class JsonDocument:
    """What a document in JSON says.

    Attributes
    ----------
    results : one for each sentence
    probabilities : (n,) of the arcs of sentences that have them, by the number of the sentence from 0
    language : ``"und"`` if it is not known
    layout : the text and the places of tokens in it; None if the document has no text
    """

    results: list[ParseResult]
    probabilities: dict[int, npt.NDArray[np.float64]]
    language: str
    layout: Layout | None


def document_from_json(value: object) -> JsonDocument:
    """Read a document; whatever is not as ``document.schema.json`` has it is an `InvalidInputError`."""
    document = _Object(value, "document")
    version = document.get("version", int)
    if version != VERSION:
        raise InvalidInputError(f"Doc.from_json expects version {VERSION} of its format; got version {version!r}.")
    sentences = [_Object(item, f"sentences[{i}]") for i, item in enumerate(document.get("sentences", list))]
    results = [_result(sentence) for sentence in sentences]
    known = {i: found for i, item in enumerate(sentences) if (found := _probabilities(item)) is not None}
    text = document.find("text", str)
    layout = None if text is None else _layout(text, sentences, [result.sentence for result in results])
    return JsonDocument(results, known, document.find("language", str) or "und", layout)


class _Object:
    """A JSON object and where it stands."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise _wrong(where, "an object", value)
        self._value = value
        self._where = where

    def find(self, key: str, kind: type[T]) -> T | None:
        """Return a value that may be missing or null."""
        value = self._value.get(key)
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise _wrong(f"{self._where}.{key}", _NAMES[kind], value)
        return value

    def get(self, key: str, kind: type[T]) -> T:
        """Return a value that must be there."""
        value = self.find(key, kind)
        if value is None:
            raise _wrong(f"{self._where}.{key}", _NAMES[kind], value)
        return value

    def number(self, key: str, low: int, high: int) -> int | None:
        """Return a whole number between bounds, or None."""
        value = self.find(key, int)
        if value is not None and not low <= value <= high:
            raise _wrong(f"{self._where}.{key}", f"a whole number, {low} to {high}", value)
        return value

    def strings(self, key: str) -> list[str]:
        """Return a list of strings; an empty one if it is missing."""
        items = self.find(key, list) or []
        for i, value in enumerate(items):
            if not isinstance(value, str):
                raise _wrong(f"{self._where}.{key}[{i}]", "a string", value)
        return items

    def objects(self, key: str) -> list[_Object]:
        """Return a list of objects; an empty one if it is missing."""
        items = self.find(key, list) or []
        return [_Object(item, f"{self._where}.{key}[{i}]") for i, item in enumerate(items)]


_NAMES: dict[type, str] = {str: "a string", int: "a whole number", list: "a list", dict: "an object"}


def _wrong(where: str, expected: str, value: object) -> InvalidInputError:
    found = repr(value)
    shown = found if len(found) <= 60 else found[:57] + "…"
    return InvalidInputError(f"Doc.from_json expects {expected} as {where}; got {shown}.")


def _result(item: _Object) -> ParseResult:
    words = item.objects("words")
    n = len(words)
    columns = {attribute: [word.find(name, str) or "_" for word in words] for name, attribute in _TEXTS.items()}
    heads = [word.number("head", 0, n) for word in words]
    comments = item.strings("comments")
    tokens = [_row(MultiwordToken, row) for row in item.objects("multiword_tokens")]
    nodes = [_row(EmptyNode, row) for row in item.objects("empty_nodes")]
    where = item._where
    if not words:
        raise _wrong(f"{where}.words", "at least one word", [])
    try:
        sentence = Sentence(
            [word.get("form", str) for word in words],
            heads=[-1 if head is None else head for head in heads],
            comments=comments,
            multiword_tokens=tokens,
            empty_nodes=nodes,
            multiple_roots=True,
            **columns,
        )
    except ValueError as error:
        raise InvalidInputError(f"Doc.from_json cannot make a sentence of {where}: {error}") from None
    status = item.find("status", str)
    if status is not None and status not in [known.value for known in ParseStatus]:
        raise _wrong(f"{where}.status", "'infeasible' or 'too-long'", status)
    return ParseResult.of_sentence(sentence, None if status is None else ParseStatus(status))


def _row(kind: type[T], item: _Object) -> T:
    values: dict[str, Any] = {}
    for field in fields(kind):  # type: ignore[arg-type]
        number = field.name in ("first", "last", "after", "index")
        value = item.number(field.name, 0, _MOST_WORDS) if number else item.find(field.name, str)
        if value is not None:
            values[field.name] = value
        elif number or field.name == "form":
            raise _wrong(f"{item._where}.{field.name}", "a value", None)
    return kind(**values)


def _probabilities(item: _Object) -> npt.NDArray[np.float64] | None:
    found = [word._value.get("probability") for word in item.objects("words")]
    if all(value is None for value in found):
        return None
    for i, value in enumerate(found):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not 0 <= value <= 1 or math.isnan(value):  # type: ignore[operator, arg-type]
            raise _wrong(f"{item._where}.words[{i}].probability", "a number from 0 to 1", value)
    return np.array(found, np.float64)


def _layout(text: str, items: list[_Object], sentences: list[Sentence]) -> Layout:
    starts: list[int] = []
    ends: list[int] = []
    offsets = [0]
    for item, sentence in zip(items, sentences, strict=True):
        numbers = surface_numbers(sentence).tolist()
        for i, word in enumerate(item.objects("words")):
            start, end = (word.number(key, 0, len(text)) for key in ("start", "end"))
            if start is None or end is None or start > end or (starts and start < starts[-1]):
                raise _wrong(
                    f"{word._where}.start, end", f"characters of the text, 0 to {len(text)}, in order", (start, end)
                )
            if i == 0 or numbers[i] != numbers[i - 1]:
                starts.append(start)
                ends.append(end)
        offsets.append(len(starts))
    return Layout(text, np.array(starts, np.int64), np.array(ends, np.int64), np.array(offsets, np.int64), len(text))
