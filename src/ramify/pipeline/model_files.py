"""Pipelines on disk: a directory of models, or one zip of it.

``pipeline.toml`` names the language and the components, ``card.md`` says what a person wants to know, and every
component is a model of its own in a folder with its name. ``SHA256SUMS`` covers the first two and the checksums of
every component, so that it covers all. Nothing is taken on trust: files may come from strangers.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ramify.atomic import replacing_directory
from ramify.errors import InvalidInputError, ModelError
from ramify.learn.containers import PIPELINE, REMEDY, check_replaceable, check_version, checksum, read_files, zip_files
from ramify.options import from_toml, to_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "COMPONENTS",
    "MOST_TAG_WEIGHT",
    "TAGGERS",
    "Manifest",
    "check_pipeline_target",
    "read_manifest",
    "write_pipeline",
]

FORMAT_VERSION = 1
TAGGERS = ("upos", "xpos", "feats", "lemma")
COMPONENTS = ("segmenter", *TAGGERS, "parser")
MOST_TAG_WEIGHT = 100.0
_SUMS = "SHA256SUMS"
_LONGEST_LANGUAGE = 40


class Savable(Protocol):
    """A model that can be written."""

    def save(self, path: str | Path) -> None:
        """Write it."""


@dataclass(frozen=True)
class Manifest:
    """What ``pipeline.toml`` says.

    Attributes
    ----------
    language : code of the language, such as ``"en"``
    components : names of the components, in the order in which they work
    facts : what the card is made from: sections of names with values
    tag_weight : of what taggers say of tags that the network of the parser predicts, too
    """

    language: str
    components: tuple[str, ...]
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    tag_weight: float = 0.0

    def to_toml(self) -> str:
        """Return the file."""
        head = {"format-version": FORMAT_VERSION, "language": self.language, "components": self.components}
        blocks = [_assignments(head | ({"tag-weight": self.tag_weight} if self.tag_weight else {}))]
        blocks += [f"[{section}]\n{_assignments(values)}" for section, values in self.facts.items()]
        return "\n".join(blocks)


def _assignments(values: Mapping[str, Any]) -> str:
    return "".join(f"{name} = {to_toml(value)}\n" for name, value in values.items())


def read_manifest(path: str | Path) -> tuple[Manifest, str]:
    """Return what a pipeline says of itself, and its card; the checksums of all components are right."""
    files = read_files(Path(path), [PIPELINE, "card.md"])
    manifest = _parse(files[PIPELINE], str(path))
    lines = files[_SUMS].decode(errors="replace").splitlines()
    known = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    for name in manifest.components:
        sums = read_files(Path(path) / name, [_SUMS])[_SUMS]
        if known.get(f"{name}/{_SUMS}") != checksum(sums):
            raise ModelError(str(path), f"{name}/{_SUMS}", f"the content does not match its checksum; {REMEDY}")
    card = files["card.md"].decode(errors="replace")
    return manifest, "".join(c for c in card if c == "\n" or c.isprintable())


def _parse(content: bytes, path: str) -> Manifest:
    def refuse(problem: str) -> ModelError:
        return ModelError(path, PIPELINE, problem)

    try:
        table = from_toml(content.decode())
    except UnicodeDecodeError as error:
        raise refuse(f"expected TOML; {error}") from None
    except InvalidInputError as error:
        raise refuse(str(error)) from None
    check_version("pipeline", table.pop("format-version", None), FORMAT_VERSION, refuse)
    language, components = table.pop("language", None), table.pop("components", None)
    weight = table.pop("tag-weight", 0.0)
    if not isinstance(language, str) or not language.isprintable() or not 0 < len(language) <= _LONGEST_LANGUAGE:
        raise refuse("language: expected a code such as 'en'")
    if not isinstance(components, list) or components != [name for name in COMPONENTS if name in components]:
        raise refuse(f"components: expected some of {', '.join(COMPONENTS)}, in this order")
    if not {"segmenter", "parser"} <= set(components):
        raise refuse("components: expected a segmenter and a parser among them")
    if type(weight) is not float or not 0 <= weight <= MOST_TAG_WEIGHT:
        raise refuse(f"tag-weight: expected a number from 0 to {MOST_TAG_WEIGHT:g}")
    if not all(isinstance(values, dict) for values in table.values()):
        raise refuse("expected sections after the list of components")
    manifest = Manifest(language, tuple(components), table, weight)
    try:
        from_toml(manifest.to_toml())
    except (InvalidInputError, TypeError) as error:
        raise refuse(f"expected names with numbers, texts and lists of them; {error}") from None
    return manifest


def check_pipeline_target(target: Path, *, overwrite: bool = True) -> None:
    """Check that a pipeline can be written there without harm to other files; see `check_replaceable`."""
    check_replaceable(
        target, "pipeline", {PIPELINE, "card.md", _SUMS, *COMPONENTS}, {PIPELINE, _SUMS}, overwrite=overwrite
    )


def write_pipeline(manifest: Manifest, card: str, components: Mapping[str, Savable], target: Path) -> None:
    """Write a pipeline, a directory or a zip; it appears whole or not at all."""
    check_pipeline_target(target)
    if target.suffix.lower() != ".zip":
        with replacing_directory(target) as folder:
            _fill(folder, manifest, card, components)
        return
    folder = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}."))
    try:
        names = _fill(folder, manifest, card, components)
        zip_files({name: (folder / name).read_bytes() for name in names}, target)
    finally:
        shutil.rmtree(folder)


def _fill(folder: Path, manifest: Manifest, card: str, components: Mapping[str, Savable]) -> list[str]:
    """Write all files; return their names in an order that does not change."""
    (folder / PIPELINE).write_bytes(manifest.to_toml().encode())
    (folder / "card.md").write_bytes(card.encode())
    for name in manifest.components:
        components[name].save(folder / name)
    sums = [PIPELINE, "card.md", *(f"{name}/{_SUMS}" for name in manifest.components)]
    lines = [f"{checksum((folder / name).read_bytes())}  {name}\n" for name in sums]
    (folder / _SUMS).write_bytes("".join(lines).encode())
    inner = [file.relative_to(folder).as_posix() for name in manifest.components for file in (folder / name).iterdir()]
    return [PIPELINE, "card.md", _SUMS, *sorted(inner)]
