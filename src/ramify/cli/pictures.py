"""What commands that draw share: their options, and where the drawing goes."""

import math
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from ramify.data.files import open_for_writing

__all__ = ["Alternatives", "Lemmas", "Probabilities", "TagColumn", "Width", "write_pictures"]

Alternatives = Annotated[
    float | None,
    typer.Option(metavar="P", min=0.0, max=1.0, help="Draw other heads with at least this probability too, dashed."),
]
Probabilities = Annotated[bool, typer.Option("--probabilities", help="Write probabilities next to labels.")]
TagColumn = Annotated[str, typer.Option(metavar="WHICH", help="Tags below the words: upos, xpos or none.")]
Lemmas = Annotated[bool, typer.Option("--lemmas", help="Lemmas below the words too.")]
Width = Annotated[float, typer.Option(metavar="PIXELS", help="Widest row; longer sentences are wrapped. 0: never.")]


def write_pictures(items: Iterable[Any], format: str, output: str, width: float, **options: Any) -> None:
    """Write drawings to a file, or to standard output."""
    from ramify.viz import write_drawings

    pieces = write_drawings(items, format, width=width or math.inf, **options)
    with open_for_writing(output) as file:
        for piece in pieces:
            file.write(piece.encode("utf-8", "replace"))
