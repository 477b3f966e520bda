"""The parser on many treebanks: first, second and third order, and projective against non-projective trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.reproduce.runs import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.reproduce.runs import Run
    from ramify.reproduce.treebanks import Treebank

__all__ = ["plan", "table"]

_ORDERS = ("first", "second", "third")
_NON_PROJECTIVE = ("eu", "hu", "nl")  # languages in which it should matter
_COLUMNS = [(order, "") for order in _ORDERS] + [("second", "projective")]


def plan(banks: Iterable[Treebank]) -> list[Plan]:
    """Return what has to be run: every treebank at every order, and projective trees where they may hurt."""
    banks = list(banks)
    return [Plan(bank, order) for bank in banks for order in _ORDERS] + [
        Plan(bank, "second", "projective", {"model.tree": "projective"})
        for bank in banks
        if bank.language in _NON_PROJECTIVE
    ]


def table(runs: Iterable[Run]) -> str:
    """Return the runs as a Markdown table with a row for each treebank: UAS / LAS in per cent."""
    by_key = {run.key: run for run in runs}
    names = list(dict.fromkeys(name for name, _, _ in by_key))
    lines = ["| treebank | first | second | third | second, projective |", "| --- | --: | --: | --: | --: |"]
    rows = {name: [by_key.get((name, *column)) for column in _COLUMNS] for name in names}
    lines += [f"| {name} | " + " | ".join(_cell(run) for run in row) + " |" for name, row in rows.items()]
    columns = [[row[i] for row in rows.values() if all(row[:3])] for i in range(3)]
    if columns[0]:
        means = (_mean([run for run in column if run]) for column in columns)
        lines.append(f"| mean of {len(columns[0])} | " + " | ".join(means) + " | |")
    return "\n".join(lines)


def _cell(run: Run | None) -> str:
    return "" if run is None else run.scores


def _mean(runs: list[Run]) -> str:
    uas = sum(run.uas for run in runs) / len(runs)
    las = sum(run.las for run in runs) / len(runs)
    return f"{100 * uas:.2f} / {100 * las:.2f}"
