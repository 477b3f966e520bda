"""Martins, Smith, Aguiar & Figueiredo (2011), Dual Decomposition with Many Overlapping Components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.inference import AD3, ILP, LP
from ramify.reproduce.page import Claim, Paper, Table, per_cent
from ramify.reproduce.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.data import Sentence
    from ramify.parsing import Parser
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale

__all__ = ["PAPER"]

_LIMITS = (10, 20, 50, 100, 200, 500)
_PARTS = {"second order": "any-sibling,grand", "full": "any-sibling,sibling,grand,head-bigram"}
_NUM_PROBED = 40


def by_sentence(parser: Parser, sentences: list[Sentence]) -> dict[str, Any]:
    """Measure AD3 against HiGHS on the same graphs: seconds by length, and how much work is left as iterations go."""
    rows = []
    for sentence in sentences[:_NUM_PROBED]:
        graph = parser.factor_graph(sentence)
        ours, linear, integer = (graph.solve(method) for method in (AD3(), LP(), ILP()))
        rows.append([len(sentence), ours.seconds, linear.seconds, integer.seconds, linear.value - ours.bound])
    return {"sentences": rows}


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    ways = {}
    for limit in _LIMITS:
        for method in ("ad3", "subgradient"):
            ways[f"{method} {limit}"] = {"inference.method": method, "inference.max-iterations": str(limit)}
    ways["exact"] = {"inference.method": "exact"}
    return [
        Trial(bank, name, PAPER.name, {"model.parts": parts}, ways, by_sentence if name == "full" else None)
        for bank in banks
        for name, parts in _PARTS.items()
    ]


def _tables(outcomes: Outcomes) -> list[Table]:
    tables = []
    for name in _PARTS:
        rows = []
        for language in outcomes.languages:
            for method in ("ad3", "subgradient"):
                found = [outcomes.get(language, name, f"{method} {limit}") for limit in _LIMITS]
                cells = (f"{per_cent(o.uas)}, {100 * o.certified:.0f}%" if o else "" for o in found)
                rows.append([f"{language}, {method}", *cells])
        tables.append(
            Table(
                f"Figure 2: {name}",
                ["", *(f"{limit} iterations" for limit in _LIMITS)],
                rows,
                "UAS, and share certified.",
            )
        )
    rows = []
    for language in outcomes.languages:
        probe = outcomes.probe(language, "full")
        if not probe:
            continue
        table = np.array(probe["sentences"])
        for low, high in ((1, 10), (11, 20), (21, 40)):
            part = table[(table[:, 0] >= low) & (table[:, 0] <= high)]
            if len(part):
                seconds = np.median(part[:, 1:4], axis=0)
                rows.append([f"{language}, {low}–{high} words", *(f"{1e3 * s:.2f}" for s in seconds)])
    tables.append(
        Table(
            "Figure 3: AD3 and a general solver", ["", "AD3", "HiGHS, LP", "HiGHS, ILP"], rows, "Median milliseconds."
        )
    )
    return tables


def _claims(outcomes: Outcomes) -> list[Claim]:
    claims = []
    for limit in (50, 200):
        shares = {
            method: _mean([outcomes.get(language, "full", f"{method} {limit}") for language in outcomes.languages])
            for method in ("ad3", "subgradient")
        }
        evidence = f"AD3 {100 * shares['ad3']:.1f}%, subgradient {100 * shares['subgradient']:.1f}%"
        claims.append(
            Claim(
                f"AD3 certifies at least 90% of the sentences within {limit} iterations, subgradient steps fewer",
                shares["ad3"] >= 0.9 and shares["subgradient"] < shares["ad3"],
                evidence,
            )
        )
    return claims


def _mean(outcomes: list[Any]) -> float:
    return float(np.mean([outcome.certified for outcome in outcomes if outcome]))


PAPER = Paper(
    name="martins-2011",
    title="Martins et al. 2011: dual decomposition with many components",
    about="AD3 (there called DD-ADMM) splits the problem into many small components that have to agree, where subgradient "
    "methods need few large ones. The full model has all pairs of siblings, consecutive siblings, grandparents and head "
    "bigrams. Our TREE is one component, which is solved by active sets; in the paper it is made of flows.",
    quick=("en", "eu", "nl"),
    full=("en", "da", "nl", "pt", "sv", "tr"),
    plan=_plan,
    tables=_tables,
    claims=_claims,
    left="Directed paths and non-projective arcs as parts of the full model.",
)
