"""What a worker does with a shard: read it, annotate it, and write a file that appears whole or not at all."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from ramify.atomic import replacing_file, replacing_path
from ramify.data import Sentence, read, write
from ramify.data.documents import as_document, parse_document
from ramify.data.files import open_for_reading
from ramify.distributed.batches import Annotator, loaded_model, problems_of
from ramify.distributed.shards import pyarrow_parquet
from ramify.errors import InvalidInputError, ParseError, RamifyError
from ramify.pipeline import Pipeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ramify.distributed.batches import Annotated
    from ramify.distributed.shards import Shard

__all__ = ["Receipt", "ShardWorker"]

_BATCH = 256


@dataclass
class Receipt:
    """What became of a shard.

    Attributes
    ----------
    shard : name of its output
    sentences, words : how many were written
    failures : pairs of the name of a document or sentence and what went wrong there
    error : why the shard as a whole was not written; empty if it was
    """

    shard: str
    sentences: int = 0
    words: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    error: str = ""

    def count(self, sentences: int, words: int) -> None:
        """Add sentences and their words."""
        self.sentences += sentences
        self.words += words


@dataclass(frozen=True)
class ShardWorker:
    """Annotates shards; a pickle of it can be sent to any process that sees the same files.

    Attributes
    ----------
    annotator : the model and its options
    folder : where outputs are written
    mark : whether files begin with ``# newdoc id``, as where several are written to one file
    """

    annotator: Annotator
    folder: str
    mark: bool = False

    def __call__(self, shard: Shard) -> Receipt:
        """Annotate one shard. What is wrong with the shard is in its receipt; what is wrong with the model raises."""
        loaded_model(self.annotator.model)
        receipt = Receipt(shard.output)
        target = Path(self.folder, shard.output)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._write(shard, target, receipt)
        except (RamifyError, OSError) as error:
            return Receipt(shard.output, error=str(error))
        return receipt

    def _write(self, shard: Shard, target: Path, receipt: Receipt) -> None:
        if target.suffix == ".parquet":
            self._write_parquet(shard, target, receipt)
            return
        with replacing_file(target) as file:
            if target.suffix == ".jsonl":
                for document, done in self._documents(shard, receipt):
                    file.write(_json_line(document, done))
            elif shard.format in ("jsonl", "parquet"):
                write(_sentences_of(self._documents(shard, receipt)), file, format="conllu")
            else:
                write(self._sentences(shard, receipt), file, format="conllu")

    def _sentences(self, shard: Shard, receipt: Receipt) -> Iterator[Sentence]:
        """Annotate text or a treebank, as ``ramify parse`` does."""
        model = loaded_model(self.annotator.model)
        with open_for_reading(shard.path) as whole:
            file: IO[Any] = whole if shard.stop < 0 else io.BytesIO(_bytes_of(shard))
            if shard.format == "conllu":
                sentences = read(file, format="conllu", multiple_roots=True)
            elif isinstance(model, Pipeline):
                sentences = model.segmenter.stream(file)
            else:
                raise InvalidInputError(f"{shard.path}: text needs a pipeline; {self.annotator.model!r} is a parser.")
            if self.mark and shard.start == 0:
                sentences = as_document(sentences, shard.name, number=shard.format == "text")
            run = model.annotate if isinstance(model, Pipeline) else model.pipe
            limit, threads = self.annotator.max_words, self.annotator.threads
            for result in run(sentences, copy=False, batch_size=_BATCH, max_words=limit, threads=threads):
                receipt.count(1, len(result.sentence))
                problem = problems_of([result])
                if problem:
                    name = result.sentence.sent_id or f"{shard.output}, sentence {receipt.sentences}"
                    receipt.failures.append((name, problem))
                yield result.sentence

    def _documents(self, shard: Shard, receipt: Receipt) -> Iterator[tuple[dict[str, Any], Annotated]]:
        """Annotate the rows of JSON lines or Parquet, each with its ``id``, or its number if it has none."""
        rows = _json_rows(shard) if shard.format == "jsonl" else _parquet_rows(shard, self.annotator.text)
        for batch in _batches(rows):
            found = self.annotator.annotate([row["text"] for row in batch])
            for row, done in zip(batch, found, strict=True):
                self._record(receipt, str(row["id"]), done)
                yield row, done

    def _record(self, receipt: Receipt, name: str, done: Annotated) -> None:
        if done.doc is not None:
            receipt.count(len(done.doc.sentences), len(done.doc))
        if done.error is not None:
            receipt.failures.append((name, done.error))

    def _write_parquet(self, shard: Shard, target: Path, receipt: Receipt) -> None:
        parquet = pyarrow_parquet()
        number = shard.first
        with parquet.ParquetFile(shard.path) as source, replacing_path(target) as fresh:
            writer = None
            for batch in source.iter_batches(_BATCH, row_groups=_groups(source, shard)):
                made = self.annotator(batch)
                writer = writer or parquet.ParquetWriter(fresh, made.schema)
                writer.write_batch(made)
                names = _names_of(batch, number)
                number += batch.num_rows
                for name, error in zip(names, made["error"].to_pylist(), strict=True):
                    if error is not None:
                        receipt.failures.append((name, error))
                receipt.count(sum(made["sentences"].to_pylist()), sum(made["words"].to_pylist()))
            if writer is None:  # no rows
                parquet.write_table(self.annotator(source.schema_arrow.empty_table()), fresh)
            else:
                writer.close()


def _bytes_of(shard: Shard) -> bytes:
    with Path(shard.path).open("rb") as file:
        file.seek(shard.start)
        return file.read(shard.stop - shard.start)


def _json_rows(shard: Shard) -> Iterator[dict[str, Any]]:
    with open_for_reading(shard.path) as whole:
        lines = whole if shard.stop < 0 else io.BytesIO(_bytes_of(shard))
        for number, line in enumerate(lines, shard.first):
            if not line.strip():
                continue
            try:
                document = parse_document(line.removeprefix(b"\xef\xbb\xbf"), shard.path, number)
            except ParseError as error:  # in the place of the text; its row says so
                yield {"id": str(number), "text": error}
            else:
                yield {"id": document.id, "text": document.text} | document.metadata


def _parquet_rows(shard: Shard, text: str) -> Iterator[dict[str, Any]]:
    number = shard.first
    with pyarrow_parquet().ParquetFile(shard.path) as file:
        if text not in file.schema_arrow.names:
            names = ", ".join(map(repr, file.schema_arrow.names))
            raise InvalidInputError(f"{shard.path}: expected a column {text!r} of texts; there are {names}.")
        columns = [name for name in ("id", text) if name in file.schema_arrow.names]
        for batch in file.iter_batches(_BATCH, row_groups=_groups(file, shard), columns=columns):
            for name, value in zip(_names_of(batch, number), batch[text].to_pylist(), strict=True):
                yield {"id": name, "text": value}
            number += batch.num_rows


def _groups(file: Any, shard: Shard) -> list[int]:
    return list(range(shard.start, file.metadata.num_row_groups if shard.stop < 0 else shard.stop))


def _names_of(batch: Any, number: int) -> list[str]:
    """Return the names of rows: what column ``id`` says, else their numbers in the file."""
    if "id" in batch.schema.names:
        return [str(value) for value in batch["id"].to_pylist()]
    return [str(number + i) for i in range(batch.num_rows)]


def _batches(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _sentences_of(documents: Iterable[tuple[dict[str, Any], Annotated]]) -> Iterator[Sentence]:
    for row, done in documents:
        if done.doc is not None:
            sentences = (view.sentence for view in done.doc.sentences)
            yield from as_document(sentences, str(row["id"]), number=True)


def _json_line(row: dict[str, Any], done: Annotated) -> bytes:
    found = {"conllu": None if done.doc is None else done.doc.to_conllu(), "error": done.error}
    text = row["text"] if isinstance(row["text"], str) else None
    return json.dumps(row | {"text": text} | found, ensure_ascii=False).encode() + b"\n"
