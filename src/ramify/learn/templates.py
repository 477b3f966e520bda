"""Tables of a model's feature templates: what was kept, how large it is, and how much it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TemplateRow", "template_table"]


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
