"""The figure of ``ramify evaluate --plot``: F1 of every system, by metric or by kind of arc."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ramify.data.files import open_for_writing
from ramify.errors import InvalidInputError, MissingExtraError
from ramify.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ramify.cli.evaluation_report import Report, SystemReport

__all__ = ["check_plot", "draw"]

_FORMATS = {".svg": "svg", ".pdf": "pdf", ".png": "png"}
_MOST_ROWS = 25
_SETTINGS = {"svg.hashsalt": "ramify", "svg.fonttype": "none", "font.size": 10, "text.parse_math": False}
# Okabe & Ito's colours, which people with colour-blindness can tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = "osD^vP*"


def check_plot(path: Path) -> None:
    """Refuse a file whose suffix names no format of figures."""
    if path.suffix.lower() not in _FORMATS:
        raise InvalidInputError(f"--plot writes {', '.join(_FORMATS)} files; got {str(path)!r}.")


def draw(report: Report, path: Path) -> None:
    """Draw F1 as dots on a line per metric or kind, one colour and marker per system; write it whole or not at all."""
    check_plot(path)
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot", "--plot") from error
    title, rows, table = _figures(report.systems)
    rows = [printable(row) for row in rows]
    # Fixed identifiers and no date: the same scores give the same file.
    # Labels and file names are text, not formulas, whatever dollar signs they have.
    with matplotlib.rc_context(_SETTINGS):
        figure = Figure(figsize=(8, 1.4 + 0.3 * len(rows)), layout="constrained")
        names = [printable(system.name) for system in report.systems]
        _fill(figure.add_subplot(), title, rows, table, names)
        if len(names) > 1:
            figure.legend(loc="outside lower center", ncols=min(4, len(names)), frameon=False)
        buffer = io.BytesIO()
        kind = _FORMATS[path.suffix.lower()]
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
        figure.savefig(buffer, format=kind, metadata=dates, dpi=150)
    with open_for_writing(path) as file:
        file.write(buffer.getvalue())


def _figures(systems: Sequence[SystemReport]) -> tuple[str, list[str], list[list[float | None]]]:
    """Return a title, the names of the rows, and for each row the F1 of every system in percent."""
    first = systems[0]
    if first.by:
        dimension = next(iter(first.by))
        kinds = list(dict.fromkeys(kind for system in systems for kind in system.by[dimension]))[:_MOST_ROWS]
        columns = [
            {kind: (score.f1, score.gold_total) for kind, score in system.by[dimension].items()} for system in systems
        ]
        totals = {kind: total for column in columns for kind, (_, total) in column.items()}
        rows = [f"{kind} ({totals[kind]})" for kind in kinds]
        table = [[100 * column[kind][0] if kind in column else None for column in columns] for kind in kinds]
        return f"F1 of arcs by {dimension.value} (gold arcs)", rows, table
    if first.chunks is not None:
        chunked = [system.chunks for system in systems if system.chunks is not None]
        types = sorted({kind for result in chunked for kind in result.by_type})[:_MOST_ROWS]
        table = [[100 * result.overall.f1 for result in chunked]]
        table += [
            [100 * score.f1 if (score := result.by_type.get(kind)) else None for result in chunked] for kind in types
        ]
        return "F1 of chunks", ["all", *types], table
    evaluations = [dict(system.conll18.items()) for system in systems if system.conll18 is not None]
    metrics = list(evaluations[0])
    return "CoNLL 2018 metrics, F1", metrics, [[100 * scores[m].f1 for scores in evaluations] for m in metrics]


def _fill(axes: Any, title: str, rows: list[str], table: list[list[float | None]], names: list[str]) -> None:
    values = [value for row in table for value in row if value is not None]
    low = min(values, default=0.0)
    # Room on the left only down to the worst figure: differences near 100 have to be seen.
    axes.set_xlim(max(0.0, low - 0.12 * (100 - low) - 1), 100 + 0.06 * (101 - low))
    for number, name in enumerate(names):
        colour, marker = _COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)]
        points = [(row[number], place) for place, row in enumerate(table) if row[number] is not None]
        axes.plot(
            [value for value, _ in points],
            [place for _, place in points],
            linestyle="none",
            marker=marker,
            markersize=max(4, 9 - 1.5 * number),  # so that one under another is still seen
            color=colour,
            label=name,
            zorder=3,
        )
    for place, row in enumerate(table):
        known = [value for value in row if value is not None]
        axes.hlines(place, min(known), max(known), color="0.6", linewidth=2, zorder=2)
        best = max(known)
        axes.annotate(f"{best:.1f}", (best, place), (6, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(range(len(rows)), rows)
    axes.invert_yaxis()
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_title(title, loc="left", fontweight="bold")
    axes.set_xlabel("F1 (%)")
