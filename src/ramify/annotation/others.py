"""Further annotations of the same sentences, to compare with: those of a second annotator, or of another parser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramify import data
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from ramify.data import Sentence

__all__ = ["Others"]


class Others:
    """Other files with the same sentences in the same order.

    Parameters
    ----------
    paths : of the files
    count : how many sentences there must be
    """

    def __init__(self, paths: Sequence[str | os.PathLike[str]], count: int) -> None:
        self.names = [Path(path).name for path in paths]
        self._files: list[list[Sentence | None]] = []
        for path in paths:
            sentences: list[Sentence | None] = list(data.read(str(path), multiple_roots=True))
            if len(sentences) != count:
                raise InvalidInputError(
                    f"Compared files must have the same sentences; {path} has {len(sentences)}, and the first file has "
                    f"{count}."
                )
            self._files.append(sentences)

    def compared(self, number: int, sentence: Sentence) -> list[dict[str, Any]]:
        """Return the trees that the other files have for a sentence, with the words whose arc is another one.

        Parameters
        ----------
        number : of the sentence
        sentence : as it is now
        """
        found: list[dict[str, Any]] = []
        for name, file in zip(self.names, self._files, strict=True):
            other = file[number] if number < len(file) else None
            if other is None or other.forms != sentence.forms:
                found.append({"name": name, "heads": None, "labels": None, "differ": []})
                continue
            heads, labels = [int(head) for head in other.heads], list(other.deprels)
            pairs = zip(heads, labels, sentence.heads, sentence.deprels, strict=True)
            differ = [word for word, (a, b, c, d) in enumerate(pairs, 1) if (a, b) != (int(c), d)]
            found.append({"name": name, "heads": heads, "labels": labels, "differ": differ})
        return found

    def replace(self, first: int, count: int, by: int) -> None:
        """Follow a change of the number of sentences; those that came have no others to compare with."""
        if count != by:
            for file in self._files:
                file[first : first + count] = [None] * by
