"""The parsing experiments of Martins et al. (2011, structured sparsity): Figure 3 and Table 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.evaluation import compare_counts
from ramify.parsing.template_groups import group_table, share_mark
from ramify.reproduce.arcs import ArcStudy
from ramify.reproduce.page import Claim, Table, p_text
from ramify.reproduce.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes

__all__ = ["LANGUAGES", "claims", "curves", "groups", "plan", "tables"]

LANGUAGES = ("ar", "da", "ja", "sl", "es", "tr")
_ALL, _HAND, _GROUP, _FINE, _GAIN, _LASSO = (
    "all of the pool",
    "standard table",
    "group lasso",
    "coarse-to-fine",
    "information gain",
    "lasso",
)
_BUDGETS = (400, 300, 200)
_C = ("0.1", "1", "10")
_WHY_FINE = (
    "coarse-to-fine keeps fewer templates than its budget allows, because the weights of a template shrink with every "
    "group that contains it. With these few sentences, models with fewer features are often better."
)
_SELECT = {
    "select.pool": "arc: pool",
    "select.group-weight": "log2",
    "select.every": "100",
    "training.max-weights": "16000000",
}
_PATH = {**_SELECT, "select.path": ",".join(map(str, _BUDGETS))}


def _studies() -> dict[str, ArcStudy]:
    """Return all that is trained on a treebank, by name."""
    studies = {
        _HAND: ArcStudy({}),
        _ALL: ArcStudy({"model.templates": "arc: pool", "training.max-weights": "16000000"}),
        _GROUP: ArcStudy(_PATH),
        _FINE: ArcStudy({**_PATH, "select.regularizer": "coarse-to-fine"}),
        _GAIN: ArcStudy({**_PATH, "select.regularizer": "information-gain"}),
    }
    for c in _C:
        lasso = {"select.regularizer": "lasso", "select.strength": c}
        studies[f"{_LASSO}, C = {c}"] = ArcStudy({**_SELECT, **lasso})
    return studies


def plan(bank: Treebank, *, quick: bool) -> list[Trial]:
    """Return the trials of a treebank."""
    skipped = {f"{_LASSO}, C = {c}" for c in _C[:-1]} if quick else set()
    return [Trial(bank, name, "first", study=study) for name, study in _studies().items() if name not in skipped]


def _found(outcomes: Outcomes) -> dict[str, dict[str, Any]]:
    """Return what was measured of each way, by language and name."""
    found = {
        language: {name: probe for name in _studies() if (probe := outcomes.probe(language, name))}
        for language in LANGUAGES
    }
    return {language: probes for language, probes in found.items() if probes}


def _uas(point: Mapping[str, Any]) -> float:
    right, words, _ = np.sum(point["counts"], axis=0)
    return float(right / words)


def _at(probe: Mapping[str, Any], budget: int) -> dict[str, Any] | None:
    return next((point for point in probe["points"] if point["budget"] == budget), None)


def curves(outcomes: Outcomes) -> dict[str, dict[str, list[tuple[float, float]]]]:
    """Return number of features and UAS in per cent of each point, by language and way of selecting."""
    drawn: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for language, probes in _found(outcomes).items():
        ways = drawn.setdefault(language, {})
        for name, probe in probes.items():
            way = name.partition(",")[0]
            ways.setdefault(way, []).extend((point["weights"], 100 * _uas(point)) for point in probe["points"])
        for points in ways.values():
            points.sort()
    return drawn


def groups(outcomes: Outcomes) -> dict[str, dict[str, float]]:
    """Return which share of each group of templates the group lasso keeps at the smallest budget, by language."""
    pools, kept = {}, {}
    for language, probes in _found(outcomes).items():
        if _ALL in probes and _GROUP in probes:
            pools[language] = probes[_ALL]["points"][0]["templates"]
            kept[language] = probes[_GROUP]["points"][-1]["templates"]
    return group_table(pools, kept)


def tables(outcomes: Outcomes) -> list[Table]:
    """Return Figure 3 and Table 3 as tables."""
    found = _found(outcomes)
    if not found:
        return []
    rows: list[list[str]] = []
    for name in _studies():
        probes = [probes.get(name) for probes in found.values()]
        length = max((len(probe["points"]) for probe in probes if probe), default=0)
        for i in range(length):
            budget = next(probe["points"][i]["budget"] for probe in probes if probe)
            cells = [_cell(probe["points"][i]) if probe else "" for probe in probes]
            rows.append([f"{name}, B = {budget}" if budget else name, *cells])
    first = Table(
        "Figure 3: arcs, as a table",
        ["", *found],
        rows,
        "The cells show UAS on test, and thousands of features with weights. The rows are all templates of the pool, "
        "those of the hand-written table, and those that were selected; the lasso selects features instead.",
    )
    shares = groups(outcomes)
    marks = [
        [group, *(f"{share_mark(row.get(one, 0.0))} {100 * row.get(one, 0.0):.0f}%".strip() for one in found)]
        for group, row in shares.items()
    ]
    second = Table(
        "Table 3: templates by what they see",
        ["", *found],
        marks,
        f"The cells show the share of the pool's templates that the group lasso keeps at budget {_BUDGETS[-1]}; ++ "
        "means most and + means some. A template may be in several rows, and all templates contain the direction of "
        "the arc.",
    )
    return [first, *([second] if marks else [])]


def _cell(point: Mapping[str, Any]) -> str:
    return f"{100 * _uas(point):.2f}, {point['weights'] / 1e3:,.0f}k"


def _counts(points: Iterable[Mapping[str, Any]]) -> np.ndarray[Any, Any]:
    return np.concatenate([np.array(point["counts"]) for point in points])


def claims(outcomes: Outcomes) -> list[Claim]:
    """Return what the paper says of parsing, at equal budgets, all three together."""
    found = _found(outcomes)
    if not found:
        return []
    made = [
        _comparison("Arcs: group lasso ≥ information gain at equal budgets, in all languages but one", _GAIN, found),
        _comparison(
            "Arcs: group lasso ≥ coarse-to-fine at equal budgets, in all languages but one", _FINE, found, _WHY_FINE
        ),
    ]
    return [claim for claim in [*made, _cost(found)] if claim]


def _cost(found: Mapping[str, Mapping[str, Any]]) -> Claim | None:
    """Return the claim that a selection with its path and training costs little more than training with the pool."""
    seconds = {
        language: [probes[name]["points"][0]["seconds"] for name in (_GROUP, _ALL)]
        for language, probes in found.items()
        if _GROUP in probes and _ALL in probes
    }
    if not seconds:
        return None
    selected, every = np.sum(list(seconds.values()), axis=0)
    return Claim(
        "Arcs: selecting along the path, and training with the first budget, costs ≤ 1.5 times training with all",
        bool(selected <= 1.5 * every),
        f"{selected / every:.2f} times the processor's time",
    )


def _comparison(text: str, other: str, found: Mapping[str, Mapping[str, Any]], why: str = "") -> Claim | None:
    """Return the claim that group lasso is at least as good in all languages but one, UAS summed over the budgets."""
    wins, evidence = 0, []
    compared: list[str] = []
    for language, probes in found.items():
        if _GROUP not in probes or other not in probes:
            continue
        budgets = [budget for budget in _BUDGETS if _at(probes[_GROUP], budget) and _at(probes[other], budget)]
        pair = [_counts(point for b in budgets if (point := _at(probes[name], b))) for name in (other, _GROUP)]
        test = compare_counts(pair[0], pair[1], metric="UAS", samples=2000)
        wins += test.difference.value >= 0
        compared.append(language)
        evidence.append(f"{language} {100 * test.difference.value:+.2f} ({p_text(test.p_value)})")
    if not compared:
        return None
    return Claim(text, wins >= len(compared) - 1, f"{wins} of {len(compared)}: {', '.join(evidence)}", why)
