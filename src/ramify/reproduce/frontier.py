"""Speed against accuracy: every preset on two treebanks, and which of them nothing beats in both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.atomic import replacing_file
from ramify.errors import MissingExtraError
from ramify.reproduce.runs import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ramify.reproduce.runs import Run
    from ramify.reproduce.treebanks import Treebank

__all__ = ["LANGUAGES", "best", "draw", "plan", "table"]

LANGUAGES = ("en", "eu")
_NUM_SENTENCES = 2000
# HiGHS would take a day for the test files; the best trees are the same.
_OPTIONS = {"martins-2009": {"inference.method": "exact"}}
_PRESETS = (
    *("first", "second", "third"),
    *("smith-eisner-2008", "martins-2009", "martins-2010", "riedel-smith-2010"),
    *("martins-2011", "martins-2013", "gormley-2015"),
)


def plan(banks: Iterable[Treebank]) -> list[Plan]:
    """Return what has to be run."""
    return [Plan(bank, preset, "", _OPTIONS.get(preset, {}), _NUM_SENTENCES) for bank in banks for preset in _PRESETS]


def best(runs: Iterable[Run]) -> list[Run]:
    """Return the runs of one treebank than which none is both faster and more accurate, fastest first."""
    out: list[Run] = []
    for run in sorted(runs, key=lambda run: (-run.tokens_per_second, -run.las)):
        if not out or run.las > out[-1].las:
            out.append(run)
    return out


def _by_bank(runs: Iterable[Run]) -> dict[str, list[Run]]:
    out: dict[str, list[Run]] = {}
    for run in runs:
        out.setdefault(run.name, []).append(run)
    return out


def table(runs: Iterable[Run]) -> str:
    """Return a Markdown table, a preset a row; those of the frontier in bold."""
    banks = _by_bank(runs)
    frontiers = {name: {run.preset for run in best(some)} for name, some in banks.items()}
    lines = ["| preset | " + " | ".join(banks) + " |", "| --- |" + " --: |" * len(banks)]
    for preset in dict.fromkeys(run.preset for some in banks.values() for run in some):
        cells = []
        for name, some in banks.items():
            run = next((run for run in some if run.preset == preset), None)
            cell = "" if run is None else f"{100 * run.las:.2f}, {run.tokens_per_second:,.0f}"
            cells.append(f"**{cell}**" if preset in frontiers[name] else cell)
        lines.append(f"| `{preset}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(runs: Iterable[Run], path: Path) -> None:
    """Draw LAS against tokens a second, one panel a treebank, as SVG; needs matplotlib."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot", "--plot") from error
    banks = _by_bank(runs)
    with matplotlib.rc_context({"svg.hashsalt": "ramify", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(5.2 * len(banks), 4.2), layout="constrained")
        panels = figure.subplots(1, len(banks), squeeze=False)[0]
        for axes, (name, some) in zip(panels, banks.items(), strict=True):
            line = best(some)
            axes.plot([run.tokens_per_second for run in line], [100 * run.las for run in line], color="0.7", zorder=1)
            for run in some:
                place = (run.tokens_per_second, 100 * run.las)
                axes.scatter(*place, color="C0" if run in line else "C1", zorder=2)
                axes.annotate(run.preset, place, xytext=(4, 4), textcoords="offset points", fontsize=7)
            axes.set(xscale="log", xlabel="tokens a second, one core", ylabel="LAS", title=name)
            axes.margins(x=0.2, y=0.1)
        with replacing_file(path) as file:
            figure.savefig(file, format="svg", metadata={"Date": None})
