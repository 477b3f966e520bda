"""Files as byte streams: compressed or not by suffix, ``-`` for the standard streams, written whole or not at all."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import lzma
import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Union, cast

from ramify.atomic import replacing_file
from ramify.errors import InvalidInputError, ParseError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "PathOrFile",
    "file_name",
    "open_for_reading",
    "open_for_writing",
    "read_chunks",
    "read_utf8",
    "refuse_other_encodings",
    "suffix_of",
]

PathOrFile = Union[str, "os.PathLike[str]", IO[Any]]  # a | of types would need Python 3.10's os.PathLike at run time

CHUNK_BYTES = 1 << 20
_BYTES_OF_ENCODING = 4
_COMPRESSION_SUFFIXES = {".gz": "gzip", ".xz": "xz", ".zst": "Zstandard"}


def file_name(source: PathOrFile) -> str:
    """Return the name by which messages call a source."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        return "<stdin>" if path == "-" else path
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<string>"


def suffix_of(source: PathOrFile) -> str:
    """Return the suffix that tells the format, in lower case: that of ``a.conllu.gz`` is ``.conllu``."""
    path = Path(file_name(source))
    suffix = path.suffix.lower()
    return path.with_suffix("").suffix.lower() if suffix in _COMPRESSION_SUFFIXES else suffix


def _compression(path: str) -> str | None:
    return _COMPRESSION_SUFFIXES.get(Path(path).suffix.lower())


@contextlib.contextmanager
def open_for_reading(source: PathOrFile) -> Iterator[IO[Any]]:
    """Open a path, or pass through an open file, for reading; closes only what it opened."""
    if not isinstance(source, (str, os.PathLike)):
        if not hasattr(source, "read"):
            raise InvalidInputError(f"read expects a path or an open file; got {type(source).__name__}.")
        yield source
        return
    path = os.fspath(source)
    if path == "-":
        yield sys.stdin.buffer
        return
    with contextlib.ExitStack() as stack:
        file: IO[Any] = stack.enter_context(Path(path).open("rb"))
        compression = _compression(path)
        if compression == "gzip":
            file = cast("IO[bytes]", stack.enter_context(gzip.open(file)))
        elif compression == "xz":
            file = cast("IO[bytes]", stack.enter_context(lzma.open(file)))
        elif compression == "Zstandard":
            file = cast("IO[bytes]", stack.enter_context(zstd.open(file)))
        yield file


def read_chunks(file: IO[Any], name: str) -> Iterator[bytes]:
    """Yield a file's bytes as they come; a text file is encoded as UTF-8."""
    # read1 returns what a pipe has by now, so that sentences flow as soon as they arrive.
    read = getattr(file, "read1", file.read)
    while True:
        try:
            chunk = read(CHUNK_BYTES)
        except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zstd.ZstdError) as error:
            compression = _compression(name) or "compressed"
            raise ParseError(name, 0, "", f"a whole {compression} file", f"damaged data ({error})") from error
        if not chunk:
            return
        yield chunk.encode() if isinstance(chunk, str) else chunk


def read_utf8(file: IO[Any], name: str) -> Iterator[bytes]:
    """Yield the bytes of a text file as they come, without the byte order mark that it may start with."""
    chunks = refuse_other_encodings(read_chunks(file, name), name)
    first = next(chunks, b"")
    yield first.removeprefix(codecs.BOM_UTF8)
    yield from chunks


def refuse_other_encodings(chunks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Pass chunks on, the first of at least four bytes; raise if they start as UTF-16 or UTF-32 does."""
    start = b""
    for chunk in chunks:
        start += chunk
        if len(start) >= _BYTES_OF_ENCODING:
            break
    encoding = _other_encoding(start)
    if encoding:
        found = f"{encoding} (convert the file first: iconv -f {encoding} -t UTF-8)"
        raise ParseError(name, 1, "", "UTF-8 text", found)
    if start:
        yield start
    yield from chunks


def _other_encoding(start: bytes) -> str | None:
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "UTF-32"
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    pairs = start[:64]
    if len(pairs) >= _BYTES_OF_ENCODING:  # without a mark, every other byte of ASCII is zero
        if not any(pairs[1::2]) and any(pairs[::2]):
            return "UTF-16LE"
        if not any(pairs[::2]) and any(pairs[1::2]):
            return "UTF-16BE"
    return None


@contextlib.contextmanager
def open_for_writing(target: PathOrFile) -> Iterator[BinaryIO]:
    """Open a path for writing bytes; the file appears whole when the block ends well, and not at all otherwise."""
    if not isinstance(target, (str, os.PathLike)):
        if not hasattr(target, "write"):
            raise InvalidInputError(f"write expects a path or an open file; got {type(target).__name__}.")
        text: object = target
        if isinstance(text, io.TextIOBase):
            buffer = io.BytesIO()
            yield buffer
            text.write(buffer.getvalue().decode())
        else:
            yield cast("BinaryIO", target)
        return
    path = os.fspath(target)
    if path == "-":
        yield cast("BinaryIO", sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with replacing_file(path) as raw, _compressed(raw, path) as file:
        yield file


@contextlib.contextmanager
def _compressed(raw: BinaryIO, path: str) -> Iterator[BinaryIO]:
    compression = _compression(path)
    if compression is None:
        yield raw
    elif compression == "gzip":
        # A fixed time stamp: the same sentences give the same bytes.
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as file:
            yield cast("BinaryIO", file)
    elif compression == "xz":
        with lzma.open(raw, "wb") as xz:
            yield cast("BinaryIO", xz)
    else:
        with zstd.open(raw, "wb") as zst:
            yield cast("BinaryIO", zst)
