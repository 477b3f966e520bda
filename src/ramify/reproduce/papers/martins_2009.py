"""Martins, Smith & Xing (2009), Concise Integer Linear Programming Formulations for Dependency Parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.reproduce.page import Claim, Paper, Table, at_least, better, per_cent
from ramify.reproduce.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale

__all__ = ["PAPER"]

_MODELS = {
    "arc-factored": {"model.parts": ""},
    "siblings and grandparents": {"model.parts": "any-sibling,grand"},
    "and consecutive siblings": {"model.parts": "any-sibling,sibling,grand"},
    "and crossing arcs": {"model.parts": "any-sibling,sibling,grand,no-cross"},
    "projective": {"model.parts": "any-sibling,sibling,grand", "model.tree": "projective"},
}
_DECODINGS = {
    "exact": {"inference.method": "ilp"},
    "relaxed": {"inference.method": "lp"},
}


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    return [Trial(bank, name, PAPER.name, options, _DECODINGS) for bank in banks for name, options in _MODELS.items()]


def _tables(outcomes: Outcomes) -> list[Table]:
    rows = []
    for name in _MODELS:
        for decoding in _DECODINGS:
            found = [outcomes.get(language, name, decoding) for language in outcomes.languages]
            cells = (f"{per_cent(o.uas)}, {100 * o.certified:.0f}%" if o else "" for o in found)
            rows.append([f"{name}, {decoding}", *cells])
    return [
        Table(
            "Table 1: models, exact and relaxed",
            ["", *outcomes.languages],
            rows,
            "UAS, and share of the sentences proved optimal. A relaxed solution that is fractional is projected onto the trees.",
        )
    ]


def _claims(outcomes: Outcomes) -> list[Claim]:
    base, second = ("arc-factored", "exact"), ("siblings and grandparents", "exact")
    exact, relaxed = (("and consecutive siblings", decoding) for decoding in _DECODINGS)
    shares = [outcomes.get(language, *relaxed) for language in outcomes.languages]
    integral = float(np.mean([outcome.certified for outcome in shares if outcome]))
    return [
        better("Siblings and grandparents improve arcs alone", outcomes.compare(base, second)),
        at_least("Relaxed decoding is as good as exact decoding", outcomes.compare(exact, relaxed)),
        Claim("Most relaxed solutions are integral", integral > 0.5, f"{100 * integral:.1f}% of the sentences"),
    ]


PAPER = Paper(
    name="martins-2009",
    title="Martins et al. 2009: concise integer programs",
    about="Parsing as an integer program of polynomial size, with features that are no arcs, solved exactly or relaxed to a linear "
    "program whose solution is projected. Decoding is by HiGHS with lazily separated cuts for the tree; training, where the "
    "relaxation is solved for every sentence, by AD3, which has the same optimum.",
    quick=("en", "eu", "nl"),
    full=("da", "nl", "pt", "sv", "tr", "en"),
    plan=_plan,
    tables=_tables,
    claims=_claims,
    left="Valency indicators, and non-projective arcs by multi-commodity flows (crossing arcs stand in for them).",
)
