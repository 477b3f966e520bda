"""Find the files that a command reads, also in folders, and the file or files that it writes."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ramify.data.files import suffix_of
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "FORMATS",
    "INPUT_SUFFIXES",
    "Input",
    "find_inputs",
    "input_format",
    "is_folder",
    "plan_outputs",
]

# Names of input formats: ours and UDPipe's.
FORMATS = {
    "text": "text",
    "generic_tokenizer": "text",
    "lines": "lines",
    "presegmented": "lines",
    "tokenized": "horizontal",
    "horizontal": "horizontal",
    "vertical": "vertical",
    "conllu": "conllu",
    "conllx": "conllx",
}
INPUT_SUFFIXES = (".txt", ".text", ".md", ".conllu", ".conllx", ".conll", ".tok", ".vert", ".vrt")
_SUFFIX_FORMATS = {".tok": "horizontal", ".vert": "vertical", ".vrt": "vertical"}
_OUTPUT_SUFFIXES = {"table": ".txt", "tikz": ".tex", "displacy": ".displacy.json"}


@dataclass(frozen=True)
class Input:
    """A file to read.

    Attributes
    ----------
    path : as commands take it; ``"-"`` is standard input
    name : the name of the document: the file's name without its suffix, after the names of subfolders
    """

    path: str
    name: str


def input_format(given: str | None, source: str) -> str | None:
    """Return the format that ``--from`` names, else the one that the suffix of a file says, else None."""
    if given is None:
        return _SUFFIX_FORMATS.get(suffix_of(source))
    if given not in FORMATS:
        raise typer.BadParameter(f"{given!r} is not one of {', '.join(FORMATS)}.", param_hint="--from")
    return FORMATS[given]


def find_inputs(paths: Iterable[str], suffixes: tuple[str, ...] = INPUT_SUFFIXES) -> list[Input]:
    """Return the files to read: a folder stands for all files in it and below whose suffix is known, sorted.

    Parameters
    ----------
    paths : files, folders and ``"-"``
    suffixes : those that are known

    Raises
    ------
    InvalidInputError
        A folder has no such file, or two documents have the same name.
    """
    found: list[Input] = []
    for path in paths:
        if path != "-" and not Path(path).exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        found += _files_in(Path(path), suffixes) if path != "-" and Path(path).is_dir() else [_named(path)]
    names = [item.name for item in found]
    if len(set(names)) < len(names):  # a/x.txt and b/x.txt
        found = [Input(item.path, _without_suffix(item.path)) for item in found]
    return found


def _files_in(folder: Path, suffixes: tuple[str, ...]) -> list[Input]:
    files = sorted(
        path
        for path in folder.rglob("*")
        if suffix_of(path) in suffixes
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    if not files:
        raise InvalidInputError(
            f"{folder} is a folder without a file to read ({', '.join(suffixes)}, or these compressed), and it "
            "is no model either."
        )
    return [Input(str(path), _without_suffix(path.relative_to(folder).as_posix())) for path in files]


def _named(path: str) -> Input:
    return Input(path, "stdin" if path == "-" else _without_suffix(Path(path).name))


def _without_suffix(path: str) -> str:
    suffix = suffix_of(path)
    stem = path[: path.lower().rfind(suffix)] if suffix else path
    return stem.strip("/") or path


def is_folder(output: str) -> bool:
    """Tell whether ``--output`` names a folder: one that exists, or a name that ends with a slash."""
    return output != "-" and (output.endswith(("/", os.sep)) or Path(output).is_dir())


def plan_outputs(inputs: Sequence[Input], output: str, format: str) -> Iterator[tuple[list[Input], str]]:
    """Yield which inputs go to which file: all to one, or each to its own if the output is a folder.

    Parameters
    ----------
    inputs : all that are to be read
    output : a file, ``"-"``, or a folder: one that exists, or a name that ends with a slash
    format : of the output, for the suffixes of files in a folder
    """
    if not is_folder(output):
        yield list(inputs), output
        return
    suffix = _OUTPUT_SUFFIXES.get(format, f".{format}")
    for item in inputs:
        # Names with .. would lead out of the folder.
        target = Path(output, *(part for part in Path(item.name).parts if part not in ("..", "/"))).as_posix() + suffix
        if item.path != "-" and Path(target).resolve() == Path(item.path).resolve():
            raise InvalidInputError(f"{target} is both input and output; choose another folder for --output.")
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        yield [item], target
