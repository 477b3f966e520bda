"""Tables of a model's feature templates: what was kept, how large it is, and how much it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = [
    "TemplateRow",
    "group_count_table",
    "group_counts",
    "selection_note",
    "template_rows",
    "template_table",
]


@dataclass(frozen=True)
class TemplateRow:
    """A template of a model.

    Attributes
    ----------
    name : as users write it
    weights : number of its weights
    norm : root of the sum of their squares
    share : of all scores that the model gave to some text, in absolute value; None: not measured
    """

    name: str
    weights: int
    norm: float
    share: float | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the row for JSON."""
        return {"name": self.name, "weights": self.weights, "norm": self.norm, "share": self.share}


def template_table(rows: Sequence[TemplateRow]) -> str:
    """Return a table in Markdown, the template with the largest norm first.

    Examples
    --------
    >>> print(template_table([TemplateRow("w[0]", 1200, 3.0, 0.25), TemplateRow("pos[0]", 40, 6.0, 0.75)]))
    | template | weights | norm | share of the score |
    | --- | --: | --: | --: |
    | pos[0] | 40 | 6.00 | 75.0% |
    | w[0] | 1,200 | 3.00 | 25.0% |
    """
    lines = ["| template | weights | norm | share of the score |", "| --- | --: | --: | --: |"]
    for row in sorted(rows, key=lambda row: -row.norm):
        share = "" if row.share is None else f"{100 * row.share:.1f}%"
        name = row.name.replace("|", "\\|")
        lines.append(f"| {name} | {row.weights:,} | {row.norm:.2f} | {share} |")
    return "\n".join(lines)


def template_rows(facts: Mapping[str, Any]) -> list[TemplateRow]:
    """Return the templates that the facts of a model's card list.

    Raises
    ------
    InvalidInputError
        The model has no list of templates.
    """
    if "templates" not in facts:
        raise InvalidInputError(
            "--templates expects a parser or a tagger that was trained by this version of ramify or a later one; the "
            "model has no list of templates."
        )
    return [TemplateRow(*row) for row in facts["templates"]]


def group_counts(
    models: Mapping[str, Sequence[TemplateRow]], groups_of: Callable[[str], Iterable[str]]
) -> dict[str, dict[str, int]]:
    """Return how many templates of each group a model has, by group and by the name of the model.

    Parameters
    ----------
    models : their templates
    groups_of : returns the groups of a template

    Examples
    --------
    >>> rows = [TemplateRow("w[0]", 5, 1.0), TemplateRow("w[1]", 5, 1.0)]
    >>> group_counts({"a": rows, "b": rows[:1]}, lambda name: [name[0]])
    {'w': {'a': 2, 'b': 1}}
    """
    counts: dict[str, dict[str, int]] = {}
    for name, rows in models.items():
        for row in rows:
            for group in groups_of(row.name):
                counts.setdefault(group, dict.fromkeys(models, 0))[name] += 1
    return dict(sorted(counts.items()))


def group_count_table(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Return what `group_counts` found as a table in Markdown: a row for each group, a column for each model.

    Examples
    --------
    >>> print(group_count_table({"w": {"a": 2, "b": 1}}))
    | templates that see | a | b |
    | --- | --: | --: |
    | w | 2 | 1 |
    """
    models = list(next(iter(counts.values()), {}))
    lines = ["| templates that see | " + " | ".join(models) + " |", "| --- |" + " --: |" * len(models)]
    return "\n".join(lines + [f"| {' | '.join([group, *map(str, row.values())])} |" for group, row in counts.items()])


def selection_note(facts: Mapping[str, Any]) -> str:
    """Return what budgets the templates were selected with; nothing if all of a list are used.

    Examples
    --------
    >>> step = {"budget": 2, "weights": 900, "templates": ["a", "b"]}
    >>> selection_note({"selection": {"pool": 96, "regularizer": "group", "path": [step]}})
    'selected from 96 templates by group: 2 left at budget 2 (900 weights)'
    """
    selection = facts.get("selection")
    if not selection:
        return ""
    steps = [
        f"{len(step['templates'])} left at budget {step['budget'] or 'none'} ({step['weights']:,} weights)"
        for step in selection["path"]
    ]
    return f"selected from {selection['pool']} templates by {selection['regularizer']}: {', '.join(steps)}"
