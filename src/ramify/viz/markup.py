"""What SVG and HTML share: escaping, numbers, colours."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from ramify.printable import CONTROLS

__all__ = ["DARK", "FONTS", "LIGHT", "Palette", "element", "number", "text_of"]

FONTS = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'Noto Sans', 'DejaVu Sans', sans-serif"

# Characters that no XML document may hold, not even escaped.
_ILLEGAL = {code: sign for code, sign in CONTROLS.items() if chr(code) not in "\t\n\r\u2028\u2029"}


@dataclass(frozen=True)
class Palette:
    """Colours of one theme."""

    paper: str
    word: str
    tag: str
    arc: str
    crossing: str
    alternative: str
    marked: str


LIGHT = Palette("#ffffff", "#1c2126", "#59636e", "#2f5d8a", "#b4481e", "#7a838d", "#1f7a3d")
DARK = Palette("#15181c", "#e9edf1", "#a5afba", "#8fbbe6", "#f3a06f", "#8d97a2", "#7fd69a")


def text_of(value: str) -> str:
    """Escape text for XML and HTML, in elements and in attributes."""
    return escape(value.translate(_ILLEGAL), quote=True).replace("\n", "&#10;").replace("\t", "&#9;")


def number(value: float) -> str:
    """Write a length: one digit after the point is enough for the eye, and files stay small."""
    return (
        f"{value:.1f}".removesuffix(".0").replace("-0", "0") if abs(value) < 0.05 else f"{value:.1f}".removesuffix(".0")
    )


def element(name: str, /, content: str | None = None, **attributes: str | float) -> str:
    """Return an element; `content` is markup, attributes are escaped, underscores in their names become hyphens."""
    parts = [name]
    for key, value in attributes.items():
        shown = number(value) if isinstance(value, (int, float)) else text_of(value)
        parts.append(f'{key.rstrip("_").replace("_", "-")}="{shown}"')
    head = " ".join(parts)
    return f"<{head}/>" if content is None else f"<{head}>{content}</{name}>"
