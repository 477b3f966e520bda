"""Pictures of selections: which template enters a model at which budget."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ramify.atomic import replacing_file
from ramify.errors import InvalidInputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["check_plot", "draw_path", "entries"]

_ROW = 0.17  # height of a template, in inches


def entries(selection: Mapping[str, Any]) -> dict[str, list[int]]:
    """Return for each template the budgets at which the model has it, the templates of the smallest budget first.

    Examples
    --------
    >>> entries({"path": [{"budget": 2, "templates": ["w[0]", "x[0]"]}, {"budget": 1, "templates": ["x[0]"]}]})
    {'x[0]': [1, 2], 'w[0]': [2]}
    """
    found: dict[str, list[int]] = {}
    for step in reversed(selection["path"]):
        for name in step["templates"]:
            found.setdefault(name, []).append(step["budget"])
    return found


def check_plot(path: Path, facts: Mapping[str, Any]) -> None:
    """Raise the errors that `draw_path` would raise."""
    if path.suffix.lower() != ".svg":
        raise InvalidInputError(f"--plot writes .svg files; got {str(path)!r}.")
    if not facts.get("selection", {}).get("path"):
        raise InvalidInputError("--plot expects a model whose templates were selected: train it with --select.path.")
    if find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "--plot")


def draw_path(facts: Mapping[str, Any], path: Path) -> None:
    """Draw which template enters at which budget as SVG; needs matplotlib.

    Parameters
    ----------
    facts : of a model's card
    path : file to write
    """
    check_plot(path, facts)
    import matplotlib
    from matplotlib.figure import Figure

    rows = entries(facts["selection"])
    budgets = sorted({budget for own in rows.values() for budget in own})
    with matplotlib.rc_context({"svg.hashsalt": "ramify", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(3 + 0.5 * len(budgets), 1 + _ROW * len(rows)), layout="constrained")
        axes = figure.subplots()
        for place, own in enumerate(rows.values()):
            columns = [budgets.index(budget) for budget in own]
            axes.plot(columns, [place] * len(columns), color="C0", marker="o", markersize=3, linewidth=1)
        axes.set_xticks(range(len(budgets)), [str(budget or "none") for budget in budgets])
        axes.set_yticks(range(len(rows)), list(rows))
        axes.set(xlabel="budget: templates that may be left", xlim=(-0.5, len(budgets) - 0.5), ylim=(len(rows), -1))
        with replacing_file(path) as file:
            figure.savefig(file, format="svg", metadata={"Date": None})
