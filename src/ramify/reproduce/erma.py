"""Compare losses for the default parser: those through belief propagation, and its own.

Losses and numbers of iterations are chosen on dev of a few treebanks; what is best there is tested on all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.reproduce.runs import Plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ramify.reproduce.runs import Run
    from ramify.reproduce.treebanks import Treebank

__all__ = ["CHOICES", "CHOSEN", "DEFAULT", "plan", "table"]

_PRESET = "second"
_ON_DEV = ("en", "eu")
_NUM_SENTENCES = 2000
DEFAULT = "SVM, AD3"


_MBR = {"inference.method": "belief-propagation"}


def _through_beliefs(loss: str, iterations: int) -> dict[str, str]:
    return {
        "training.loss": loss,
        "training.optimizer": "adagrad",
        "training.rate": "0.02",
        "training.label-cost": "2",
        "inference.bp-iterations": str(iterations),
    }


_LIKELY = {"training.beta": "1", "training.gamma": "0", "training.optimizer": "adagrad", "training.rate": "0.03"}
_MARGIN = {"training.beta": "3", "training.max-step": "0.05", "inference.bp-iterations": "4"}
# Decoded from beliefs (MBR), or the best tree by AD3.
CHOICES: Mapping[str, Mapping[str, str]] = {
    DEFAULT: {},
    "CLL, 4 iterations, MBR": {**_LIKELY, **_MBR, "inference.bp-iterations": "4"},
    "β = 3, γ = 1, 4 iterations, MBR": {**_MARGIN, **_MBR},
    "β = 3, γ = 1, 4 iterations, best tree": _MARGIN,
    "L2, 2 iterations, MBR": {**_through_beliefs("l2", 2), **_MBR},
    "L2, 2 iterations, best tree": _through_beliefs("l2", 2),
    "L2+AR, 2 iterations, MBR": {**_through_beliefs("l2-risk", 2), **_MBR},
}
CHOSEN = "β = 3, γ = 1, 4 iterations, best tree"


def plan(banks: Iterable[Treebank]) -> list[Plan]:
    """Return what has to be run: all choices on dev of some treebanks, then the chosen one and the default on test."""
    banks = list(banks)
    on_dev = [
        Plan(bank, _PRESET, f"{name}, dev", options, _NUM_SENTENCES, on_dev=True)
        for bank in banks
        if bank.language in _ON_DEV
        for name, options in CHOICES.items()
    ]
    return on_dev + [Plan(bank, _PRESET, name, CHOICES[name]) for bank in banks for name in (DEFAULT, CHOSEN)]


def table(runs: Iterable[Run]) -> str:
    """Return two Markdown tables: choices on dev, with their speeds; default and chosen parser on test."""
    by_key = {run.key: run for run in runs}
    on_dev = [run for run in by_key.values() if run.variant.endswith(", dev")]
    names = list(dict.fromkeys(run.name for run in on_dev))
    lines = [f"| dev, {_NUM_SENTENCES:,} sentences | " + " | ".join(names) + " |", "| --- |" + " --: |" * len(names)]
    for choice in CHOICES:
        cells = (_cell(by_key.get((name, _PRESET, f"{choice}, dev")), speed=True) for name in names)
        lines.append(f"| {choice} | " + " | ".join(cells) + " |")
    lines += ["", f"| test | {DEFAULT} | {CHOSEN} | difference |", "| --- | --: | --: | --: |"]
    tested = list(dict.fromkeys(run.name for run in by_key.values() if run not in on_dev))
    pairs = []
    for name in tested:
        pair = [by_key.get((name, _PRESET, variant)) for variant in (DEFAULT, CHOSEN)]
        lines.append(f"| {name} | {_cell(pair[0])} | {_cell(pair[1])} | {_difference(pair)} |")
        if all(pair):
            pairs.append([(run.uas, run.las) for run in pair if run])
    if pairs:
        means = [[100 * sum(pair[i][j] for pair in pairs) / len(pairs) for j in range(2)] for i in range(2)]
        shown = [f"{uas:.2f} / {las:.2f}" for uas, las in means]
        difference = " / ".join(f"{b - a:+.2f}" for a, b in zip(*means, strict=True))
        lines.append(f"| mean of {len(pairs)} | {shown[0]} | {shown[1]} | {difference} |")
    return "\n".join(lines)


def _cell(run: Run | None, *, speed: bool = False) -> str:
    if run is None:
        return ""
    return run.scores + (f", {run.tokens_per_second:,.0f}" if speed else "")


def _difference(pair: list[Run | None]) -> str:
    first, second = pair
    if first is None or second is None:
        return ""
    return f"{100 * (second.uas - first.uas):+.2f} / {100 * (second.las - first.las):+.2f}"
