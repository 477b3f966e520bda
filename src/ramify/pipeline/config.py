"""The options for training a pipeline: those of every component and a few of its own."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ramify import parsing, segmentation, tagging
from ramify.errors import InvalidInputError
from ramify.learn.configuration import suggest
from ramify.options import Integer, Number
from ramify.pipeline.model_files import COMPONENTS, MOST_TAG_WEIGHT, TAGGERS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PipelineConfig"]

_RULES: dict[str, Integer | Number] = {"folds": Integer(2, 100), "tag-weight": Number(0, MOST_TAG_WEIGHT)}
_OWN_TAGS = {
    "network.tag-size": 0,
    "network.predict-tags": True,
    "network.feed-tags": True,
    "network.character-size": 64,
    "network.character-hidden": 100,
    "network.layers": 2,
    "network.rank": 128,
    "model.parts": "any-sibling,grand",
}


def _taggers() -> dict[str, tagging.Config]:
    return {name: tagging.Config.preset(name) for name in TAGGERS}


@dataclass(frozen=True, kw_only=True)
class PipelineConfig:
    """All options for training a pipeline; with the contents of the treebank, they determine its result.

    Attributes
    ----------
    segmenter, parser : options of the segmenter and of the parser
    taggers : options of each tagger, by the name of its column
    folds : number of parts into which the treebank is split; each is tagged by taggers that were not trained on it
    method : inference method of the finished parser. In raw text, some sentences are split in the wrong places, and
        for them it takes long to prove which tree is best. None keeps the method of training; so does overriding
        ``parser.inference.method``
    tag_weight : weight of the taggers of upos and xpos beside a network that predicts these tags; 0: no such taggers

    Examples
    --------
    >>> config = PipelineConfig().override({"parser.training.epochs": "3", "segmenter.epochs": "2"})
    >>> config.parser.training.epochs, config.segmenter.training.epochs, config.folds
    (3, 2, 10)
    """

    segmenter: segmentation.Config = field(default_factory=segmentation.Config)
    taggers: dict[str, tagging.Config] = field(default_factory=_taggers)
    parser: parsing.Config = field(default_factory=lambda: parsing.Config.preset("default"))
    folds: int = 10
    method: parsing.Method | None = parsing.Method.AD3
    tag_weight: float = 0.5

    def __post_init__(self) -> None:
        for name, rule in _RULES.items():
            value = getattr(self, name.replace("-", "_"))
            try:
                rule.check(value)
            except ValueError:
                raise InvalidInputError(f"{name} expects {rule.expected}; got {value!r}.") from None

    @staticmethod
    def preset_names() -> list[str]:
        """Return the names that `preset` accepts: the presets of parsers, of which auto does not know pipelines."""
        return [name for name in parsing.Config.preset_names() if name != "auto"]

    @classmethod
    def preset(cls, name: str) -> PipelineConfig:
        """Return the options of a pipeline whose parser has this preset; a network reads no tags, but predicts them."""
        if name == "auto":
            raise InvalidInputError(
                "A pipeline expects another preset than 'auto': a network predicts tags, and other parsers read them. "
                "Train pipelines with the presets 'default' and 'neural', and compare the scores on their cards."
            )
        parser = parsing.Config.preset(name)
        return cls(parser=parser.override(_OWN_TAGS) if parser.is_neural else parser)

    @staticmethod
    def dotted() -> dict[str, str]:
        """Return a description of each option, by its name ``component.section.key``."""
        names = segmentation.Config.dotted("segmenter.")
        for tagger in TAGGERS:
            names |= tagging.Config.dotted(f"{tagger}.")
        return names | parsing.Config.dotted("parser.")

    def override(self, values: Mapping[str, object]) -> PipelineConfig:
        """Return a copy with some options replaced, such as ``{"parser.training.epochs": 5, "folds": 5}``."""
        mine: dict[str, dict[str, object]] = {}
        changed: dict[str, Any] = {}
        for dotted, value in values.items():
            component, _, rest = dotted.partition(".")
            if dotted in _RULES:
                changed[dotted.replace("-", "_")] = _RULES[dotted].parse(value) if isinstance(value, str) else value
            elif component in COMPONENTS:
                mine.setdefault(component, {})[rest] = value
            else:
                raise InvalidInputError(
                    f"there is no component {component!r}; an option of a pipeline starts with "
                    f"{', '.join(COMPONENTS)}, as in --parser.training.epochs.{suggest(component, list(COMPONENTS))}"
                )
        if "inference.method" in mine.get("parser", {}):
            changed["method"] = None
        changed["segmenter"] = self.segmenter.override(mine.get("segmenter", {}))
        changed["parser"] = self.parser.override(mine.get("parser", {}))
        changed["taggers"] = {name: config.override(mine.get(name, {})) for name, config in self.taggers.items()}
        return dataclasses.replace(self, **changed)

    def to_toml(self) -> str:
        """Return all options as one text; equal options give equal texts."""
        parts = [self.segmenter.to_toml(), *(config.to_toml() for config in self.taggers.values())]
        method = self.method.value if self.method else "as trained"
        return "\n".join(
            [
                *parts,
                self.parser.to_toml(),
                f"folds = {self.folds}\nmethod = {method}\ntag-weight = {self.tag_weight}\n",
            ]
        )
