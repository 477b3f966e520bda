"""Shards: pieces of the files of a corpus that are annotated independently of one another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramify.data.files import suffix_of
from ramify.errors import InvalidInputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["CORPUS_FORMATS", "CORPUS_SUFFIXES", "Shard", "format_of", "plan_shards", "pyarrow_parquet"]

CORPUS_SUFFIXES = {
    ".txt": "text", ".text": "text", ".md": "text", ".conllu": "conllu",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet",
}  # fmt: skip
CORPUS_FORMATS = ("text", "conllu", "jsonl", "parquet")
_COMPRESSED = (".gz", ".xz", ".zst")


@dataclass(frozen=True)
class Shard:
    """A piece of a file.

    Attributes
    ----------
    path, format, name : the file, its format, and the name of the document
    start, stop : the bytes of the file that belong to the shard; of a Parquet file, the row groups. A stop of −1 is
        the end of the file
    first : number of the first line, or row, of the shard in the file, from 1
    output : name of the file that is written
    """

    path: str
    format: str
    name: str
    start: int
    stop: int
    first: int
    output: str


def format_of(path: str, given: str | None) -> str:
    """Return the format of a file of a corpus: what is given, or what the suffix says."""
    found = given or CORPUS_SUFFIXES.get(suffix_of(path))
    if found not in CORPUS_FORMATS:
        raise InvalidInputError(
            f"A corpus consists of files in the formats {', '.join(CORPUS_FORMATS)}; "
            + (f"got the format {given!r}." if given else f"the suffix of {path!r} names none. Name it with --from.")
        )
    return found


def plan_shards(files: Sequence[tuple[str, str]], format: str | None, suffix: str, size: int) -> list[Shard]:
    """Divide the files of a corpus into shards of about `size` bytes.

    Text is one document, and a compressed file cannot be read from its middle: those are one shard each.

    Parameters
    ----------
    files : pairs of a path and the name of the document
    format : of all files; None looks at the suffixes
    suffix : of the files that are written
    size : files that are not larger are one shard, and are not read here
    """
    shards = []
    for path, name in files:
        kind = format_of(path, format)
        pieces = list(_pieces(path, kind, size))
        for number, (start, stop, first) in enumerate(pieces):
            output = f"{name}-{number:05}{suffix}" if len(pieces) > 1 else f"{name}{suffix}"
            shards.append(Shard(path, kind, name, start, stop, first, output))
    return shards


def _pieces(path: str, format: str, size: int) -> Iterator[tuple[int, int, int]]:
    large = Path(path).stat().st_size > size
    if not large or format == "text" or path.lower().endswith(_COMPRESSED):
        yield 0, -1, 1
    else:
        yield from _row_groups(path, size) if format == "parquet" else _lines(path, size, format == "conllu")


def _lines(path: str, size: int, until_empty: bool) -> Iterator[tuple[int, int, int]]:
    """Yield stretches of whole lines, or of whole sentences, which an empty line ends."""
    start = position = 0
    first = number = 1
    with Path(path).open("rb") as file:
        for line in file:
            position += len(line)
            number += 1
            if position - start >= size and (not until_empty or not line.strip()):
                yield start, position, first
                start, first = position, number
    if position > start:
        yield start, position, first


def _row_groups(path: str, size: int) -> Iterator[tuple[int, int, int]]:
    start, first, row, held = 0, 1, 1, 0
    with pyarrow_parquet().ParquetFile(path) as file:
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    for i, group in enumerate(groups, 1):
        row += group.num_rows
        held += group.total_byte_size
        if held >= size or i == len(groups):
            yield start, i, first
            start, first, held = i, row, 0


def pyarrow_parquet() -> Any:
    """Import what reads and writes Parquet."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "cluster", "a corpus in Parquet") from None
    return pyarrow.parquet
