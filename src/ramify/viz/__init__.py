"""Pictures of dependency trees: SVG, PNG, PDF, HTML, TikZ, DOT, tables, JSON."""

from ramify.viz.dot import dot
from ramify.viz.explanation import explanation_html, explanation_text
from ramify.viz.formats import Format, write_drawings
from ramify.viz.html import html
from ramify.viz.json import displacy, to_json
from ramify.viz.options import Direction, DrawingOptions, Tags, Theme
from ramify.viz.pictures import pdf, png
from ramify.viz.svg import svg
from ramify.viz.table import table
from ramify.viz.tikz import tikz

__all__ = [
    "Direction",
    "DrawingOptions",
    "Format",
    "Tags",
    "Theme",
    "displacy",
    "dot",
    "explanation_html",
    "explanation_text",
    "html",
    "pdf",
    "png",
    "svg",
    "table",
    "tikz",
    "to_json",
    "write_drawings",
]
