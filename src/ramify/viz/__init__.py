"""Pictures of dependency trees: SVG, HTML, TikZ, DOT, tables, JSON."""

from ramify.viz.dot import dot
from ramify.viz.html import html
from ramify.viz.json import displacy, to_json
from ramify.viz.options import Direction, DrawingOptions, Tags, Theme
from ramify.viz.svg import svg
from ramify.viz.table import table
from ramify.viz.tikz import tikz

__all__ = [
    "Direction",
    "DrawingOptions",
    "Tags",
    "Theme",
    "displacy",
    "dot",
    "html",
    "svg",
    "table",
    "tikz",
    "to_json",
]
