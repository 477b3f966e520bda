"""Estimate how wide text is, without a font.

The widths are slightly larger than those of common sans-serif fonts, so that words never touch each other, whatever
font the reader has.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

__all__ = ["shorten", "text_width"]

# In ems, for what differs most from the average.
_NARROW = dict.fromkeys("ijl'|.,:;!I", 0.33) | dict.fromkeys('ftr()[]{}/\\-" `*°', 0.42)
_BROAD = dict.fromkeys("mw%", 0.92) | dict.fromkeys("MW@—…", 1.0) | dict.fromkeys("GOQDHNUCRK&+=<>~#", 0.8)
_KNOWN = _NARROW | _BROAD
_LOWER, _UPPER, _OTHER, _FULL = 0.6, 0.7, 0.66, 1.04


@lru_cache(maxsize=8192)
def _char_width(char: str) -> float:
    if char in _KNOWN:
        return _KNOWN[char]
    category = unicodedata.category(char)
    if category in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(char) in ("W", "F"):
        return _FULL
    if category in ("Lu", "Lt"):
        return _UPPER
    return _LOWER if category in ("Ll", "Nd") else _OTHER


def text_width(text: str, size: float) -> float:
    """Return about how many pixels a text takes at a font size."""
    return size * sum(map(_char_width, text))


def shorten(text: str, most: int) -> str:
    """Cut a text that is too long to be drawn, and show that it was."""
    if len(text) <= most:
        return text
    cut = most - 1
    while cut > 1 and unicodedata.combining(text[cut]):
        cut -= 1
    return text[:cut] + "…"
