"""The options of a segmenter: one typed value, kept with the model."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, fields
from typing import ClassVar

from ramify.errors import InvalidInputError
from ramify.options import Flag, Integer, Number, checked, from_toml, key_of, option, to_toml

__all__ = ["Options"]


@dataclass(frozen=True, kw_only=True)
class Options(checked):
    """How a segmenter is trained."""

    section: ClassVar[str] = "segmentation"
    bits: int = option(Integer(8, 24), 18, "2^bits weights for tokens, and as many for sentences")
    epochs: int = option(Integer(1, 1000), 8, "passes over the treebank")
    token_step: float = option(Number(0, 100, above=True), 0.1, "AdaGrad's step, for tokens")
    sentence_step: float = option(Number(0, 100, above=True), 0.1, "AdaGrad's step, for sentences")
    variety: bool = option(Flag(), True, "break some lines, and learn some sentences in other alphabets, too")
    min_pairs: int = option(
        Integer(1), 1000, "occurrences from which two kinds of characters that no token ends between never part"
    )
    min_words: int = option(Integer(1), 1, "occurrences from which words of scripts without spaces are remembered")
    seed: int = option(Integer(0), 1, "of the order of examples and of variations")

    def to_toml(self) -> str:
        """Return the options as a TOML file."""
        lines = [f"{key_of(made.name)} = {to_toml(getattr(self, made.name))}" for made in fields(self)]
        return "\n".join([f"[{self.section}]", *lines, ""])

    @classmethod
    def parse(cls, text: str) -> Options:
        """Read what `to_toml` wrote."""
        table = from_toml(text)
        values = table.pop(cls.section, None)
        if table or not isinstance(values, dict):
            raise InvalidInputError(f"expected one section, [{cls.section}]; found {sorted(table) or 'none'}.")
        known = {key_of(made.name): made.name for made in dataclasses.fields(cls)}
        unknown = [key for key in values if key not in known]
        if unknown:
            raise InvalidInputError(f"there is no option {unknown[0]!r}; there are {', '.join(known)}.")
        return cls(**{known[key]: value for key, value in values.items()})
