"""The options of a pipeline's training: those of every component, and a few of its own."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from ramify import parsing, segmentation, tagging
from ramify.errors import InvalidInputError
from ramify.learn.configuration import suggest
from ramify.options import key_of, rule_of
from ramify.pipeline.model_files import COMPONENTS, TAGGERS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PipelineConfig"]

_MOST_FOLDS = 100


def _taggers() -> dict[str, tagging.Config]:
    return {name: tagging.Config.preset(name) for name in TAGGERS}


@dataclass(frozen=True, kw_only=True)
class PipelineConfig:
    """Everything that the training of a pipeline depends on, the treebank aside.

    Attributes
    ----------
    segmenter, parser : options of these components
    taggers : options of the taggers, by column
    folds : in how many parts the treebank is cut, so that each is tagged by taggers that have not seen it
    method : how the finished parser finds trees. Text has sentences that are cut in the wrong places, and to prove for
        them which tree is best takes long; None keeps what it was trained with, and so does to override that

    Examples
    --------
    >>> config = PipelineConfig().override({"parser.training.epochs": "3", "segmenter.epochs": "2"})
    >>> config.parser.training.epochs, config.segmenter.epochs, config.folds
    (3, 2, 10)
    """

    segmenter: segmentation.Options = field(default_factory=segmentation.Options)
    taggers: dict[str, tagging.Config] = field(default_factory=_taggers)
    parser: parsing.Config = field(default_factory=lambda: parsing.Config.preset("default"))
    folds: int = 10
    method: parsing.Method | None = parsing.Method.AD3

    def __post_init__(self) -> None:
        if isinstance(self.folds, bool) or not isinstance(self.folds, int) or not 2 <= self.folds <= _MOST_FOLDS:
            raise InvalidInputError(f"folds expects a whole number, 2 to {_MOST_FOLDS}; got {self.folds!r}.")

    def override(self, values: Mapping[str, str]) -> PipelineConfig:
        """Return a copy with options replaced, given as ``{"parser.training.epochs": "5"}``."""
        mine: dict[str, dict[str, str]] = {}
        for dotted, text in values.items():
            component, _, rest = dotted.partition(".")
            if component not in COMPONENTS:
                raise InvalidInputError(
                    f"there is no component {component!r}; an option of a pipeline starts with "
                    f"{', '.join(COMPONENTS)}, as in --parser.training.epochs.{suggest(component, list(COMPONENTS))}"
                )
            mine.setdefault(component, {})[rest] = text
        changed: dict[str, Any] = {}
        if "segmenter" in mine:
            changed["segmenter"] = _segmenter(self.segmenter, mine["segmenter"])
        if "parser" in mine:
            changed["parser"] = self.parser.override(mine["parser"])
            if "inference.method" in mine["parser"]:
                changed["method"] = None
        changed["taggers"] = {name: config.override(mine.get(name, {})) for name, config in self.taggers.items()}
        return dataclasses.replace(self, **changed)

    def to_toml(self) -> str:
        """Return all options as one text, the same for the same options."""
        parts = [self.segmenter.to_toml(), *(config.to_toml() for config in self.taggers.values())]
        method = self.method.value if self.method else "as trained"
        return "\n".join([*parts, self.parser.to_toml(), f"folds = {self.folds}\nmethod = {method}\n"])


def _segmenter(options: segmentation.Options, values: Mapping[str, str]) -> segmentation.Options:
    known = {key_of(made.name): made for made in fields(options)}
    unknown = [key for key in values if key not in known]
    if unknown:
        raise InvalidInputError(
            f"there is no option segmenter.{unknown[0]}; there are {', '.join(known)}."
            f"{suggest(unknown[0], list(known))}"
        )
    parsed = {known[key].name: rule_of(known[key]).parse(text) for key, text in values.items()}
    return dataclasses.replace(options, **parsed)  # type: ignore[arg-type]
