"""Pictures of a paper's figures: curves in panels, and a table of shares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ramify.atomic import replacing_file
from ramify.errors import InvalidInputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Curves", "check_plot", "draw_one", "draw_panels", "draw_shares"]

_COLUMNS = 4


@dataclass(frozen=True)
class Curves:
    """A panel: points of several curves.

    Attributes
    ----------
    title : above it
    points : x and y, by the name of the curve
    across, up : what the axes show
    """

    title: str
    points: Mapping[str, Sequence[tuple[float, float]]]
    across: str
    up: str


def check_plot(path: Path) -> None:
    """Raise the errors that drawing would raise, so that users see them before anything is trained."""
    if path.suffix.lower() != ".svg":
        raise InvalidInputError(f"--plot writes .svg files; got {str(path)!r}.")
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "--plot")


def draw_panels(panels: Sequence[Curves], shares: Mapping[str, Mapping[str, float]], path: Path) -> None:
    """Draw panels, and a table of shares if there is one, as SVG; needs matplotlib.

    Parameters
    ----------
    panels : one beside the other
    shares : between 0 and 1, by row and column
    path : file to write
    """
    number = max(1, len(panels) + bool(shares))
    columns, lines = min(number, _COLUMNS), math.ceil(number / _COLUMNS)

    def draw(figure: Figure) -> None:
        places = list(figure.subplots(lines, columns, squeeze=False).flat)
        for axes, panel in zip(places, panels, strict=False):
            _draw_curves(axes, panel)
        if shares:
            draw_shares(places[len(panels)], shares)
        for axes in places[len(panels) + bool(shares) :]:
            axes.set_axis_off()

    _save(draw, (3.1 * columns, 2.7 * lines), path)


def draw_one(draw: Callable[[Axes], None], size: tuple[float, float], path: Path) -> None:
    """Draw a picture of one panel as SVG; needs matplotlib.

    Parameters
    ----------
    draw : draws into the panel
    size : width and height in inches
    path : file to write
    """
    _save(lambda figure: draw(figure.subplots()), size, path)


def _save(draw: Callable[[Figure], None], size: tuple[float, float], path: Path) -> None:
    check_plot(path)
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "ramify", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=size, layout="constrained")
        draw(figure)
        with replacing_file(path) as file:
            figure.savefig(file, format="svg", metadata={"Date": None})


def _draw_curves(axes: Axes, panel: Curves) -> None:
    for name, points in panel.points.items():
        across, up = zip(*points, strict=True) if points else ((), ())
        axes.plot(across, up, marker="o", markersize=3, linewidth=1, label=name)
    axes.set(title=panel.title, xlabel=panel.across, ylabel=panel.up)
    axes.legend(fontsize=6)


def draw_shares(axes: Axes, shares: Mapping[str, Mapping[str, float]]) -> None:
    """Draw shares as a table of grey cells, with rows and columns named."""
    columns = list(dict.fromkeys(column for row in shares.values() for column in row))
    axes.imshow(
        [[row.get(column, 0.0) for column in columns] for row in shares.values()],
        cmap="Greys",
        vmin=0.0,
        vmax=1.0,
        aspect="auto",
    )
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(shares)), list(shares))
