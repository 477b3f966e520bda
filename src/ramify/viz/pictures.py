"""Trees as PNG and PDF: the SVG drawing, converted by CairoSVG, an optional library."""

from __future__ import annotations

import re
from typing import Any

from ramify.errors import InvalidInputError, MissingExtraError
from ramify.viz.options import DrawingOptions
from ramify.viz.svg import svg

__all__ = ["pdf", "png"]

_SCALE = 2.0  # pixels of a PNG for each unit of the drawing, so that it is sharp on today's screens
_MOST_PIXELS = 32_767  # Cairo's limit for either side of an image
_MOST_UNITS = 19_200  # 14,400 points, the limit for either side of a page in PDF
_SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')


def png(items: object, *, scale: float = _SCALE, **options: Any) -> bytes:
    """Draw a sentence, a parser's result, or several of them one below the other, as a PNG image.

    Needs the extra ``ramify[pictures]``.

    Parameters
    ----------
    items : `ramify.data.Sentence` or `ParseResult`, or an iterable of them
    scale : pixels for each unit of the drawing
    **options : see `DrawingOptions`; the theme ``"auto"`` is light, as an image cannot follow the screen
    """
    drawing = _drawing(items, options, _MOST_PIXELS / scale, "PNG")
    return bytes(_cairosvg("PNG").svg2png(bytestring=drawing, scale=scale))


def pdf(items: object, **options: Any) -> bytes:
    """Draw a sentence, a parser's result, or several of them one below the other, as a PDF file of one page.

    Needs the extra ``ramify[pictures]``.

    Parameters
    ----------
    items : `ramify.data.Sentence` or `ParseResult`, or an iterable of them
    **options : see `DrawingOptions`; the theme ``"auto"`` is light
    """
    drawing = _drawing(items, options, _MOST_UNITS, "PDF")
    return bytes(_cairosvg("PDF").svg2pdf(bytestring=drawing))


def _drawing(items: object, options: dict[str, Any], most: float, kind: str) -> bytes:
    if DrawingOptions(**options).theme == "auto":
        options = options | {"theme": "light"}
    drawing = svg(items, **options)
    size = _SIZE.match(drawing)
    sides = [float(side) for side in size.groups()] if size else []
    if max(sides, default=0.0) > most:
        raise InvalidInputError(
            f"A {kind} file expects drawings of at most {most:,.0f} units a side; these trees need "
            f"{sides[0]:,.0f} by {sides[1]:,.0f}. Draw fewer sentences, or write HTML."
        )
    return drawing.encode()


def _cairosvg(kind: str) -> Any:
    try:
        import cairosvg
    except ImportError as error:
        raise MissingExtraError("cairosvg", "pictures", f"Drawing {kind} files") from error
    except OSError as error:  # the Python package is there, but not the C library that it calls
        raise InvalidInputError(
            f"Drawing {kind} files needs the C library Cairo, which was not found; install it with your system's "
            "package manager (libcairo2, or cairo), or write SVG."
        ) from error
    return cairosvg
