"""The treebanks of a collection, and which of their files are for training, choosing and testing."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["SUBSTITUTES", "Treebank", "treebanks"]

_KINDS = ("official", "own split", "pre-release")  # splits whose scores mean something to others
# What stands in for treebanks whose training file cannot be had, by language: see the rows of kind "substitute".
_DEV = ("ar", "bg", "ca", "es", "sl")
SUBSTITUTES = {
    **{language: f"{language} trains on the dev file of Universal Dependencies" for language in _DEV},
    "cs": "cs trains on Czech-CLTT and Czech-FicTree, and is tested on Czech-CAC",
    "de": "de trains on German-LIT and German-PUD, and is tested on German-GSD",
}


@dataclass(frozen=True)
class Treebank:
    """A row of ``splits.tsv``: which files to train, choose and test on."""

    language: str
    name: str
    train: tuple[Path, ...]
    dev: tuple[Path, ...]
    test: tuple[Path, ...]


def treebanks(folder: Path, *, every: bool = False) -> list[Treebank]:
    """Return the treebanks of a folder with a ``splits.tsv``: those with a split of their own, or every one."""
    splits = folder / "splits.tsv"
    if not splits.is_file():
        raise InvalidInputError(
            f"{folder}: expected a file splits.tsv (columns lang, name, kind, train, dev, test); found none. "
            "Name the folder of treebanks with --data."
        )
    root = folder / "treebanks" if (folder / "treebanks").is_dir() else folder

    def files(cell: str) -> tuple[Path, ...]:
        return tuple(root / part for part in cell.split(",") if part != "-")

    with splits.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return [
        Treebank(row["lang"], row["name"], files(row["train"]), files(row["dev"]), files(row["test"]))
        for row in rows
        if every or row["kind"] in _KINDS
    ]
