"""Models on disk: a directory, or one zip of it. Files may come from strangers, so nothing is taken on trust.

``config.toml`` has the options, ``vocab.json`` the names and the facts of the card, ``weights.safetensors`` the arrays,
``card.md`` what a person wants to know, ``SHA256SUMS`` the checksums of the others. No file can hold code.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

from ramify.atomic import replacing_directory, replacing_file
from ramify.errors import InvalidInputError, ModelError
from ramify.parsing import tensors
from ramify.parsing.card import render_card
from ramify.parsing.config import Config
from ramify.parsing.state import COLUMNS, MAX_LABELS, MAX_PAIRS, MAX_TAGS, ModelState
from ramify.zips import reading_zip

__all__ = ["FORMAT_VERSION", "check_target", "is_model", "load_model", "read_card", "read_facts", "save_model"]

FORMAT_VERSION = 1
_SUMS = "SHA256SUMS"
_LIMITS = {
    "config.toml": 1 << 20,
    "vocab.json": 1 << 24,
    "weights.safetensors": 1 << 31,
    "card.md": 1 << 20,
    _SUMS: 1 << 16,
}
_REMEDY = "the copy is damaged; fetch or train the model again"


def save_model(state: ModelState, path: str | Path) -> None:
    """Write a model: a directory, or a zip if the path ends in ``.zip``; it appears whole or not at all."""
    target = Path(path)
    check_target(target)
    files = _to_bytes(state)
    if target.suffix.lower() == ".zip":
        _write_zip(files, target)
    else:
        _write_directory(files, target)


def load_model(path: str | Path) -> ModelState:
    """Read a model that `save_model` wrote.

    Raises
    ------
    ModelError
        Something is missing, damaged, too large, or of a newer format.
    """
    files = _read_files(Path(path), list(_LIMITS))
    _check_sums(files, str(path))
    vocabulary = _read_vocabulary(files["vocab.json"], str(path))
    try:
        config = Config.parse(files["config.toml"].decode(), name="config.toml")
    except (InvalidInputError, UnicodeDecodeError) as error:
        raise ModelError(str(path), "config.toml", str(error).removeprefix("config.toml: ")) from None
    try:
        frame, weights = tensors.unpack(files["weights.safetensors"], vocabulary, config)
    except tensors.BadTensorsError as error:
        raise ModelError(str(path), "weights.safetensors", f"{error}; {_REMEDY}") from None
    return ModelState(config, frame, weights, vocabulary["facts"])


def read_card(path: str | Path) -> str:
    """Return the text of a model's card, without control characters."""
    files = _read_files(Path(path), ["card.md", _SUMS])
    _check_sums(files, str(path))
    text = files["card.md"].decode(errors="replace")
    return "".join(c for c in text if c == "\n" or c.isprintable())


def read_facts(path: str | Path) -> dict[str, Any]:
    """Return what a model's card says, for programs."""
    files = _read_files(Path(path), ["vocab.json", _SUMS])
    _check_sums(files, str(path))
    facts: dict[str, Any] = _read_vocabulary(files["vocab.json"], str(path))["facts"]
    return facts


def is_model(path: str | Path) -> bool:
    """Tell whether a path looks like a model rather than a treebank."""
    target = Path(path)
    if target.is_dir():
        return any((target / name).exists() for name in _LIMITS)
    return target.suffix.lower() == ".zip" and target.is_file()


def _to_bytes(state: ModelState) -> dict[str, bytes]:
    frame = state.frame
    arrays = tensors.pack(frame, state.weights)
    facts = state.facts | {"bytes": len(arrays)}
    vocabulary = {
        "format-version": FORMAT_VERSION,
        "tags": frame.tags,
        "labels": frame.labels,
        "empty-columns": frame.empty,
        "single-root": frame.single_root,
        "facts": facts,
    }
    files = {
        "config.toml": state.config.to_toml().encode(),
        "vocab.json": json.dumps(vocabulary, ensure_ascii=False, indent=1).encode(),
        "weights.safetensors": arrays,
        "card.md": render_card(facts, state.config).encode(),
    }
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    return files | {_SUMS: sums.encode()}


def _write_zip(files: dict[str, bytes], target: Path) -> None:
    with (
        replacing_file(target) as raw,
        zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        for name, content in files.items():
            # A fixed time: the same model gives the same bytes.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def check_target(target: Path) -> None:
    """Check that a model can be written there without harm to other files."""
    if target.suffix.lower() == ".zip":
        if target.is_dir():
            raise InvalidInputError(
                f"A model is written as one file if its name ends in .zip; {target} is a directory."
            )
    elif target.exists() and not target.is_dir():
        raise InvalidInputError(f"A model is written as a directory or a .zip; {target} is a file already.")
    elif target.exists():
        strangers = [path.name for path in target.iterdir() if not _is_ours(path.name)]
        if strangers:
            raise InvalidInputError(f"{target} holds other files ({strangers[0]!r}); name another directory.")
    target.parent.mkdir(parents=True, exist_ok=True)


def _write_directory(files: dict[str, bytes], target: Path) -> None:
    with replacing_directory(target, keep=("checkpoint",)) as folder:  # which belongs to the run, not to the model
        for name, content in files.items():
            (folder / name).write_bytes(content)


def _is_ours(name: str) -> bool:
    return name in _LIMITS or name == "checkpoint"


def _read_files(path: Path, names: list[str]) -> dict[str, bytes]:
    if not path.exists():
        raise ModelError(str(path), "", "there is no such model")
    if path.is_dir():
        return {name: _read_file(path, name) for name in names}
    with reading_zip(path, lambda found: _no_model(path, found)) as archive:
        _check_entries(archive, path)
        return {name: _read_entry(archive, path, name) for name in names}


def _no_model(path: Path, found: str) -> ModelError:
    return ModelError(str(path), "", f"expected a model directory or a zip of one; {found}")


def _read_file(path: Path, name: str) -> bytes:
    if not (path / name).is_file():  # a pipe or a device would never end
        raise ModelError(str(path), name, f"this file is missing; {_REMEDY}")
    with (path / name).open("rb") as file:
        return _limited(file.read(_LIMITS[name] + 1), path, name)


def _check_entries(archive: zipfile.ZipFile, path: Path) -> None:
    names = archive.namelist()
    for name in names:
        if name not in _LIMITS or names.count(name) > 1:
            raise ModelError(str(path), "", f"expected a zip of {', '.join(_LIMITS)}; found {name[:80]!r}")


def _read_entry(archive: zipfile.ZipFile, path: Path, name: str) -> bytes:
    try:
        entry = archive.getinfo(name)
    except KeyError:
        raise ModelError(str(path), name, f"this file is missing; {_REMEDY}") from None
    if entry.file_size > _LIMITS[name]:
        _refuse_size(path, name)
    # What the directory of the zip says about sizes may be a lie: never unpack more than the limit.
    with archive.open(entry) as file:
        return _limited(file.read(entry.file_size + 1), path, name)


def _limited(content: bytes, path: Path, name: str) -> bytes:
    if len(content) > _LIMITS[name]:
        _refuse_size(path, name)
    return content


def _refuse_size(path: Path, name: str) -> None:
    raise ModelError(str(path), name, f"expected at most {_LIMITS[name]:,} bytes; this is no model of ours")


def _check_sums(files: dict[str, bytes], path: str) -> None:
    sums = {}
    for line in files[_SUMS].decode(errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        sums[name] = digest
    for name, content in files.items():
        if name == _SUMS:
            continue
        if name not in sums:
            raise ModelError(path, _SUMS, f"there is no checksum of {name}; {_REMEDY}")
        if hashlib.sha256(content).hexdigest() != sums[name]:
            raise ModelError(path, name, f"the content does not match its checksum in {_SUMS}; {_REMEDY}")


def _read_vocabulary(content: bytes, path: str) -> dict[str, Any]:
    def refuse(problem: str) -> ModelError:
        return ModelError(path, "vocab.json", problem)

    try:
        value = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise refuse(f"expected JSON; {error}") from None
    if not isinstance(value, dict):
        raise refuse("expected a JSON object")
    version = value.get("format-version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise refuse(f"expected a format version; found {version!r}")
    if version > FORMAT_VERSION:
        raise refuse(
            f"the model has format version {version}, this ramify knows up to {FORMAT_VERSION}; "
            "install a newer ramify: pip install --upgrade ramify"
        )
    for key, low, high in (("tags", 2, MAX_TAGS), ("labels", 1, MAX_LABELS), ("empty-columns", 0, len(COLUMNS))):
        names = value.get(key)
        if not isinstance(names, list) or not low <= len(names) <= high or not _are_names(names):
            raise refuse(f"{key}: expected a list of {low} to {high} different names")
    if not set(value["empty-columns"]) <= set(COLUMNS):
        raise refuse(f"empty-columns: expected some of {', '.join(COLUMNS)}")
    if len(value["tags"]) ** 2 * len(value["labels"]) > MAX_PAIRS:
        raise refuse(f"expected at most {MAX_PAIRS:,} pairs of tags with labels")
    if not isinstance(value.get("single-root"), bool):
        raise refuse("single-root: expected true or false")
    if not isinstance(value.get("facts"), dict):
        raise refuse("facts: expected an object")
    return value


def _are_names(names: list[Any]) -> bool:
    # Labels go into files: no control characters, nothing empty, nothing that UTF-8 cannot write.
    return all(map(_is_name, names)) and len(set(names)) == len(names)


def _is_name(name: object) -> bool:
    if not isinstance(name, str) or not name or any(c < " " or c == "\x7f" for c in name):
        return False
    return not any("\ud800" <= c <= "\udfff" for c in name)
