"""Lines of a text file as they come, decoded, with their numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ramify.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["MAX_LINE_BYTES", "checked_lines", "decoded_lines"]

MAX_LINE_BYTES = 1 << 20
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")  # of ASCII, other than tab


def decoded_lines(chunks: Iterator[bytes], name: str, encoding: str = "utf-8") -> Iterator[tuple[int, str]]:
    """Yield number and text of every line, without its line end.

    Parameters
    ----------
    chunks : of the file
    name : by which messages call the file
    encoding : of the file
    """
    number = 0
    rest = b""

    def decode(line: bytes) -> str:
        try:
            return line.decode(encoding).rstrip("\r")
        except UnicodeDecodeError as error:
            raise ParseError(
                name, number, "", f"{encoding} text", f"byte 0x{line[error.start]:02X} (pass the file's encoding)"
            ) from None

    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            number += 1
            yield number, decode(line)
        if len(rest) > MAX_LINE_BYTES:
            raise ParseError(name, number + 1, "", f"lines of at most {MAX_LINE_BYTES} bytes", "a longer one")
    if rest:
        number += 1
        yield number, decode(rest)


def checked_lines(lines: Iterator[tuple[int, str]], name: str) -> Iterator[tuple[int, str]]:
    """Pass lines on; raise at the first one with a control character, which would become part of a word."""
    for number, line in lines:
        control = _CONTROL.search(line)
        if control:
            found = f"U+{ord(control[0]):04X} in {line[:60]!r}"
            raise ParseError(name, number, "", "text without control characters", found)
        yield number, line
