"""Trees for Graphviz: heads above their modifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.viz.layout import arc_label
from ramify.viz.options import DrawingOptions
from ramify.viz.tree import DrawnTree, DrawnWord, drawn_all

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["dot"]

_CONTROLS = dict.fromkeys((*range(0x20), 0x7F), " ")


def dot(items: object, **options: Any) -> str:
    r"""Write a sentence, a parser's result, or several of them, in the language of Graphviz.

    Parameters
    ----------
    items : `ramify.data.Sentence` or `ParseResult`, or an iterable of them; each is a graph of its own
    **options : see `DrawingOptions`

    Examples
    --------
    >>> from ramify.data import Sentence
    >>> dogs = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> print(dot(dogs))
    digraph "1" {
      graph [ordering=out, ranksep=0.35, nodesep=0.25];
      node [shape=plaintext, fontname="sans-serif", height=0.3];
      edge [fontname="sans-serif", fontsize=10, arrowsize=0.6];
      0 [label="ROOT"];
      1 [label="Dogs\nNOUN"];
      2 [label="bark\nVERB"];
      2 -> 1 [label="nsubj"];
      0 -> 2 [label="root"];
    }
    <BLANKLINE>
    """
    chosen = DrawingOptions(**options)
    return "\n".join(
        "\n".join(_lines(tree, number, chosen)) + "\n" for number, tree in enumerate(drawn_all(items, chosen), 1)
    )


def _lines(tree: DrawnTree, number: int, options: DrawingOptions) -> Iterator[str]:
    yield f"digraph {_quote(tree.name or str(number))} {{"
    yield "  graph [ordering=out, ranksep=0.35, nodesep=0.25];"
    if tree.caption:
        yield f"  label={_quote(tree.caption)}; labelloc=t; fontsize=10;"
    yield '  node [shape=plaintext, fontname="sans-serif", height=0.3];'
    yield '  edge [fontname="sans-serif", fontsize=10, arrowsize=0.6];'
    if any(arc.head == 0 for arc in tree.arcs):
        yield '  0 [label="ROOT"];'
    for word in tree.words:
        yield f"  {word.number} [label={_word(word, options)}];"
    for arc in tree.arcs:
        style = [f"label={_quote(arc_label(arc, options))}"]
        if arc.alternative:
            style.append("style=dashed, color=gray50, fontcolor=gray50, constraint=false")
        elif arc.probability is not None and options.emphasis:
            style.append(f"penwidth={0.5 + arc.probability:.2f}")
        yield f"  {arc.head} -> {arc.modifier} [{', '.join(style)}];"
    yield "}"


def _word(word: DrawnWord, options: DrawingOptions) -> str:
    tag = {"upos": word.upos, "xpos": word.xpos}.get(options.tags, "_")
    return _quote(word.form) if tag == "_" else f"{_quote(word.form)[:-1]}\\n{_quote(tag)[1:]}"


def _quote(text: str) -> str:
    inside = text.translate(_CONTROLS).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inside}"'
