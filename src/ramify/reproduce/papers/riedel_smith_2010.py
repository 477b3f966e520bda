"""Riedel & Smith (2010), Relaxed Marginal Inference and its Application to Dependency Parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.inference import BeliefPropagation, Relax
from ramify.reproduce.page import Claim, Paper, Table, at_least, per_cent
from ramify.reproduce.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.data import Sentence
    from ramify.parsing import Parser
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale

__all__ = ["PAPER"]

_UNPRUNED = {"pruner.threshold": "0", "pruner.max-heads": "10000", "pruner.lengths": "false"}
_MANY = "1000000"
_DECODINGS = {
    "BP": {"inference.method": "belief-propagation", "inference.bp-iterations": "10"},
    "Rel(∞, 0.1, 50)": {"inference.relax-gain": "0.1", "inference.relax-rounds": _MANY},
    "Rel(∞, 0.0001, 5)": {"inference.relax-rounds": _MANY, "inference.bp-iterations": "5"},
    "Rel(∞, 0.0001, 50)": {"inference.relax-rounds": _MANY},
    "Rel(1, 0.0001, 50)": {"inference.relax-rounds": "1"},
}
_NUM_PROBED = 40
# Table 1: accuracy and seconds of full BP and of one round of relaxation; Table 2 is of Danish.
_THEIRS = {
    "BP": {"nl": "84.9, 1×", "da": "88.1, 1×", "en": "88.3, 1×", "it": "87.4, 1×"},
    "Rel(∞, 0.0001, 5)": {"nl": "85.0, 5.5×", "da": "88.1, 6.2×", "en": "88.2, 4.2×", "it": "87.4, 6.4×"},
    "Rel(∞, 0.0001, 50)": {"nl": "84.9, 5.5×", "da": "88.2, 6.1×", "en": "88.3, 3.3×", "it": "87.4, 6.3×"},
    "Rel(1, 0.0001, 50)": {"nl": "84.9, 11.1×", "da": "88.2, 13.1×", "en": "88.4, 6.9×", "it": "87.4, 12.7×"},
}
_THEIRS_2 = {
    "BP": ("100%", "—"),
    "Rel(∞, 0.1)": ("≈ 0%", "0.20"),
    "Rel(∞, 0.0001)": ("0.8%", "0.012"),
    "Rel(1, 0.0001)": ("0.8%", "0.015"),
    "pruned at 0.1": ("42%", "0.022"),
    "pruned at 0.5": ("22%", "0.098"),
}


def quality_of_subgraphs(parser: Parser, sentences: list[Sentence]) -> dict[str, Any]:
    """Measure, on unpruned graphs: share of the factors used and error of the marginals, against full BP."""
    parser = parser.with_options(_UNPRUNED)
    rows: dict[str, list[tuple[float, float, float]]] = {}
    for sentence in sentences[:_NUM_PROBED]:
        graph = parser.factor_graph(sentence, loose=True)
        full = graph.solve(BeliefPropagation(max_iterations=50))

        def add(name: str, result: Any, share: float, truth: Any = full) -> None:
            error = float(np.abs(result.marginals - truth.marginals).mean())
            largest = float(np.abs(result.marginals - truth.marginals).max())
            rows.setdefault(name, []).append((share, error, largest))

        for name, gain, rounds in (
            ("Rel(∞, 0.1)", 0.1, 100),
            ("Rel(∞, 0.0001)", 1e-4, 100),
            ("Rel(1, 0.0001)", 1e-4, 1),
        ):
            result = graph.solve(Relax(gain=gain, max_rounds=rounds))
            add(name, result, result.state.fraction)
        for limit in (0.1, 0.5):
            kept, share = _without_small(graph, limit)
            add(f"pruned at {limit}", kept, share)
    return {name: [float(x) for x in np.mean(values, axis=0)] for name, values in rows.items()}


def _without_small(graph: Any, limit: float) -> tuple[Any, float]:
    """Full BP on the graph without factors whose score is small."""
    from ramify.factors import Pair
    from ramify.graph import FactorGraph  # heavy to import at start-up

    smaller = FactorGraph()
    smaller.add_variables(len(graph.heads))
    kept = total = 0
    for factor in graph.graph.factors:
        if not isinstance(factor, Pair):
            smaller.add(factor)
            continue
        large = np.abs(factor.scores) >= limit
        kept, total = kept + int(large.sum()), total + len(large)
        variables = np.asarray(factor.variables).reshape(-1, 2)[large]
        if large.any():
            smaller.add(Pair(variables[:, 0], variables[:, 1], np.asarray(factor.scores)[large]))
    return smaller.solve(BeliefPropagation(max_iterations=50), graph.scores), kept / max(total, 1)


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    ways = {
        name: {"inference.method": "relax", "inference.bp-iterations": "50", **_UNPRUNED, **options}
        for name, options in _DECODINGS.items()
    }
    ways["BP, pruned candidates"] = dict(_DECODINGS["BP"])
    return [Trial(bank, "second order", PAPER.name, {}, ways, quality_of_subgraphs) for bank in banks]


def _tables(outcomes: Outcomes) -> list[Table]:
    languages = outcomes.languages
    rows = []
    for name in (*_DECODINGS, "BP, pruned candidates"):
        own = []
        for language in languages:
            outcome, full = (outcomes.get(language, "second order", which) for which in (name, "BP"))
            if outcome and full:
                own.append(f"{per_cent(outcome.uas)}, {full.seconds / outcome.seconds:.1f}×")
            else:
                own.append("")
        rows.append([name, *own, *(_THEIRS.get(name, {}).get(language, "") for language in ("nl", "da", "en", "it"))])
    tables = [
        Table(
            "Table 1: accuracy and speed",
            ["", *languages, *(f"paper: {language}" for language in ("nl", "da", "en", "it"))],
            rows,
            "UAS, and how many times faster than full BP; building the graph and scoring its parts, which both need, is part "
            "of our times. The last row is not in the paper: full BP on the candidates that our pruner leaves.",
        )
    ]
    for language in languages:
        probe = outcomes.probe(language, "second order")
        if not probe:
            continue
        cells = [
            [name, f"{100 * share:.1f}%", f"{error:.4f}", f"{largest:.3f}", *_THEIRS_2[name]]
            for name, (share, error, largest) in probe.items()
        ]
        columns = ["", "size", "mean error", "largest error", "paper (da): size", "paper (da): error"]
        tables.append(Table(f"Table 2: subgraphs, {language}", columns, cells))
    return tables


def _claims(outcomes: Outcomes) -> list[Claim]:
    full, relaxed = ("second order", "BP"), ("second order", "Rel(1, 0.0001, 50)")
    ratios = {}
    for language in outcomes.languages:
        one, other = outcomes.get(language, *full), outcomes.get(language, *relaxed)
        if one and other:
            ratios[language] = one.seconds / other.seconds
    shown = ", ".join(f"{language} {ratio:.1f}×" for language, ratio in ratios.items())
    return [
        at_least("One round of relaxation loses no accuracy", outcomes.compare(full, relaxed)),
        Claim("One round of relaxation is at least 7 times faster than full BP", min(ratios.values()) >= 7, shown),
    ]


PAPER = Paper(
    name="riedel-smith-2010",
    title="Riedel & Smith 2010: relaxed marginal inference",
    about="Full belief propagation on all second-order factors is slow, and most factors do not matter: start with the tree "
    "and the arcs, and add the factors whose gain, the divergence of the model with the factor from the one without, exceeds "
    "ε. Rel(R, ε, B) has R rounds and B iterations of BP in each. As in the paper candidates are not pruned.",
    quick=("en", "eu", "nl"),
    full=("nl", "da", "en", "it"),
    plan=_plan,
    tables=_tables,
    claims=_claims,
)
