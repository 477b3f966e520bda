"""A file that is being edited: its blocks, the marks of the annotator, and the steps that led there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ramify.annotation.blocks import parsed, split_file
from ramify.annotation.journal import ChangedFileError, Journal, Step, fingerprint, journal_path
from ramify.annotation.marks import Marks
from ramify.atomic import replacing_file
from ramify.data.treebanks import format_of_suffix
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from ramify.data import Sentence

__all__ = ["Document"]


class Document:
    """A treebank in a file, with undo and redo that survive a crash.

    Parameters
    ----------
    path : a file in CoNLL-U or CoNLL-X
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path).resolve()
        if self.path.suffix in (".gz", ".xz", ".zst"):
            raise InvalidInputError(
                f"ramify annotate expects a file that is not compressed; {path} is compressed. Unpack it first."
            )
        content = self.path.read_bytes()
        _check_text(content, self.path)
        self._prefix, self.blocks = split_file(content)
        if not self.blocks:
            raise InvalidInputError(f"{path} has no sentences.")
        self.format = format_of_suffix(str(self.path)) or "conllu"
        if self.path.suffix == ".conll":
            self.format = _sniffed(self.path)
        self._hash = fingerprint(content)
        self._seen = self._stamp()
        self._journal = Journal(journal_path(self.path), content, len(self.blocks))
        self.marks = [Marks()] * self._journal.num_blocks
        self._done: list[Step] = []
        self._undone: list[Step] = []
        try:
            self._replay()
        except BaseException:
            self._journal.close()
            raise

    @property
    def journal(self) -> Path:
        """The path of the journal."""
        return self._journal.path

    def _replay(self) -> None:
        for op, step, missing in self._journal.replay():
            if op == "step":
                assert step is not None  # noqa: S101 - a line with this name has one
                self._done.append(step)
                self._undone = []
                change = step
            else:
                source, target = (self._done, self._undone) if op == "undo" else (self._undone, self._done)
                if not source:
                    raise InvalidInputError(f"{self.journal} takes back what was not done. Move the journal away.")
                target.append(source.pop())
                change = target[-1].reversed() if op == "undo" else target[-1]
            self._apply(change, blocks=missing, marks=True)
        if len(self.marks) != len(self.blocks):
            raise InvalidInputError(f"{self.journal} does not fit the file. Move the journal away.")

    def _apply(self, step: Step, *, blocks: bool = True, marks: bool = True) -> None:
        end = step.first + len(step.before)
        if blocks:
            if [block.decode() for block in self.blocks[step.first : end]] != list(step.before):
                raise InvalidInputError(f"{self.journal} does not fit the file. Move the journal away.")
            self.blocks[step.first : end] = [text.encode() for text in step.after]
        if marks:
            self.marks[step.first : end] = [Marks.of_json(value) for value in step.marks_after]

    def sentence(self, number: int) -> Sentence:
        """Read a sentence, numbered from 0; a malformed one is a `ramify.errors.ParseError`."""
        return parsed(self.blocks[number], self.format)

    def replace(self, what: str, first: int, count: int, blocks: Sequence[bytes], marks: Sequence[Marks]) -> None:
        """Replace neighbouring blocks; when this returns, the step is on the disk.

        Parameters
        ----------
        what : description of the step, for people
        first, count : the blocks that are replaced
        blocks, marks : what comes in their place
        """
        self._check()
        end = first + count
        step = Step(
            what,
            first,
            tuple(block.decode() for block in self.blocks[first:end]),
            tuple(block.decode() for block in blocks),
            tuple(mark.to_json() for mark in self.marks[first:end]),
            tuple(mark.to_json() for mark in marks),
        )
        if step.before == step.after and step.marks_before == step.marks_after:
            return
        self._journal.append(step.to_json())
        self._apply(step)
        self._done.append(step)
        self._undone = []

    def undo(self) -> Step | None:
        """Take the last step back; return the change that this makes, or None if there is no step."""
        return self._turn("undo", self._done, self._undone)

    def redo(self) -> Step | None:
        """Repeat the last step that was taken back."""
        return self._turn("redo", self._undone, self._done)

    def _turn(self, op: str, source: list[Step], target: list[Step]) -> Step | None:
        if not source:
            return None
        self._check()
        self._journal.append({"op": op})
        step = source.pop()
        target.append(step)
        change = step.reversed() if op == "undo" else step
        self._apply(change)
        return change

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to repeat."""
        return bool(self._undone)

    @property
    def content(self) -> bytes:
        """What the file is to hold."""
        return self._prefix + b"".join(self.blocks)

    def save(self) -> bool:
        """Rewrite the file, which is whole at every moment; return whether there was something to write."""
        self._check()
        content = self.content
        here = fingerprint(content)
        if here == self._hash:
            return False
        self._journal.append({"op": "saving", "hash": here})
        with replacing_file(self.path) as file:
            file.write(content)
        self._journal.append({"op": "saved", "hash": here})
        self._hash = here
        self._seen = self._stamp()
        return True

    def close(self) -> None:
        """Release the journal, so that other processes can use it."""
        self._journal.close()

    def _stamp(self) -> tuple[int, int, int]:
        facts = self.path.stat()
        return facts.st_ino, facts.st_size, facts.st_mtime_ns

    def _check(self) -> None:
        """Refuse to go on if someone else has changed the file."""
        try:
            stamp = self._stamp()
            if stamp == self._seen:
                return
            same = fingerprint(self.path.read_bytes()) == self._hash
        except OSError:
            same = False
        if not same:
            raise ChangedFileError(
                f"{self.path.name} has been changed by someone else since it was read. Nothing more is written to it. "
                f"What was done here is in {self.journal.name}; put the file back as it was and start again."
            )
        self._seen = stamp


def _check_text(content: bytes, path: Path) -> None:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InvalidInputError(f"{path}:{line} is not UTF-8. Convert the file first.") from None
    if b"\0" in content:
        raise InvalidInputError(f"{path} contains zero bytes, so it is not a treebank.")


def _sniffed(path: Path) -> str:
    from ramify import data

    return next((sentence.format for sentence in data.read(path, multiple_roots=True, strict=False)), "conllx")
