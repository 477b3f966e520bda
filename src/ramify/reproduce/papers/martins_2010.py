"""Martins, Smith, Xing, Aguiar & Figueiredo (2010), Turbo Parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.reproduce.page import Claim, Paper, Table, at_least, better, per_cent
from ramify.reproduce.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale

__all__ = ["PAPER"]

_GRID = (("1", "0"), ("1", "1"), ("1", "3"), ("1", "5"), ("3", "1"), ("5", "1"), ("inf", "1"))
_THEIRS = {
    "arcs": ("90.15", "90.41", "90.38", "90.53", "90.80", "90.83", "90.66"),
    "second order": ("91.08", "91.85", "91.89", "91.51", "92.04", "91.98", "91.79"),
}
_PARTS = {"arcs": "", "second order": "any-sibling,grand"}


def _name(order: str, beta: str, gamma: str) -> str:
    return f"{order}, β = {'∞' if beta == 'inf' else beta}, γ = {gamma}"


def _loss(beta: str, gamma: str) -> dict[str, str]:
    method, step = ("ad3", "0.01") if beta == "inf" else ("belief-propagation", "0.05")
    options = {"training.beta": beta, "training.gamma": gamma, "training.max-step": step}
    return {**options, "inference.method": method}


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    trials = []
    for bank in banks:
        for order, parts in _PARTS.items():
            for beta, gamma in _GRID:
                options = {"model.parts": parts, **_loss(beta, gamma)}
                trials.append(Trial(bank, _name(order, beta, gamma), PAPER.name, options))
        supported = {"model.parts": _PARTS["second order"], **_loss("inf", "1"), "training.features": "supported"}
        trials.append(Trial(bank, "supported", PAPER.name, supported))
    return trials


def _tables(outcomes: Outcomes) -> list[Table]:
    losses = [f"β = {'∞' if beta == 'inf' else beta}, γ = {gamma}" for beta, gamma in _GRID]
    rows = []
    for order, theirs in _THEIRS.items():
        for language in outcomes.languages:
            found = (outcomes.get(language, _name(order, *loss)) for loss in _GRID)
            rows.append([f"{order}, {language}", *(per_cent(outcome.uas if outcome else None) for outcome in found)])
        rows.append([f"{order}, paper (en)", *theirs])
    features = []
    for language in outcomes.languages:
        pair = (outcomes.get(language, name) for name in (_name("second order", "inf", "1"), "supported"))
        features.append([language, *(per_cent(outcome.uas if outcome else None) for outcome in pair)])
    return [
        Table(
            "Tables 2 and 3: losses from the CRF to the SVM",
            ["", *losses],
            rows,
            "UAS. (1, 0) is the CRF and (1, 1) softmax-margin, both by belief propagation and decoded from "
            "marginals; (∞, 1) is the SVM by AD3, which solves the same linear program as their CPLEX.",
        ),
        Table(
            "Features",
            ["", "complete", "supported"],
            features,
            "UAS of the second-order SVM with all features that an update touches, and with those of gold trees alone.",
        ),
    ]


def _claims(outcomes: Outcomes) -> list[Claim]:
    crf, svm = ((_name("second order", *loss), "") for loss in (("1", "0"), ("inf", "1")))

    def gain(which: tuple[str, str]) -> float:
        found = outcomes.compare(crf, which)
        return found.difference.value if found else 0.0

    between = max(
        ((_name("second order", beta, gamma), "") for beta, gamma in _GRID[1:-1]),
        key=gain,
    )
    why = "the best of five losses was chosen on the very sentences that it is tested on, which favours it."
    return [
        at_least("The SVM is at least as good as the CRF at second order", outcomes.compare(crf, svm)),
        at_least(
            f"Between CRF and SVM ({between[0]}) is at least as good as the CRF", outcomes.compare(crf, between), why
        ),
        at_least("and at least as good as the SVM", outcomes.compare(svm, between), why),
        better("The complete feature set beats the supported one", outcomes.compare(("supported", ""), svm)),
    ]


PAPER = Paper(
    name="martins-2010",
    title="Martins et al. 2010: turbo parsers",
    about="Parsing with loops in the graph, by belief propagation or by a linear program, and one family of "
    "losses: L(β, γ) has the CRF at (1, 0), softmax-margin at (1, 1), the SVM at (∞, 1) and the "
    "perceptron at (∞, 0), all trained by the same algorithm, which chooses its steps by itself. The "
    "two-word graph on which belief propagation need not converge (their Appendix B) is in the tests of "
    "`ramify.inference`.",
    use="Use it where probabilities count as much as trees: a loss between likelihood and margin.",
    quick=("en", "eu", "nl"),
    full=("en", "da", "nl", "pt", "sv", "tr"),
    plan=_plan,
    tables=_tables,
    claims=_claims,
)
