"""All formats by name, written as sentences come."""

from __future__ import annotations

import json
from enum import Enum
from typing import TYPE_CHECKING, Any

from ramify.evaluation.choices import choose
from ramify.viz.dot import dot
from ramify.viz.html import figure, page_around
from ramify.viz.json import displacy, to_json
from ramify.viz.options import DrawingOptions, Theme
from ramify.viz.svg import svg
from ramify.viz.table import table
from ramify.viz.tikz import END, PREAMBLE, tikz
from ramify.viz.tree import drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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


def write_drawings(items: Iterable[Any], format: Format | str, **options: Any) -> Iterator[str]:
    """Yield the text of a file that draws sentences or results, piece by piece.

    All formats but SVG, which says its size first, are written as the sentences come: memory does not grow with them.

    Parameters
    ----------
    items : any iterable of `ramify.data.Sentence` or `ParseResult`
    format : see `Format`
    **options : see `DrawingOptions`
    """
    chosen = DrawingOptions(**options)
    kind = choose(Format, format, "format")
    if kind is Format.SVG:
        return iter([svg(items, **options)])
    if kind is Format.HTML:
        return _page(items, chosen)
    if kind is Format.TIKZ:
        return _around(PREAMBLE, (tikz(item, document=False, **options) for item in items), "\n\\bigskip\n\n", END)
    if kind is Format.CONLLU:
        return ((item if hasattr(item, "to_conllu") else item.sentence).to_conllu() for item in items)
    if kind in (Format.JSON, Format.DISPLACY):
        make: Callable[..., list[dict[str, Any]]] = to_json if kind is Format.JSON else displacy
        entries = (json.dumps(make(item, **options)[0], ensure_ascii=False) for item in items)
        return _around("[\n", entries, ",\n", "\n]\n")
    write = table if kind is Format.TABLE else dot
    return _around("", (write(item, **options) for item in items), "\n", "")


def _around(before: str, pieces: Iterable[str], between: str, after: str) -> Iterator[str]:
    yield before
    for number, piece in enumerate(pieces):
        yield between + piece if number else piece
    yield after


def _page(items: Iterable[Any], chosen: DrawingOptions) -> Iterator[str]:
    before, after = page_around("Dependency trees", "\0", theme=Theme(chosen.theme)).split("\0")
    yield from _around(before, (figure(drawn(item, chosen), chosen) for item in items), "\n", after)
