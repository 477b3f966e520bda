"""Files and directories that appear whole or not at all: written beside their place, then moved into it."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["replacing_directory", "replacing_file", "replacing_path"]


@contextlib.contextmanager
def replacing_file(target: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing bytes; it takes its place when the block ends well, and leaves no trace otherwise.

    Parameters
    ----------
    target : a link stays, and what it points to is replaced; a device or a pipe is written to directly
    """
    final = Path(target)
    if final.exists() and not final.is_file():  # a directory fails here, before anything is written
        with final.open("wb") as file:
            yield file
        return
    with replacing_path(final) as fresh, fresh.open("xb") as file:
        yield file


@contextlib.contextmanager
def replacing_path(target: str | os.PathLike[str]) -> Iterator[Path]:
    """As `replacing_file`, for libraries that open files themselves: give the path at which to create one."""
    final = Path(target).resolve()
    fresh = _beside(final, "part")
    try:
        yield fresh
        _sync(fresh)
        if final.exists():
            fresh.chmod(final.stat().st_mode & 0o777)
        fresh.replace(final)
    except BaseException as error:
        with contextlib.suppress(OSError):  # where a directory is missing, or a file stands in its place
            fresh.unlink(missing_ok=True)
        _name_target(error, fresh, target)
        raise


@contextlib.contextmanager
def replacing_directory(target: str | os.PathLike[str], keep: tuple[str, ...] = ()) -> Iterator[Path]:
    """Give an empty directory to write files to; it takes its place when the block ends well, and goes otherwise.

    Parameters
    ----------
    target : a directory that is there already gives way, with all that is in it
    keep : names of what is moved from there into the new one
    """
    final = Path(target).resolve()
    fresh = _beside(final, "part")
    try:
        fresh.mkdir()
        yield fresh
        for path in fresh.rglob("*"):
            if path.is_file():
                _sync(path)
        if final.exists():
            _swap(fresh, final, keep)
        else:
            fresh.rename(final)
    except BaseException as error:
        shutil.rmtree(fresh, ignore_errors=True)
        _name_target(error, fresh, target)
        raise


def _swap(fresh: Path, final: Path, keep: tuple[str, ...]) -> None:
    old = _beside(final, "old")
    final.rename(old)
    try:
        fresh.rename(final)
    except BaseException:
        old.rename(final)
        raise
    # Only now: up to here the old directory can come back with all it had.
    for name in keep:
        if (old / name).exists():
            (old / name).rename(final / name)
    shutil.rmtree(old)


def _name_target(error: BaseException, fresh: Path, target: str | os.PathLike[str]) -> None:
    """Let an error name the file that the user asked for, not the hidden one beside it."""
    if isinstance(error, OSError) and str(error.filename or "").startswith(str(fresh)):
        error.filename = os.fspath(target)
        error.filename2 = None


def _beside(final: Path, suffix: str) -> Path:
    # Not by tempfile, which makes private files: these get the rights that any new file would have.
    return final.with_name(f".{final.name}.{secrets.token_hex(4)}.{suffix}")


def _sync(path: Path) -> None:
    with path.open("r+b") as file:
        os.fsync(file.fileno())
