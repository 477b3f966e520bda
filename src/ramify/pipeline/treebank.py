"""Folders of treebanks, as Universal Dependencies has them: which file is for what, and under which licence."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Union

from ramify.data import read
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.data import Sentence

__all__ = ["TreebankFolder", "blocks_of", "find_treebank", "held_out", "read_all", "treebank_of"]

Paths = Union[str, Path, "Sequence[str | Path]"]

_SUFFIXES = (".conllu", ".conllu.gz", ".conllu.xz", ".conllu.zst")
_LANGUAGE = re.compile(r"([a-z]{2,3})(?:_|-ud-)")
_BLOCK = 10  # sentences that stay together where documents are not marked
_MOST_TEXT = 1 << 20
_LICENCES = (
    (r"\bGNU GENERAL PUBLIC LICENSE\s+Version (\d)", "GNU GPL {0}.0"),
    (r"\bAttribution-NonCommercial-ShareAlike (\d\.\d)", "CC BY-NC-SA {0}"),
    (r"\bAttribution-NonCommercial (\d\.\d)", "CC BY-NC {0}"),
    (r"\bAttribution-ShareAlike (\d\.\d)", "CC BY-SA {0}"),
    (r"\bAttribution (\d\.\d)", "CC BY {0}"),
)


@dataclass(frozen=True)
class TreebankFolder:
    """The files of a treebank.

    Attributes
    ----------
    name : of the folder
    train, dev, test : files, in the order of their names; dev and test may be missing
    language : as the names of the files say, or ``"und"``
    licence : as README or LICENSE say, or nothing
    """

    name: str
    train: tuple[Path, ...]
    dev: tuple[Path, ...]
    test: tuple[Path, ...]
    language: str
    licence: str


def find_treebank(folder: str | Path) -> TreebankFolder:
    """Find the files of a treebank by their names: those that say train, dev and test."""
    path = Path(folder)
    if not path.is_dir():
        raise InvalidInputError(f"--treebank expects a folder with CoNLL-U files; {path} is none.")
    files = sorted(file for file in path.iterdir() if file.name.endswith(_SUFFIXES))
    parts = {part: tuple(file for file in files if _says(file.name, part)) for part in ("train", "dev", "test")}
    if not parts["train"]:
        found = ", ".join(file.name for file in files[:5]) or "no .conllu file at all"
        raise InvalidInputError(
            f"--treebank expects a folder with a file to learn from, such as en_ewt-ud-train.conllu; {path} has "
            f"{found}."
        )
    match = _LANGUAGE.match(parts["train"][0].name)
    return TreebankFolder(path.resolve().name, **parts, language=match[1] if match else "und", licence=_licence(path))


def treebank_of(train: Paths, dev: Paths | None = None) -> TreebankFolder:
    """Return a treebank that is given as a folder, or as files."""
    if isinstance(train, (str, Path)) and (Path(train).is_dir() or not Path(train).exists()):
        folder = find_treebank(train)
        return folder if dev is None else replace(folder, dev=_paths(dev, "dev"))
    files = _paths(train, "train")
    name = files[0].name.partition(".")[0]
    match = _LANGUAGE.match(name)
    return TreebankFolder(name, files, _paths(dev or (), "dev"), (), match[1] if match else "und", "")


def _paths(given: Paths, role: str) -> tuple[Path, ...]:
    items = [given] if isinstance(given, (str, Path)) else list(given)
    wrong = [item for item in items if not isinstance(item, (str, Path))]
    if wrong or (role == "train" and not items):
        found = type(wrong[0]).__name__ if wrong else "none"
        raise InvalidInputError(f"A pipeline expects {role} to be the folder of a treebank, or files; got {found}.")
    return tuple(map(Path, items))


def _says(name: str, part: str) -> bool:
    return re.search(rf"(^|[-_.]){part}([-_.]|$)", name) is not None


def _licence(folder: Path) -> str:
    """Return what README says in the machine-readable part of Universal Dependencies, else what LICENSE is."""
    for file in sorted(folder.glob("README*")):
        if match := re.search(r"^Licen[sc]e: *(\S.*)$", _start(file), re.M):
            return match[1].strip()
    for file in sorted(folder.glob("LICEN[SC]E*")):
        text = _start(file)
        for pattern, name in _LICENCES:
            if match := re.search(pattern, text):
                return name.format(*match.groups())
    return ""


def _start(file: Path) -> str:
    with file.open(encoding="utf-8", errors="replace") as opened:
        return opened.read(_MOST_TEXT)


def read_all(files: Sequence[Path]) -> list[Sentence]:
    """Read files, one after the other."""
    return [sentence for file in files for sentence in read(file, multiple_roots=True)]


def blocks_of(sentences: Sequence[Sentence]) -> list[range]:
    """Cut a treebank into documents, or into blocks of neighbouring sentences where documents are not marked."""
    marked = [i for i, sentence in enumerate(sentences) if _starts_document(sentence)]
    starts = [0, *(i for i in marked if i)] if len(marked) > 1 else list(range(0, len(sentences), _BLOCK))
    return [range(a, b) for a, b in zip(starts, [*starts[1:], len(sentences)], strict=True)]


def _starts_document(sentence: Sentence) -> bool:
    return any(re.match(r"#\s*newdoc\b", comment) for comment in sentence.comments)


def held_out(sentences: Sequence[Sentence], every: int = 10) -> tuple[list[Sentence], list[Sentence]]:
    """Split a treebank without dev: every tenth document, or block of sentences, is held out."""
    blocks = blocks_of(sentences)
    if len(blocks) < 2:
        raise InvalidInputError(
            f"The treebank has no dev file, and {len(sentences)} sentences are too few to hold some out; add a dev "
            "file."
        )
    chosen = {i for number, block in enumerate(blocks) if number % every == min(every, len(blocks)) - 1 for i in block}
    kept = [sentence for i, sentence in enumerate(sentences) if i not in chosen]
    return kept, [sentences[i] for i in sorted(chosen)]
