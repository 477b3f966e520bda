"""Zips from strangers: whatever is wrong with one becomes an error of ramify."""

from __future__ import annotations

import contextlib
import zipfile
import zlib
from typing import TYPE_CHECKING

from ramify.errors import RamifyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["reading_zip"]

_ENCRYPTED = 0x1  # bit of an entry's flags
# What zipfile raises on damaged files: RuntimeError for what it does not support and for what is encrypted, ValueError
# for names that no encoding fits, OSError for places before the start of the file.
_DAMAGE = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError)


@contextlib.contextmanager
def reading_zip(path: Path, refuse: Callable[[str], RamifyError]) -> Iterator[zipfile.ZipFile]:
    """Open a zip to read entries from it in the block.

    Parameters
    ----------
    path : of a file that can be opened; else the OSError is the system's
    refuse : makes the error to raise from what was found
    """
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                for entry in archive.infolist():
                    if trouble := _trouble(entry):
                        raise refuse(f"{entry.filename[:80]!r} {trouble}")
                yield archive
        except RamifyError:
            raise
        except _DAMAGE as error:
            raise refuse(str(error)) from error


def _trouble(entry: zipfile.ZipInfo) -> str:
    if entry.flag_bits & _ENCRYPTED:
        return "is encrypted, and there is no password; unpack it and zip it again without one"
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"is compressed by method {entry.compress_type}; only deflate ({zipfile.ZIP_DEFLATED}) is known"
    return ""
