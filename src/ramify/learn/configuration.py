"""Configurations: sections of checked options, read from TOML, from presets and from the command line."""

from __future__ import annotations

import dataclasses
import difflib
import importlib.resources
import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ramify.errors import InvalidInputError
from ramify.options import Integer, Number, Text, Texts, checked, from_toml, key_of, option, rule_of, shown, to_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

__all__ = ["Configuration", "Data", "FamilyPasses", "Passes", "suggest"]

_MAX_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Data(checked):
    """Files of a training run; paths are relative to the current folder."""

    train: tuple[str, ...] = option(Texts("files"), (), "Files to train on.")
    dev: tuple[str, ...] = option(Texts("files"), (), "Files on which the best epoch is chosen.")
    output: str = option(
        Text("the path of a model directory"), "", "Path of the model to write: a directory or a .zip file."
    )


@dataclass(frozen=True, kw_only=True)
class Passes(checked):
    """Options of training in passes over sentences."""

    section: ClassVar[str] = "training"
    epochs: int = option(Integer(1, 100_000), 10, "Number of passes over the training data.")
    patience: int = option(
        Integer(0, 100_000), 0, "Stop after this number of epochs without a better score on dev; 0: never stop early."
    )
    batch: int = option(
        Integer(1, 100_000), 1, "Number of sentences per update; several threads process them in parallel."
    )
    seed: int = option(Integer(0), 1, "Random seed for shuffling the training sentences.")


@dataclass(frozen=True, kw_only=True)
class FamilyPasses(Passes):
    """Options of training with a loss of the family L(β, γ)."""

    beta: float = option(
        Number(0, above=True),
        math.inf,
        "Inverse temperature of the loss: inf counts only the best answer, 1 all answers by their probability.",
    )
    gamma: float = option(
        Number(0, 1e4),
        1.0,
        "Weight of costs: (beta, gamma) = (1, 0) is a CRF, (1, 1) softmax-margin, (inf, 1) MIRA, (inf, 0) perceptron.",
    )
    max_weights: int = option(
        Integer(1, 2**28), 4_000_000, "Maximum number of weights in the model file; the largest ones are kept."
    )


class Configuration:
    """Base of frozen dataclasses whose fields are sections, each a `checked` dataclass with all defaults.

    Attributes
    ----------
    package : name of the Python package that contains the folder ``presets``; by default that of the class
    """

    package: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """Name the package."""
        super().__init_subclass__()
        if not hasattr(cls, "package"):
            cls.package = cls.__module__.rpartition(".")[0]

    @classmethod
    def sections(cls) -> dict[str, type[checked]]:
        """Return the sections by name."""
        return {made.name: made.default_factory for made in fields(cls)}  # type: ignore[arg-type, misc]

    @classmethod
    def dotted(cls, prefix: str = "") -> dict[str, str]:
        """Return a description of each option, by its name ``section.key``."""
        return {
            f"{prefix}{section}.{key_of(made.name)}": made.metadata["doc"]
            for section, kind in cls.sections().items()
            for made in fields(kind)  # type: ignore[arg-type]
        }

    @classmethod
    def preset_names(cls) -> list[str]:
        """Return the names that `preset` accepts."""
        folder = importlib.resources.files(cls.package) / "presets"
        return sorted(Path(file.name).stem for file in folder.iterdir() if file.name.endswith(".toml"))

    @classmethod
    def preset(cls, name: str) -> Self:
        """Return a preset by its name."""
        names = cls.preset_names()
        if name not in names:
            known = ", ".join(map(repr, names))
            raise InvalidInputError(f"preset expects one of {known}; got {name!r}.{suggest(name, names)}")
        file = importlib.resources.files(cls.package) / "presets" / f"{name}.toml"
        return cls.parse(file.read_text(encoding="utf-8"), name=f"preset {name}")

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a TOML file. Options that it does not contain have their defaults."""
        with Path(path).open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
        return cls.parse(_decoded(content, str(path)), name=str(path))

    @classmethod
    def parse(cls, text: str, *, name: str = "<string>") -> Self:
        """Read the text of a TOML file.

        Parameters
        ----------
        text : content of the file; a line ``preset = "…"`` names a preset to start from
        name : name of the file in messages
        """
        try:
            table = cls._renamed(from_toml(text))
        except InvalidInputError as error:
            raise InvalidInputError(f"{name}: {error}") from None
        config = cls()
        if "preset" in table:
            preset = table.pop("preset")
            if not isinstance(preset, str):
                raise InvalidInputError(f"{name}: preset expects a name; got {shown(preset)}.")
            config = cls.preset(preset)
        try:
            return config._updated(table)
        except InvalidInputError as error:
            raise InvalidInputError(f"{name}: {error}") from None

    @classmethod
    def _renamed(cls, table: dict[str, Any]) -> dict[str, Any]:
        """Return the content of a file with old names of options replaced by the current ones."""
        return table

    def override(self, values: Mapping[str, object]) -> Self:
        """Return a copy with some options replaced, such as ``{"training.epochs": 5}``. Strings are parsed."""
        table: dict[str, dict[str, object]] = {}
        for dotted, value in values.items():
            section, _, key = dotted.partition(".")
            rule = rule_of(self._field(section, key))
            table.setdefault(section, {})[key] = rule.parse(value) if isinstance(value, str) else value
        return self._updated(table)

    def _updated(self, table: Mapping[str, Any]) -> Self:
        changed: dict[str, checked] = {}
        for section, values in table.items():
            if section not in self.sections():
                raise InvalidInputError(_unknown("section", section, list(self.sections())))
            if not isinstance(values, dict):
                raise InvalidInputError(f"{section} is a section: [{section}]; got a value, {shown(values)}.")
            named = {self._field(section, key).name: value for key, value in values.items()}
            changed[section] = dataclasses.replace(getattr(self, section), **named)
        return dataclasses.replace(self, **changed)  # type: ignore[type-var]

    @classmethod
    def _field(cls, section: str, key: str) -> dataclasses.Field[Any]:
        if section not in cls.sections():
            raise InvalidInputError(_unknown("section", section, list(cls.sections())))
        known = {key_of(made.name): made for made in fields(cls.sections()[section])}  # type: ignore[arg-type]
        if key not in known:
            dotted = [f"{section}.{name}" for name in known]
            raise InvalidInputError(_unknown("option", f"{section}.{key}", dotted))
        return known[key]

    def to_toml(self, *, comments: bool = False) -> str:
        """Return the text of a TOML file that contains every option."""
        blocks = []
        for section in self.sections():
            lines = [f"[{section}]"]
            for made in fields(getattr(self, section)):
                line = f"{key_of(made.name)} = {to_toml(getattr(getattr(self, section), made.name))}"
                lines.append(f"{line}  # {made.metadata['doc']}" if comments else line)
            blocks.append("\n".join(lines) + "\n")
        return "\n".join(blocks)


def suggest(name: str, known: list[str]) -> str:
    """Return a question that suggests a similar name, or an empty text."""
    close = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""


def _unknown(what: str, name: str, known: list[str]) -> str:
    return f"there is no {what} {name!r}; there are {', '.join(known)}.{suggest(name, known)}"


def _decoded(content: bytes, name: str) -> str:
    if len(content) > _MAX_BYTES:
        raise InvalidInputError(f"{name}: a configuration has at most {_MAX_BYTES} bytes; this is longer.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInputError(f"{name}: expected UTF-8 text.") from None
