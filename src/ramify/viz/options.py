"""How trees are drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from ramify.options import Name, Number, OrNone, Rule, check_argument

__all__ = ["Direction", "DrawingOptions", "Tags", "Theme"]


#: Which tags stand below the words.
Tags = Literal["upos", "xpos", "none"]
#: Colours: ``auto`` follows what the reader's screen prefers.
Theme = Literal["auto", "light", "dark"]
#: Where a sentence begins: ``auto`` looks at its letters.
Direction = Literal["auto", "ltr", "rtl"]


class _Colour(Rule[str]):
    """A colour as style sheets write it."""

    expected = "'auto', 'none', or a colour such as '#fff'"

    def check(self, value: object) -> str:
        """Take names of colours, too; texts that could close an attribute are none."""
        if not isinstance(value, str) or not re.fullmatch(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+", value):
            raise ValueError
        return value


_RULES: dict[str, Rule[Any]] = {
    "width": Number(100),
    "tags": Name(Tags),
    "alternatives": OrNone(Number(0, 1, above=True)),
    "theme": Name(Theme),
    "background": _Colour(),
    "direction": Name(Direction),
    "font_size": Number(4, 200),
}


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
    tags: Tags | str = "upos"
    lemmas: bool = False
    numbers: bool | None = None
    probabilities: bool = False
    alternatives: float | None = None
    emphasis: bool = True
    theme: Theme | str = "auto"
    background: str = "auto"
    direction: Direction | str = "auto"
    font_size: float = 16.0

    def __post_init__(self) -> None:
        for name, rule in _RULES.items():
            object.__setattr__(self, name, check_argument("A drawing", name, rule, getattr(self, name)))
