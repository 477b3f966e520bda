"""Measure how much each group of feature templates contributes, by training parsers without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.reproduce.runs import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.reproduce.runs import Run
    from ramify.reproduce.treebanks import Treebank

__all__ = ["LANGUAGES", "plan", "table"]

LANGUAGES = ("en", "eu", "tr", "pt", "zh")
_SECOND = ("word", "pair", "lemma", "affix", "morphology", "around", "around-words", "between", "sibling", "grand")
_THIRD = ("grand-sibling", "tri-sibling")
_NUM_SENTENCES = 2000  # enough for differences to show, few enough to run all


def plan(banks: Iterable[Treebank]) -> list[Plan]:
    """Return what has to be run: the second order without each of its groups, the third without what it adds."""

    def runs(bank: Treebank, preset: str, groups: Iterable[str]) -> list[Plan]:
        return [
            Plan(bank, preset, group, {"model.without": group} if group else {}, _NUM_SENTENCES, on_dev=True)
            for group in ("", *groups)
        ]

    return [run for bank in banks for run in (*runs(bank, "second", _SECOND), *runs(bank, "third", _THIRD))]


def table(runs: Iterable[Run]) -> str:
    """Return the runs as a Markdown table with a row per group: LAS with all groups, and the change without each."""
    by_key = {run.key: run for run in runs}
    banks = {run.name: run.language for run in by_key.values()}
    lines = ["| without | " + " | ".join(banks.values()) + " | mean |", "| --- |" + " --: |" * (len(banks) + 1)]
    for preset, groups in (("second", _SECOND), ("third", _THIRD)):
        for group in ("", *groups):
            values = [_value(by_key, name, preset, group) for name in banks]
            known = [value for value in values if value is not None]
            mean = sum(known) / len(known) if len(known) == len(values) else None
            name = group or f"nothing, {preset} order"
            shown = (_show(value, signed=bool(group)) for value in (*values, mean))
            lines.append(f"| {name} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def _value(by_key: dict[tuple[str, str, str], Run], name: str, preset: str, group: str) -> float | None:
    run, whole = by_key.get((name, preset, group)), by_key.get((name, preset, ""))
    if run is None or whole is None:
        return None
    return 100 * (run.las - whole.las) if group else 100 * run.las


def _show(value: float | None, *, signed: bool) -> str:
    if value is None:
        return ""
    return f"{value:+.2f}" if signed else f"{value:.2f}"
