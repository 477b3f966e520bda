"""Pictures of selections: which template enters a model at which budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.errors import InvalidInputError
from ramify.reproduce import pictures

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from matplotlib.axes import Axes

__all__ = ["check_plot", "draw_groups", "draw_path", "entries"]

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
    if not facts.get("selection", {}).get("path"):
        raise InvalidInputError("--plot expects a model whose templates were selected: train it with --select.path.")
    pictures.check_plot(path)


def draw_path(facts: Mapping[str, Any], path: Path) -> None:
    """Draw which template enters at which budget as SVG; needs matplotlib.

    Parameters
    ----------
    facts : of a model's card
    path : file to write
    """
    check_plot(path, facts)
    rows = entries(facts["selection"])
    budgets = sorted({budget for own in rows.values() for budget in own})

    def draw(axes: Axes) -> None:
        for place, own in enumerate(rows.values()):
            columns = [budgets.index(budget) for budget in own]
            axes.plot(columns, [place] * len(columns), color="C0", marker="o", markersize=3, linewidth=1)
        axes.set_xticks(range(len(budgets)), [str(budget or "none") for budget in budgets])
        axes.set_yticks(range(len(rows)), list(rows))
        axes.set(xlabel="budget: templates that may be left", xlim=(-0.5, len(budgets) - 0.5), ylim=(len(rows), -1))

    pictures.draw_one(draw, (3 + 0.5 * len(budgets), 1 + _ROW * len(rows)), path)


def draw_groups(counts: Mapping[str, Mapping[str, int]], path: Path) -> None:
    """Draw how many templates of each group some models have, as SVG; needs matplotlib.

    Parameters
    ----------
    counts : by group and by the name of the model
    path : file to write
    """
    models = list(next(iter(counts.values()), {}))
    totals = {model: max(1, *(row[model] for row in counts.values())) for model in models}
    shares = {group: {model: n / totals[model] for model, n in row.items()} for group, row in counts.items()}
    size = (3 + 0.6 * len(models), 1 + _ROW * len(counts))
    pictures.draw_one(lambda axes: pictures.draw_shares(axes, shares), size, path)
