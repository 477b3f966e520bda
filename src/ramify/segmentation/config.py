"""The configuration of a segmenter: one typed value, read from TOML, from presets and from the command line."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ramify.errors import InvalidInputError
from ramify.learn.configuration import Configuration, Data, suggest
from ramify.options import Flag, Integer, Number, checked, key_of, option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

__all__ = ["Config", "Data", "Model", "Training"]


@dataclass(frozen=True, kw_only=True)
class Model(checked):
    """Options of the model."""

    bits: int = option(Integer(8, 24), 18, "The model has 2^bits weights for tokens and the same number for sentences.")
    min_pairs: int = option(
        Integer(1),
        1000,
        "Two kinds of adjacent characters are never separated if they occur at least this often in training "
        "and no token ends between them.",
    )
    min_words: int = option(
        Integer(1), 1, "Words of scripts without spaces are stored if they occur at least this often in training."
    )


@dataclass(frozen=True, kw_only=True)
class Training(checked):
    """Options of training."""

    epochs: int = option(Integer(1, 1000), 8, "Number of passes over the training data.")
    token_step: float = option(Number(0, 100, above=True), 0.1, "Step size of AdaGrad for tokens.")
    sentence_step: float = option(Number(0, 100, above=True), 0.1, "Step size of AdaGrad for sentences.")
    variety: bool = option(
        Flag(),
        True,
        "Also train on variations of the text, for example with other line breaks, emoji and other alphabets.",
    )
    seed: int = option(Integer(0), 1, "Random seed for shuffling the examples and for choosing variations.")


@dataclass(frozen=True, kw_only=True)
class Config(Configuration):
    """All options of a training run; with the contents of the files, they determine its result.

    Examples
    --------
    >>> config = Config.preset("default").override({"training.epochs": 3, "bits": 16})
    >>> config.training.epochs, config.model.bits
    (3, 16)
    >>> Config.parse(config.to_toml()) == config
    True
    """

    model: Model = dataclasses.field(default_factory=Model)
    training: Training = dataclasses.field(default_factory=Training)
    data: Data = dataclasses.field(default_factory=Data)

    def override(self, values: Mapping[str, object]) -> Self:
        """Return a copy with some options replaced. Options can be named with or without their section."""
        return super().override({_dotted(key): value for key, value in values.items()})

    @classmethod
    def _renamed(cls, table: dict[str, Any]) -> dict[str, Any]:
        # The first model files had all options in one section.
        old = table.pop("segmentation", {})
        if not isinstance(old, dict):
            raise InvalidInputError("segmentation is a section: [segmentation]; got a value.")
        for key, value in old.items():
            section, _, name = _dotted(key).partition(".")
            table.setdefault(section, {})[name] = value
        return table


def _dotted(key: str) -> str:
    if "." in key:
        return key
    known = {key_of(made.name): kind.section for kind in (Model, Training) for made in fields(kind)}
    if key not in known:
        dotted = ", ".join(f"{section}.{name}" for name, section in known.items())
        raise InvalidInputError(f"there is no option {key!r}; there are {dotted}.{suggest(key, list(known))}")
    return f"{known[key]}.{key}"
