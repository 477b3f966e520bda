"""Trees for LaTeX, by the package tikz-dependency."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.viz.layout import arc_label
from ramify.viz.levels import Extent, assign_levels
from ramify.viz.options import DrawingOptions
from ramify.viz.tree import DrawnArc, DrawnTree, drawn_all

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["END", "PREAMBLE", "tikz"]

_LEVEL = 2.4  # height of a level, in ex

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"{\char`\&}",  # \& ends a cell of deptext
        "#": r"\#",
        "^": r"\textasciicircum{}",
        "_": r"\_",
        "%": r"\%",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
    }
    | dict.fromkeys(range(0x20), " ")
)

PREAMBLE = r"""\documentclass[border=4pt,varwidth=\maxdimen]{standalone}
\usepackage{iftex}
\ifpdftex
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
\else
  \usepackage{fontspec} % choose a font with the letters of your language: \setmainfont{Noto Serif}
\fi
\usepackage{tikz-dependency}
\begin{document}
"""
END = "\\end{document}\n"


def tikz(items: object, *, document: bool = True, **options: Any) -> str:
    r"""Draw a sentence, a parser's result, or several of them, for LaTeX.

    Parameters
    ----------
    items : `ramify.data.Sentence` or `ParseResult`, or an iterable of them
    document : whether it is a whole document; if False, only the ``dependency`` environments, which need
        ``\usepackage{tikz-dependency}``
    **options : see `DrawingOptions`; rows are not wrapped

    Examples
    --------
    >>> from ramify.data import Sentence
    >>> dogs = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> print(tikz(dogs, document=False))
    \begin{dependency}
      \begin{deptext}[column sep=0.8em]
        Dogs \& bark \\
        {\scriptsize NOUN} \& {\scriptsize VERB} \\
      \end{deptext}
      \depedge[edge height=2.4ex]{2}{1}{nsubj}
      \deproot[edge height=4.8ex]{2}{root}
    \end{dependency}
    <BLANKLINE>
    """
    chosen = DrawingOptions(**options)
    pictures = ["\n".join(_lines(tree, chosen)) + "\n" for tree in drawn_all(items, chosen)]
    if not document:
        return "\n".join(pictures)
    return PREAMBLE + "\n\\bigskip\n\n".join(pictures) + END


def _lines(tree: DrawnTree, options: DrawingOptions) -> Iterator[str]:
    place = {word.number: word.number for word in tree.words}
    words = list(tree.words)
    if tree.right_to_left:  # columns always run from left to right
        words.reverse()
        place = {word.number: i for i, word in enumerate(words, 1)}
    if tree.caption:
        yield rf"{{\footnotesize {_escape(tree.caption)}}}\par"
    yield r"\begin{dependency}"
    yield r"  \begin{deptext}[column sep=0.8em]"
    yield "    " + r" \& ".join(_escape(word.form) for word in words) + r" \\"
    if options.tags != "none":
        tags = (word.upos if options.tags == "upos" else word.xpos for word in words)
        yield "    " + r" \& ".join(rf"{{\scriptsize {_escape(tag)}}}" for tag in tags) + r" \\"
    yield r"  \end{deptext}"
    for arc, level in zip(tree.arcs, _levels(tree), strict=True):
        label = _escape(arc_label(arc, options))
        style = _style(arc, level, options)
        if arc.head:
            yield rf"  \depedge{style}{{{place[arc.head]}}}{{{place[arc.modifier]}}}{{{label}}}"
        else:
            yield rf"  \deproot{style}{{{place[arc.modifier]}}}{{{label}}}"
    yield r"\end{dependency}"


def _levels(tree: DrawnTree) -> list[int]:
    """Return the heights of arcs; the package's own grow with length, which makes long arcs very high."""
    extents = []
    for arc in tree.arcs:
        first, last = arc.ends if arc.head else (arc.modifier, arc.modifier)
        # Roots look wider than they are, so that their labels are clear of arcs at the words next to theirs.
        margin = -0.1 if arc.head else 0.5
        extents.append(Extent(first - margin, last + margin, from_above=arc.head == 0))
    return assign_levels(extents)


def _style(arc: DrawnArc, level: int, options: DrawingOptions) -> str:
    height = f"edge height={_LEVEL * level:g}ex"
    wanted = ["dashed"] if arc.alternative else []
    if arc.probability is not None and options.emphasis and arc.probability < 0.995:
        wanted.append(f"opacity={0.4 + 0.6 * arc.probability:.2f}")
    return f"[{height}, edge style={{{', '.join(wanted)}}}]" if wanted else f"[{height}]"


def _escape(text: str) -> str:
    return text.translate(_SPECIAL) or "{}"
