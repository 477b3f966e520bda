"""Trees as an HTML page: one file without scripts, or a fragment for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.viz.markup import DARK, FONTS, LIGHT, element, text_of
from ramify.viz.options import DrawingOptions
from ramify.viz.svg import draw_tree, stack
from ramify.viz.tree import DrawnTree, drawn_all

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ramify.viz.markup import Palette

__all__ = ["figure", "html", "page_around"]


def html(items: object, *, page: bool = True, title: str = "Dependency trees", **options: Any) -> str:
    """Draw a sentence, a parser's result, or several of them, as an HTML page.

    Parameters
    ----------
    items : `ramify.data.Sentence` or `ParseResult`, or an iterable of them
    page : whether it is a whole page; if False, only what goes into one
    title : of the page
    **options : see `DrawingOptions`
    """
    chosen = DrawingOptions(**options)
    trees = drawn_all(items, chosen)
    figures = "\n".join(figure(tree, chosen, caption=page) for tree in trees)
    return page_around(title, figures, _direction(trees), chosen.theme) if page else figures


def page_around(title: str, body: str, direction: str = "ltr", theme: str = "auto") -> str:
    """Return a whole page with this body."""
    style = _style(DARK if theme == "dark" else LIGHT)
    if theme == "auto":
        style += f"@media (prefers-color-scheme:dark){{{_style(DARK)}}}"
    return (
        f'<!DOCTYPE html>\n<html dir="{direction}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text_of(title)}</title>\n<style>{style}{_LAYOUT}</style>\n</head>\n<body>\n"
        f"<h1>{text_of(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


_LAYOUT = (
    f"body{{font-family:{FONTS};margin:2em auto;max-width:66em;padding:0 1em}}h1{{font-size:1.3em}}"
    "summary{cursor:pointer;margin:.4em 0}h2{font-size:1.05em;margin-top:2em}"
    "figure{margin:2em 0;overflow-x:auto}figcaption{margin-bottom:.5em}small{display:block}"
    "table{border-collapse:collapse;margin:1em 0}td,th{padding:.15em .8em .15em 0;text-align:start;vertical-align:top}"
    ".number{text-align:end;font-variant-numeric:tabular-nums}"
)


def _style(palette: Palette) -> str:
    return (
        f"body{{background:{palette.paper};color:{palette.word}}}small,th{{color:{palette.tag}}}"
        f"tr{{border-bottom:1px solid {palette.tag}44}}strong,h2{{color:{palette.arc}}}"
    )


def figure(tree: DrawnTree, options: DrawingOptions, caption: bool = True, marked: Collection[int] = ()) -> str:
    """Return one tree as an element of a page, with its text or without; `marked` words stand out."""
    picture = stack([draw_tree(tree, options, marked)])
    if not caption:
        return element("div", picture, style="overflow-x:auto")
    name = element("small", text_of(tree.name)) if tree.name else ""
    direction = "rtl" if tree.right_to_left else "ltr"
    return element("figure", element("figcaption", name + text_of(tree.text), dir=direction) + picture)


def _direction(trees: Sequence[DrawnTree]) -> str:
    return "rtl" if trees and all(tree.right_to_left for tree in trees) else "ltr"
