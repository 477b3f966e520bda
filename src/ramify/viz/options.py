"""How trees are drawn."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum

from ramify.errors import InvalidInputError
from ramify.evaluation.choices import choose

__all__ = ["Direction", "DrawingOptions", "Tags", "Theme"]


class Tags(str, Enum):
    """Which tags stand below the words."""

    UPOS = "upos"
    XPOS = "xpos"
    NONE = "none"


class Theme(str, Enum):
    """Colours: ``auto`` follows what the reader's screen prefers."""

    AUTO = "auto"
    LIGHT = "light"
    DARK = "dark"


class Direction(str, Enum):
    """Where a sentence begins: ``auto`` looks at its letters."""

    AUTO = "auto"
    LTR = "ltr"
    RTL = "rtl"


_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+")


@dataclass(frozen=True, kw_only=True)
class DrawingOptions:
    """Options of drawings. Every writer takes these as keywords, and ignores those that it does not use.

    Attributes
    ----------
    width : maximum width of a row in pixels; longer sentences are wrapped; ``inf`` never wraps
    tags : tags below the words: ``"upos"``, ``"xpos"`` or ``"none"``
    lemmas : whether lemmas stand below the words, too
    numbers : whether words are numbered; None numbers them where a sentence is wrapped
    probabilities : whether the probability of an arc is written next to its label, if it is known
    alternatives : smallest probability of the other heads that are drawn (dashed); None draws none
    emphasis : whether arcs of low probability are thinner and paler
    theme : ``"auto"`` (light or dark, as the reader's screen prefers), ``"light"`` or ``"dark"``
    background : a colour (``"#fffbe6"``), ``"auto"`` (the colour of the theme) or ``"none"`` (transparent)
    direction : ``"auto"`` (by the letters of the sentence), ``"ltr"`` or ``"rtl"``
    font_size : size of the words in pixels
    """

    width: float = 1000.0
    tags: Tags | str = Tags.UPOS
    lemmas: bool = False
    numbers: bool | None = None
    probabilities: bool = False
    alternatives: float | None = None
    emphasis: bool = True
    theme: Theme | str = Theme.AUTO
    background: str = "auto"
    direction: Direction | str = Direction.AUTO
    font_size: float = 16.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "tags", choose(Tags, self.tags, "tags"))
        object.__setattr__(self, "theme", choose(Theme, self.theme, "theme"))
        object.__setattr__(self, "direction", choose(Direction, self.direction, "direction"))
        if math.isnan(self.width) or self.width < 100:
            raise InvalidInputError(f"A drawing expects a width of 100 pixels or more; got {self.width!r}.")
        if not 4 <= self.font_size <= 200:
            raise InvalidInputError(f"A drawing expects a font_size of 4 to 200 pixels; got {self.font_size!r}.")
        if self.alternatives is not None and not 0 < self.alternatives <= 1:
            raise InvalidInputError(
                f"A drawing expects alternatives to be a probability above 0, up to 1; got {self.alternatives!r}."
            )
        if not _COLOUR.fullmatch(self.background):
            raise InvalidInputError(
                "A drawing expects background to be 'auto', 'none', or a colour such as '#fff'; "
                f"got {self.background!r}."
            )
