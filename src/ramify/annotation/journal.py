"""The journal beside a file: every step is on the disk before it is reported as saved.

It is a file of JSON lines that only grows. A line names the step, which blocks it replaced, and the annotator's marks
before and after; so the steps can be repeated after a crash, and undone after a restart. Before the treebank is
rewritten, a line says which content it will have, and another one says when it has it. So a file whose content was
neither there last nor announced since was changed by someone else.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ramify.errors import InvalidInputError, RamifyError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ChangedFileError", "Journal", "Step", "fingerprint", "journal_path"]

_VERSION = 1
_BEGINNING = b'{"op":"open"'  # a shorter file is a first line that was cut off by a crash


class ChangedFileError(RamifyError, RuntimeError):
    """Someone else has changed the file that is being annotated."""


@dataclass(frozen=True)
class Step:
    """A change of one place of the file.

    Attributes
    ----------
    what : for people: ``"head of word 3"``
    first : number of the first block that is replaced, from 0
    before, after : the blocks that were there, and that are there now
    marks_before, marks_after : what the annotator has decided about these sentences, as JSON
    """

    what: str
    first: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    marks_before: tuple[Any, ...]
    marks_after: tuple[Any, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the step as a line of the journal has it."""
        return {"op": "step"} | dict(vars(self))

    @classmethod
    def of_json(cls, line: dict[str, Any]) -> Step:
        """Read what `to_json` gave."""
        texts = {name: tuple(line[name]) for name in ("before", "after", "marks_before", "marks_after")}
        return cls(str(line["what"]), int(line["first"]), **texts)

    def reversed(self) -> Step:
        """Return the step that takes this one back."""
        return Step(self.what, self.first, self.after, self.before, self.marks_after, self.marks_before)


def fingerprint(content: bytes) -> str:
    """Return a checksum of a file's content."""
    return hashlib.sha256(content).hexdigest()


def journal_path(file: str | os.PathLike[str]) -> Path:
    """Return where the journal of a file is: beside it."""
    path = Path(file)
    return path.with_name(path.name + ".journal")


class Journal:
    """The lines, and the open file that further ones are written to.

    Parameters
    ----------
    path : of the journal
    content : of the treebank
    num_blocks : how many blocks it has
    """

    def __init__(self, path: Path, content: bytes, num_blocks: int) -> None:
        self.path = path
        if path.is_symlink():
            raise InvalidInputError(f"The journal must be a file beside the treebank; {path} is a link. Move it away.")
        self.lines, whole = _read(path) if path.exists() else ([], 0)
        here = fingerprint(content)
        if not self.lines:
            self._file: BinaryIO = path.open("ab")
            _lock(self._file, path)
            self._file.truncate(0)  # a first line that was cut off by a crash
            self._position = 0
            self.lines = [{"op": "open", "version": _VERSION, "hash": here, "blocks": num_blocks}]
            self.append(self.lines[0])
            _sync_folder(path)
        else:
            if self.lines[0].get("version") != _VERSION:
                raise InvalidInputError(
                    f"{path} is not a journal of this version of ramify. Move it away to start without its steps."
                )
            known = [i for i in self._possible() if self.lines[i]["hash"] == here]
            if not known:
                raise ChangedFileError(
                    f"The file has been changed since it was annotated here: its content matches no line of {path}. "
                    "Put the file back, or move the journal away; what it holds beyond the file is lost then."
                )
            self._file = path.open("r+b")
            _lock(self._file, path)
            self._file.truncate(whole)  # a line that was cut off by a crash was never acknowledged
            self._file.seek(whole)
            self._position = known[-1]
            if known[-1] != self._possible()[0]:  # a crash came after the file was written, and before this line
                self.append({"op": "saved", "hash": here})

    def _possible(self) -> list[int]:
        """Return the lines whose content the file can have: the last that it surely had, and those announced since."""
        contents = [i for i, line in enumerate(self.lines) if line["op"] in ("open", "saving")]
        saved = [i for i, line in enumerate(self.lines) if line["op"] == "saved"]
        first = contents[0]
        if saved:
            first = max(i for i in contents if i < saved[-1] and self.lines[i]["hash"] == self.lines[saved[-1]]["hash"])
        return [i for i in contents if i >= first]

    @property
    def num_blocks(self) -> int:
        """How many blocks the file had when the journal was begun."""
        return int(self.lines[0]["blocks"])

    def replay(self) -> Iterator[tuple[str, Step | None, bool]]:
        """Yield what was done: ``step``, ``undo`` or ``redo``, the step, and whether the file lacks it."""
        for i, line in enumerate(self.lines):
            if line["op"] in ("step", "undo", "redo"):
                yield line["op"], Step.of_json(line) if line["op"] == "step" else None, i > self._position

    def append(self, line: dict[str, Any]) -> None:
        """Write a line; it is on the disk when this returns."""
        _append(self._file, line)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _lock(file: BinaryIO, path: Path) -> None:
    """Refuse a journal that another process writes; the lock goes with the process."""
    try:
        import fcntl
    except ModuleNotFoundError:  # pragma: no cover - Windows, where an open file cannot be replaced anyway
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise ChangedFileError(
            f"Another process annotates the same file: it writes {path}. Stop that process first."
        ) from None


def _append(file: BinaryIO, line: dict[str, Any]) -> None:
    file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
    file.flush()
    os.fsync(file.fileno())


def _read(path: Path) -> tuple[list[dict[str, Any]], int]:
    """Return the lines that are whole, and how many bytes they take."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    lines = []
    for number, text in enumerate(content[:whole].splitlines(), 1):
        try:
            line = json.loads(text)
        except ValueError:
            line = None
        if not isinstance(line, dict) or "op" not in line:
            raise InvalidInputError(
                f"{path}:{number} is not a line of a journal. Move the journal away to start without it."
            )
        lines.append(line)
    if not lines and content[: len(_BEGINNING)] != _BEGINNING[: len(content)]:
        raise InvalidInputError(f"{path} is not a journal. Move it away to start without it.")
    return lines, whole


def _sync_folder(path: Path) -> None:
    if os.name == "posix":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
