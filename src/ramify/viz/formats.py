"""All formats by name, written as sentences come."""

from __future__ import annotations

import json
from enum import Enum
from typing import TYPE_CHECKING, Any

from ramify.options import Choice, check_argument
from ramify.viz.dot import dot
from ramify.viz.html import figure, page_around
from ramify.viz.json import displacy, stream_json
from ramify.viz.options import DrawingOptions
from ramify.viz.pictures import pdf, png
from ramify.viz.svg import svg
from ramify.viz.table import table
from ramify.viz.tikz import END, PREAMBLE, tikz
from ramify.viz.tree import drawn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Format", "write_drawings"]


class Format(str, Enum):
    """What drawings are written as."""

    SVG = "svg"
    HTML = "html"
    TIKZ = "tikz"
    DOT = "dot"
    TABLE = "table"
    JSON = "json"
    DISPLACY = "displacy"
    CONLLU = "conllu"
    PNG = "png"
    PDF = "pdf"


def write_drawings(
    items: Iterable[Any], format: Format | str, *, language: str | None = None, **options: Any
) -> Iterator[str | bytes]:
    """Yield a file that draws sentences or results, piece by piece; pieces are text, or bytes in PNG and PDF.

    All formats but pictures (SVG, PNG, PDF), which say their size first, are written as the sentences come: memory does
    not grow with them.

    Parameters
    ----------
    items : any iterable of `ramify.data.Sentence` or `ParseResult`
    format : see `Format`
    language : of the document, for JSON
    **options : see `DrawingOptions`
    """
    chosen = DrawingOptions(**options)
    kind = check_argument("A drawing", "format", Choice(Format), format)
    if kind is Format.SVG:
        return iter([svg(items, **options)])
    if kind in (Format.PNG, Format.PDF):
        return iter([png(items, **options) if kind is Format.PNG else pdf(items, **options)])
    if kind is Format.HTML:
        return _page(items, chosen)
    if kind is Format.TIKZ:
        return _around(PREAMBLE, (tikz(item, document=False, **options) for item in items), "\n\\bigskip\n\n", END)
    if kind is Format.CONLLU:
        return ((item if hasattr(item, "to_conllu") else item.sentence).to_conllu() for item in items)
    if kind is Format.JSON:
        return stream_json(items, chosen, language)
    if kind is Format.DISPLACY:
        entries = (json.dumps(displacy(item, **options)[0], ensure_ascii=False) for item in items)
        return _around("[\n", entries, ",\n", "\n]\n")
    write = table if kind is Format.TABLE else dot
    return _around("", (write(item, **options) for item in items), "\n", "")


def _around(before: str, pieces: Iterable[str], between: str, after: str) -> Iterator[str]:
    yield before
    for number, piece in enumerate(pieces):
        yield between + piece if number else piece
    yield after


def _page(items: Iterable[Any], chosen: DrawingOptions) -> Iterator[str]:
    before, after = page_around("Dependency trees", "\0", theme=chosen.theme).split("\0")
    yield from _around(before, (figure(drawn(item, chosen), chosen) for item in items), "\n", after)
