"""Training data of compressors as pairs of texts, which a pipeline parses first."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramify.compression import aligned, with_cuts
from ramify.compression.marks import load_marked
from ramify.compression.task import TASK as PARSED
from ramify.data.files import file_name, open_for_reading, suffix_of
from ramify.errors import InvalidInputError, ParseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ramify.data import Sentence
    from ramify.learn.corpus import Corpus
    from ramify.learn.task import LearningTask
    from ramify.pipeline.pipeline import Pipeline

__all__ = ["TASK", "marked_sentences", "read_pairs"]

_TABLES = {".csv": ",", ".tsv": "\t"}
_ORIGINALS = ("original", "text", "sentence")
_COMPRESSED = ("compressed", "compression", "summary")


def read_pairs(source: str | Path) -> Iterator[tuple[str, str]]:
    """Yield sentences and their compressions.

    Parameters
    ----------
    source : a ``.csv`` or ``.tsv`` file whose first line names the columns, or a ``.jsonl`` file: ``original`` (or
        ``text``) and ``compressed`` (or ``compression``)
    """
    name, suffix = file_name(str(source)), suffix_of(str(source))
    with open_for_reading(str(source)) as file:
        text = file.read().decode("utf-8-sig")
    rows: Iterable[dict[str, Any]]
    if suffix in _TABLES:
        rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=_TABLES[suffix])
    else:
        rows = (json.loads(line) for line in text.splitlines() if line.strip())
    for number, row in enumerate(rows, 1):
        pair = [
            next((row[key] for key in keys if isinstance(row.get(key), str)), None)
            for keys in (_ORIGINALS, _COMPRESSED)
        ]
        if pair[0] is None or pair[1] is None:
            raise ParseError(name, number, "", "columns original and compressed", f"{sorted(map(str, row))}")
        yield pair[0], pair[1]


def marked_sentences(pairs: Iterable[tuple[str, str]], pipeline: Pipeline, *, threads: int = 1) -> Iterator[Sentence]:
    """Yield parsed sentences whose words are marked; pairs that are no deletions, or several sentences, are left out.

    Parameters
    ----------
    pairs : sentences and their compressions
    pipeline : parses the sentences
    threads : of the pipeline
    """
    for doc, compression in pipeline.pipe(((text, short) for text, short in pairs), as_tuples=True, threads=threads):
        if len(doc.sentences) == 1:
            sentence = doc.sentences[0].sentence
            kept = aligned(sentence.forms, compression)
            if kept is not None and kept.any():
                yield with_cuts(sentence, kept)


def load_pairs(source: Any, role: str, config: Any) -> Corpus[Any]:
    """Return marked sentences of treebanks, and of pairs of texts, which the English pipeline parses.

    Parameters
    ----------
    source : paths of treebanks and of files of pairs, or sentences
    role, config : see `ramify.compression.marks.load_marked`
    """
    items = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    found: list[Any] = []
    files: list[str] = []
    for item in items:
        if isinstance(item, (str, os.PathLike)):
            files.append(Path(item).name)
            if suffix_of(os.fspath(item)) in (*_TABLES, ".jsonl"):
                from ramify.pipeline.pipeline import load

                found += marked_sentences(read_pairs(os.fspath(item)), load("en"))
            else:
                found += load_marked(item, role, config).sentences
        else:
            found.append(item)
    if not found:
        raise InvalidInputError(f"{role}: expected pairs whose second text leaves out words of the first; found none.")
    return dataclasses.replace(load_marked(found, role, config), files=tuple(files))


TASK: LearningTask = dataclasses.replace(PARSED, load_corpus=load_pairs)
