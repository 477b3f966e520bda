"""Column files: a word and its labels per line, an empty line between sentences."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ramify.data.files import PathOrFile, file_name, open_for_reading, open_for_writing, read_chunks, read_utf8
from ramify.data.lines import checked_lines, decoded_lines
from ramify.errors import InvalidInputError, ParseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["LabelSequence", "read_sequences", "write_sequences"]

_IGNORED = "_"


@dataclass(frozen=True)
class LabelSequence:
    """The columns of one sentence.

    Attributes
    ----------
    columns : name of the column → n strings, in the order of the file; ``"form"`` and ``"label"`` among them
    comments : lines before the sentence that start with ``#``
    starts_document : whether a ``-DOCSTART-`` line stands before the sentence
    """

    columns: dict[str, tuple[str, ...]]
    comments: tuple[str, ...] = ()
    starts_document: bool = False

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self.columns.items()}
        if not lengths or len(set(lengths.values())) != 1:
            raise InvalidInputError(f"LabelSequence expects columns of one length; got {lengths}.")

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def forms(self) -> tuple[str, ...]:
        """The words."""
        return self._column("form")

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels."""
        return self._column("label")

    def _column(self, name: str) -> tuple[str, ...]:
        try:
            return self.columns[name]
        except KeyError:
            raise InvalidInputError(
                f"LabelSequence has no column {name!r}; it has {list(self.columns)}. "
                "Name the file's columns with read_sequences(columns=…)."
            ) from None


def read_sequences(
    source: PathOrFile,
    *,
    columns: Sequence[str] | None = None,
    separator: str | None = None,
    comments: bool | None = None,
    encoding: str = "utf-8",
) -> Iterator[LabelSequence]:
    r"""Read a column file, one sentence at a time.

    Parameters
    ----------
    source : path, ``"-"`` or an open file, as in `ramify.data.read`
    columns : a name per column of the file, ``"_"`` for one to leave out; if not given, the first is ``"form"``, the
        last ``"label"`` and those between are ``"column2"``, ``"column3"``, …
    separator : what stands between columns; white space of any length if not given
    comments : whether lines that start with ``#`` are comments; if not given, only where a column is called ``"id"``,
        since ``#`` is a word in some corpora
    encoding : of the file

    Examples
    --------
    >>> import io
    >>> file = io.StringIO("He PRP B-NP\nsleeps VBZ B-VP\n\n")
    >>> (sequence,) = read_sequences(file, columns=["form", "pos", "label"])
    >>> sequence.forms, sequence.labels
    (('He', 'sleeps'), ('B-NP', 'B-VP'))
    """
    names = None if columns is None else list(columns)
    if names is not None:
        used = [name for name in names if name != _IGNORED]
        if not used or len(set(used)) != len(used):
            raise InvalidInputError(f"read_sequences expects distinct column names, '_' to leave one out; got {names}.")
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise InvalidInputError(f"read_sequences expects an encoding that Python knows; got {encoding!r}.") from None
    with_comments = comments if comments is not None else names is not None and "id" in names
    stream = open_for_reading(source)
    file = stream.__enter__()  # a missing file is an error now, not at the first sentence

    def sequences() -> Iterator[LabelSequence]:
        try:
            name = file_name(source)
            utf8 = codecs.lookup(encoding).name == "utf-8"
            chunks = read_utf8(file, name) if utf8 else read_chunks(file, name)
            lines = checked_lines(decoded_lines(chunks, name, encoding), name)
            yield from _group(lines, name, names, separator, with_comments)
        finally:
            stream.__exit__(None, None, None)

    return sequences()


def _group(
    lines: Iterator[tuple[int, str]], name: str, names: list[str] | None, separator: str | None, with_comments: bool
) -> Iterator[LabelSequence]:
    rows: list[list[str]] = []
    comments: list[str] = []
    starts_document = False

    def sequence() -> LabelSequence:
        columns = zip(names or _default_names(len(rows[0])), zip(*rows, strict=True), strict=True)
        kept = {column: values for column, values in columns if column != _IGNORED}
        return LabelSequence(kept, tuple(comments), starts_document)

    for number, line in lines:
        if with_comments and line.startswith("#"):
            comments.append(line)
            continue
        cells = line.split(separator) if line.strip() else []
        is_document = bool(cells) and cells[0] == "-DOCSTART-"
        if rows and (not cells or is_document):
            yield sequence()
            rows, comments, starts_document = [], [], False
        if is_document:
            starts_document = True
        elif cells:
            width = len(names) if names else len(rows[0]) if rows else max(len(cells), 2)
            if len(cells) != width or not all(cells):
                raise ParseError(name, number, "", f"{width} columns", f"{len(cells)} in {line[:60]!r}")
            rows.append(cells)
    if rows:
        yield sequence()


def _default_names(width: int) -> list[str]:
    return ["form", *(f"column{i}" for i in range(2, width)), "label"]


def write_sequences(sequences: Iterable[LabelSequence], target: PathOrFile, *, separator: str = " ") -> int:
    """Write column files: a word per line, an empty line after each sentence; return the number of sentences."""
    count = 0
    with open_for_writing(target) as file:
        for sequence in sequences:
            rows = list(zip(*sequence.columns.values(), strict=True))
            width = len(sequence.columns)
            for row in rows:
                for cell in row:
                    if not cell or separator in cell or "\n" in cell:
                        raise InvalidInputError(
                            f"write_sequences expects cells without {separator!r}; got {cell!r} in sentence "
                            f"{count + 1}. Choose another separator."
                        )
            lines = ["-DOCSTART-" + f"{separator}-X-" * (width - 1), ""] if sequence.starts_document else []
            lines += [*sequence.comments, *(separator.join(row) for row in rows), "", ""]
            file.write("\n".join(lines).encode())
            count += 1
    return count
