"""Training data of summarizers: JSON lines, each with documents and the summaries that people wrote of them.

A line can also have a sentence and a shorter version of it, from which cuts are learned.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramify.data.documents import Document
from ramify.data.files import file_name, open_for_reading
from ramify.errors import ParseError
from ramify.learn.corpus import Corpus, load_corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Cluster", "as_cluster", "load_clusters", "read_clusters"]

_EXPECTED = 'a JSON object with "text" or "documents"'


@dataclass(frozen=True)
class Cluster:
    """Documents that are summarized together.

    Attributes
    ----------
    documents : at least one
    summaries : summaries that people wrote; none if a summary is to be made
    words : length of the summaries, None if the data do not say
    id : name
    is_pair : whether this is a sentence and a shorter version of it, from which words were deleted
    """

    documents: tuple[Document, ...]
    summaries: tuple[str, ...] = ()
    words: int | None = None
    id: str = ""
    is_pair: bool = False

    def __len__(self) -> int:
        return sum(len(document.text.split()) for document in self.documents)


def as_cluster(value: object, name: str = "", number: int = 0) -> Cluster:
    """Return a cluster of what a JSON line holds.

    Parameters
    ----------
    value : an object with ``text`` or ``documents``: texts, or objects with ``text``, ``id`` and ``headline``; and with
        ``summaries`` and ``words``
    name, number : file and line, for errors
    """
    if not isinstance(value, dict):
        raise ParseError(name, number, "", _EXPECTED, type(value).__name__)
    given = value.get("documents", [value] if isinstance(value.get("text"), str) else None)
    if not isinstance(given, list) or not given:
        raise ParseError(name, number, "", _EXPECTED, f"an object with {sorted(map(str, value))}")
    documents = tuple(_document(item, i, name, number) for i, item in enumerate(given, 1))
    summaries = value.get("summaries", [])
    if not isinstance(summaries, list) or not all(isinstance(text, str) for text in summaries):
        raise ParseError(name, number, "summaries", "a list of texts", type(summaries).__name__)
    words = value.get("words")
    if words is not None and (type(words) is not int or words < 1):
        raise ParseError(name, number, "words", "a number of words, 1 or more", repr(words))
    return Cluster(documents, tuple(summaries), words, str(value.get("id", number)))


def _as_pair(value: Any) -> Cluster | None:
    """Return a sentence and its compression if this is one."""
    if isinstance(value, dict) and all(isinstance(value.get(key), str) for key in ("original", "compressed")):
        return Cluster((Document(value["original"]),), (value["compressed"],), is_pair=True)
    return None


def _document(item: object, number: int, name: str, line: int) -> Document:
    value: Any = {"text": item} if isinstance(item, str) else item
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise ParseError(name, line, "documents", 'texts, or objects with "text"', type(item).__name__)
    rest = {key: content for key, content in value.items() if key == "headline"}
    return Document(value["text"], str(value.get("id", number)), rest)


def read_clusters(source: Any, *, pairs: bool = False) -> Iterator[Cluster]:
    """Yield the clusters of a file with JSON lines.

    Parameters
    ----------
    source : path, ``"-"`` or an open file
    pairs : whether lines can also have ``original`` and ``compressed``
    """
    name = file_name(source)
    with open_for_reading(source) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError) as error:
                    raise ParseError(name, number, "", _EXPECTED, f"no JSON ({error})") from None
                pair = _as_pair(value) if pairs else None
                yield pair or as_cluster(value, name, number)


def load_clusters(source: Any, role: str, config: Any) -> Corpus[Any]:
    """Return clusters with summaries, as training needs them.

    Parameters
    ----------
    source : paths of files with JSON lines, or clusters
    role : ``"train"`` or ``"dev"``, for messages
    config : not used
    """

    def with_summaries(path: Any) -> Iterable[Cluster]:
        for number, cluster in enumerate(read_clusters(path, pairs=True), 1):
            if not any(text.strip() for text in cluster.summaries):
                raise ParseError(Path(path).name, number, "summaries", "at least one summary", "none")
            yield cluster

    return load_corpus(source, role, with_summaries, _given)


def _given(item: object) -> Cluster:
    if not isinstance(item, Cluster) or not item.summaries:
        raise TypeError
    return item
