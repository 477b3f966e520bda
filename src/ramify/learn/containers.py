"""Model files: a directory or a zip archive of it. Files can be untrusted, so everything in them is checked.

``config.toml`` contains the options, ``vocab.json`` the names and the facts of the card, ``weights.safetensors`` the
arrays, ``card.md`` a description for users, ``SHA256SUMS`` the checksums of the others. No file can contain code.

A pipeline has its own ``pipeline.toml`` and ``card.md``, and a folder with such a model for each of its components. A
component can be read by its path in a directory or a zip archive, such as ``pipeline.zip/parser``.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramify.atomic import replacing_directory, replacing_file
from ramify.errors import InvalidInputError, ModelError
from ramify.zips import reading_zip

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from typing_extensions import Buffer

__all__ = [
    "FORMAT_VERSION",
    "PIPELINE",
    "REMEDY",
    "are_names",
    "check_card",
    "check_replaceable",
    "check_target",
    "checksum",
    "is_model",
    "kind_of",
    "read_card",
    "read_facts",
    "read_files",
    "read_vocabulary",
    "write_files",
    "zip_files",
]

FORMAT_VERSION = 1
SUMS = "SHA256SUMS"
PIPELINE = "pipeline.toml"
LIMITS = {
    "config.toml": 1 << 20,
    "vocab.json": 1 << 24,
    "weights.safetensors": 1 << 31,
    "card.md": 1 << 20,
    SUMS: 1 << 16,
    PIPELINE: 1 << 20,
}
_FILES = [name for name in LIMITS if name != PIPELINE]  # of a model that is no pipeline
REMEDY = "the copy is damaged; fetch or train the model again"


def checksum(*contents: Buffer) -> str:
    """Return the checksum of one or several sequences of bytes. Models and checkpoints use it."""
    sha = hashlib.sha256()
    for content in contents:
        sha.update(content)
    return sha.hexdigest()


def write_files(files: dict[str, bytes], target: Path) -> None:
    """Write the files of a model with their checksums: a directory, or a zip if the path ends in ``.zip``.

    The model is written atomically: it is complete or does not exist.
    """
    check_target(target)
    sums = "".join(f"{checksum(content)}  {name}\n" for name, content in files.items())
    whole = files | {SUMS: sums.encode()}
    if target.suffix.lower() == ".zip":
        zip_files(whole, target)
    else:
        _write_directory(whole, target)


def read_files(path: Path, names: list[str] | None = None) -> dict[str, bytes]:
    """Read the files of a model (all, if no names are given) and check their checksums.

    Raises
    ------
    ModelError
        Something is missing, damaged or too large.
    """
    wanted = names or _FILES
    files = _read(path, wanted if SUMS in wanted else [*wanted, SUMS])
    _check_sums(files, str(path))
    return files


def read_card(path: str | Path) -> str:
    """Return the text of a model's card, without control characters."""
    text = read_files(Path(path), ["card.md"])["card.md"].decode(errors="replace")
    return "".join(c for c in text if c == "\n" or c.isprintable())


def read_facts(path: str | Path) -> dict[str, Any]:
    """Return the facts of a model's card as a dictionary."""
    content = read_files(Path(path), ["vocab.json"])["vocab.json"]
    facts: dict[str, Any] = read_vocabulary(content, str(path), FORMAT_VERSION)["facts"]
    return facts


def kind_of(path: str | Path) -> str:
    """Return the kind of a model: ``"pipeline"``, ``"parser"``, ``"tagger"``, or another kind that its files name.

    Raises
    ------
    ModelError
        The path is not a model.
    """
    try:
        read_files(Path(path), [PIPELINE])
    except ModelError as error:
        if error.file != PIPELINE:
            raise
    else:
        return "pipeline"
    content = read_files(Path(path), ["config.toml", "vocab.json"])["vocab.json"]
    try:
        kind = json.loads(content.decode()).get("kind", "parser")
    except (ValueError, RecursionError, AttributeError) as error:
        raise ModelError(str(path), "vocab.json", f"expected a JSON object; {error}") from None
    return str(kind)


def is_model(path: str | Path) -> bool:
    """Return whether a path looks like a model rather than a treebank."""
    target = Path(path)
    if target.is_dir():
        return any((target / name).exists() for name in LIMITS)
    return target.suffix.lower() == ".zip" and target.is_file()


def check_target(target: Path, *, overwrite: bool = True) -> None:
    """Check that a model can be written to a path without damage to other files.

    Parameters
    ----------
    target : a directory, or a file that ends in ``.zip``
    overwrite : whether an existing model can be replaced; other files and folders are never replaced
    """
    check_replaceable(target, "model", {*_FILES, "checkpoint"}, {SUMS, "weights.safetensors"}, overwrite=overwrite)


def check_replaceable(
    target: Path, kind: str, known: Collection[str], needed: Collection[str], *, overwrite: bool
) -> None:
    """Check that there is nothing at a path, or only what may be replaced, and make the folder that it is in.

    Parameters
    ----------
    target : path to which something of this kind will be written
    kind : ``"model"`` or ``"pipeline"``
    known : names of all files and folders that it can contain
    needed : names of files by which it is recognized; an empty directory and one with checkpoints are also accepted
    overwrite : whether an existing one can be replaced
    """
    if target.suffix.lower() == ".zip":
        if target.is_dir():
            raise InvalidInputError(
                f"A {kind} is written as one file if its name ends in .zip; {target} is a directory."
            )
        names = _zip_names(target) if target.exists() else set()
    elif target.exists() and not target.is_dir():
        raise InvalidInputError(f"A {kind} is written as a directory or a .zip; {target} is a file already.")
    else:
        names = {path.name for path in target.iterdir()} if target.exists() else set()
    strangers = sorted(names - set(known))
    if not strangers and names - {"checkpoint"} and not set(needed) <= names:
        strangers = sorted(names)  # not ours, though some names are the same
    if strangers:
        raise InvalidInputError(f"{target} holds other files ({strangers[0]!r}); name another output.")
    if names - {"checkpoint"} and not overwrite:
        raise InvalidInputError(
            f"There is a {kind} at {target} already; name another output, or replace it with --overwrite "
            "(in Python: overwrite=True)."
        )
    target.parent.mkdir(parents=True, exist_ok=True)


def _zip_names(path: Path) -> set[str]:
    """Return the names of the files and folders at the top of a zip; of any other file, its own name."""
    try:
        with reading_zip(path, lambda found: _no_model(path, found)) as archive:
            return {name.partition("/")[0] for name in archive.namelist()}
    except ModelError:
        return {path.name}


def check_version(what: str, version: object, known: int, refuse: Callable[[str], ModelError]) -> None:
    """Raise what `refuse` makes of the problem unless the format version is one that this ramify knows."""
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise refuse(f"expected a format version; found {version!r}")
    if version > known:
        raise refuse(
            f"the {what} has format version {version}, this ramify knows up to {known}; "
            "install a newer ramify: pip install --upgrade ramify"
        )


def read_vocabulary(content: bytes, path: str, format_version: int) -> dict[str, Any]:
    """Return the content of ``vocab.json`` after checking its version and facts."""

    def refuse(problem: str) -> ModelError:
        return ModelError(path, "vocab.json", problem)

    try:
        value = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise refuse(f"expected JSON; {error}") from None
    if not isinstance(value, dict):
        raise refuse("expected a JSON object")
    check_version("model", value.get("format-version"), format_version, refuse)
    if not isinstance(value.get("facts"), dict):
        raise refuse("facts: expected an object")
    try:
        json.dumps(value["facts"], ensure_ascii=False).encode()
    except ValueError as error:
        raise refuse(f"facts: expected text that UTF-8 can write; {error}") from None
    return value


def check_card(path: str, render: Callable[[], str]) -> None:
    """Raise an error if the card of a model cannot be made from its facts."""
    try:
        render().encode()
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise ModelError(path, "vocab.json", f"facts: expected what a card says; {error!r}; {REMEDY}") from None


def are_names(names: object, low: int, high: int) -> bool:
    """Return whether this is a list of distinct names of the allowed length that can be written into any file."""
    # Labels go into files: no control characters, nothing empty, nothing that UTF-8 cannot write.
    if not isinstance(names, list) or not low <= len(names) <= high:
        return False
    return all(map(_is_name, names)) and len(set(names)) == len(names)


def _is_name(name: object) -> bool:
    if not isinstance(name, str) or not name or any(c < " " or c == "\x7f" for c in name):
        return False
    return not any("\ud800" <= c <= "\udfff" for c in name)


def zip_files(files: dict[str, bytes], target: Path) -> None:
    """Write a zip archive atomically; equal files give equal bytes."""
    with (
        replacing_file(target) as raw,
        zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        for name, content in files.items():
            # A fixed time: the same model gives the same bytes.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def _write_directory(files: dict[str, bytes], target: Path) -> None:
    with replacing_directory(target, keep=("checkpoint",)) as folder:  # which belongs to the run, not to the model
        for name, content in files.items():
            (folder / name).write_bytes(content)


def _read(path: Path, names: list[str]) -> dict[str, bytes]:
    if path.is_dir():
        _refuse_pipeline(path, names, lambda name: (path / name).is_file())
        return {name: _read_file(path, name) for name in names}
    whole, prefix = path, ""
    if not path.exists():
        whole, prefix = path.parent, f"{path.name}/"
        if whole.suffix.lower() != ".zip" or not whole.is_file():
            raise ModelError(str(path), "", "there is no such model")
    with reading_zip(whole, lambda found: _no_model(path, found)) as archive:
        entries = archive.namelist()
        _check_entries(entries, path)
        if prefix and not any(name.startswith(prefix) for name in entries):
            raise ModelError(str(path), "", "there is no such model")
        _refuse_pipeline(path, names, lambda name: prefix + name in entries)
        return {name: _read_entry(archive, path, name, prefix) for name in names}


def _refuse_pipeline(path: Path, names: list[str], has: Callable[[str], bool]) -> None:
    if "config.toml" in names and has(PIPELINE) and not has("config.toml"):
        raise ModelError(
            str(path),
            "",
            f"this is a whole pipeline: ramify.load reads it; {path / 'parser'} and the like are its parts",
        )


def _no_model(path: Path, found: str) -> ModelError:
    return ModelError(str(path), "", f"expected a model directory or a zip of one; {found}")


def _read_file(path: Path, name: str) -> bytes:
    if not (path / name).is_file():  # a pipe or a device would never end
        raise ModelError(str(path), name, f"this file is missing; {REMEDY}")
    with (path / name).open("rb") as file:
        return _limited(file.read(LIMITS[name] + 1), path, name)


def _check_entries(names: list[str], path: Path) -> None:
    nested = PIPELINE in names
    for name in names:
        folder, slash, file = name.rpartition("/")
        known = file in LIMITS and (nested and folder.isidentifier() if slash else True)
        if not known or names.count(name) > 1:
            raise ModelError(str(path), "", f"expected a zip of {', '.join(_FILES)}; found {name[:80]!r}")


def _read_entry(archive: zipfile.ZipFile, path: Path, name: str, prefix: str) -> bytes:
    try:
        entry = archive.getinfo(prefix + name)
    except KeyError:
        raise ModelError(str(path), name, f"this file is missing; {REMEDY}") from None
    if entry.file_size > LIMITS[name]:
        _refuse_size(path, name)
    # What the directory of the zip says about sizes may be a lie: never unpack more than the limit.
    with archive.open(entry) as file:
        return _limited(file.read(entry.file_size + 1), path, name)


def _limited(content: bytes, path: Path, name: str) -> bytes:
    if len(content) > LIMITS[name]:
        _refuse_size(path, name)
    return content


def _refuse_size(path: Path, name: str) -> None:
    raise ModelError(str(path), name, f"expected at most {LIMITS[name]:,} bytes; this is no model of ours")


def _check_sums(files: dict[str, bytes], path: str) -> None:
    sums = {}
    for line in files[SUMS].decode(errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        sums[name] = digest
    for name, content in files.items():
        if name == SUMS:
            continue
        if name not in sums:
            raise ModelError(path, SUMS, f"there is no checksum of {name}; {REMEDY}")
        if checksum(content) != sums[name]:
            raise ModelError(path, name, f"the content does not match its checksum in {SUMS}; {REMEDY}")
