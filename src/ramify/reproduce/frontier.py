"""Compare the speed and accuracy of all presets on two treebanks, and find those that no other preset beats in both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ramify.atomic import replacing_file
from ramify.reproduce.pictures import check_plot
from ramify.reproduce.trials import Scale, Trial

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes

__all__ = ["FULL", "LANGUAGES", "QUICK", "Point", "best", "check_plot", "draw", "plan", "points", "table"]

LANGUAGES = ("en", "eu")
QUICK = Scale(train=1000, test=500, max_words=40, epochs=4)
FULL = Scale(train=0, test=0, max_words=0, epochs=4)
# HiGHS would take hours for the test sentences; the best trees are the same.
_OPTIONS = {"martins-2009": {"inference.method": "exact", "inference.max-nodes": "10"}}
_PRESETS = (
    *("first", "second", "third"),
    *("smith-eisner-2008", "martins-2009", "martins-2010", "riedel-smith-2010"),
    *("martins-2011", "martins-2013", "gormley-2015"),
)


@dataclass(frozen=True)
class Point:
    """A preset on one treebank."""

    preset: str
    las: float
    speed: float


def plan(banks: Iterable[Treebank]) -> list[Trial]:
    """Return what has to be run."""
    return [Trial(bank, preset, preset, _OPTIONS.get(preset, {})) for bank in banks for preset in _PRESETS]


def points(outcomes: Outcomes) -> dict[str, list[Point]]:
    """Return the presets of each language."""
    return {
        language: [
            Point(preset, outcome.las, outcome.tokens_per_second)
            for preset in _PRESETS
            if (outcome := outcomes.get(language, preset))
        ]
        for language in outcomes.languages
    }


def best(some: Iterable[Point]) -> list[Point]:
    """Return the points for which no other point is both faster and more accurate, the fastest first."""
    out: list[Point] = []
    for point in sorted(some, key=lambda point: (-point.speed, -point.las)):
        if not out or point.las > out[-1].las:
            out.append(point)
    return out


def table(by_language: Mapping[str, Sequence[Point]]) -> str:
    """Return a Markdown table with a row for each preset; presets on the frontier are in bold."""
    frontiers = {language: best(some) for language, some in by_language.items()}
    lines = ["| preset | " + " | ".join(by_language) + " |", "| --- |" + " --: |" * len(by_language)]
    for preset in dict.fromkeys(point.preset for some in by_language.values() for point in some):
        cells = []
        for language, some in by_language.items():
            point = next((point for point in some if point.preset == preset), None)
            cell = "" if point is None else f"{100 * point.las:.2f}, {point.speed:,.0f}"
            cells.append(f"**{cell}**" if point in frontiers[language] else cell)
        lines.append(f"| `{preset}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(by_language: Mapping[str, Sequence[Point]], path: Path) -> None:
    """Draw LAS against tokens per second as SVG, with one panel per language; needs matplotlib."""
    check_plot(path)
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "ramify", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(5.2 * len(by_language), 4.2), layout="constrained")
        panels = figure.subplots(1, len(by_language), squeeze=False)[0]
        for axes, (language, some) in zip(panels, by_language.items(), strict=True):
            line = best(some)
            axes.plot([point.speed for point in line], [100 * point.las for point in line], color="0.7", zorder=1)
            for point in some:
                axes.scatter(point.speed, 100 * point.las, color="C0" if point in line else "C1", zorder=2)
            axes.set(xscale="log", xlabel="tokens a second, one core", ylabel="LAS", title=language)
            axes.margins(x=0.25, y=0.1)
            figure.draw_without_rendering()  # settles where things are
            _label(axes, some)
        with replacing_file(path) as file:
            figure.savefig(file, format="svg", metadata={"Date": None})


def _label(axes: Axes, some: Iterable[Point]) -> None:
    """Write each name beside its point, on the first of its sides where nothing has been written."""
    taken: list[Bbox] = []
    for point in sorted(some, key=lambda point: -point.las):
        for (x, y), side in (((4, 4), "left"), ((4, -9), "left"), ((-4, 4), "right"), ((-4, -9), "right")):
            text = axes.annotate(
                point.preset,
                (point.speed, 100 * point.las),
                xytext=(x, y),
                textcoords="offset points",
                fontsize=7,
                horizontalalignment=side,
            )
            box = text.get_window_extent()
            if not any(box.overlaps(other) for other in taken):
                break
            text.remove()
        else:
            axes.add_artist(text)  # crowded all around: better over another than nowhere
        taken.append(box)
