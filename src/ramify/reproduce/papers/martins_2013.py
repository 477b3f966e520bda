"""Martins, Almeida & Smith (2013), Turning on the Turbo: fast third-order non-projective parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.reproduce.lengths import LENGTHS, timed
from ramify.reproduce.page import Claim, Paper, Study, Table, compared, per_cent
from ramify.reproduce.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.data import Sentence
    from ramify.parsing import Parser
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale

__all__ = ["PAPER"]

_ORDERS = {
    "first order": "",
    "second order": "sibling,grand",
    "second order, all siblings and head bigrams": "sibling,grand,any-sibling,head-bigram",
    "third order": "sibling,grand,grand-sibling,tri-sibling",
    "third order, all siblings and head bigrams": "sibling,grand,grand-sibling,tri-sibling,any-sibling,head-bigram",
}
_THEIRS = {
    "first order": "91.38, 4,063",
    "second order": "93.15, 1,338",
    "second order, all siblings and head bigrams": "93.28, 1,018",
    "third order, all siblings and head bigrams": "93.29, 709",
}
_LENGTHS = (*LENGTHS, (41, 1000))


def by_length(parser: Parser, sentences: list[Sentence]) -> dict[str, Any]:
    """Measure AD3 and subgradient steps to the same end by length: seconds, and the share certified."""
    out: dict[str, Any] = {}
    for method in ("ad3", "subgradient"):
        chosen = parser.with_options({"inference.method": method, "inference.max-iterations": "500"})
        rows = []
        for low, high in _LENGTHS:
            some = [sentence for sentence in sentences if low <= len(sentence) <= high][:30]
            if some:
                seconds, results = timed(lambda: chosen.parse(some), 1)  # noqa: B023 - called at once
                certified = sum(result.certified for result in results)
                rows.append([low, high, seconds / len(some), certified / len(some)])
        out[method] = rows
    return out


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    return [
        Trial(bank, name, PAPER.name, {"model.parts": parts}, probe=by_length if name == "third order" else None)
        for bank in banks
        for name, parts in _ORDERS.items()
    ]


def _tables(outcomes: Outcomes) -> list[Table]:
    rows = []
    for name in _ORDERS:
        own = []
        for language in outcomes.languages:
            outcome = outcomes.get(language, name)
            own.append(f"{per_cent(outcome.uas)}, {outcome.tokens_per_second:,.0f}" if outcome else "")
        rows.append([name, *own, _THEIRS.get(name, "")])
    tables = [
        Table(
            "Table 2: orders",
            ["", *outcomes.languages, "paper: PTB dev"],
            rows,
            "UAS, and tokens per second of one core.",
        )
    ]
    cells = []
    for language in outcomes.languages:
        probe = outcomes.probe(language, "third order") or {}
        for ours, theirs in zip(probe.get("ad3", ()), probe.get("subgradient", ()), strict=True):
            words = f"{language}, {ours[0]:.0f}–{ours[1]:.0f} words"
            cells.append([words, *(f"{1e3 * row[2]:.2f} ms, {100 * row[3]:.0f}%" for row in (ours, theirs))])
    tables.append(
        Table(
            "Figure 2: AD3 and subgradient steps at third order",
            ["", "AD3", "subgradient"],
            cells,
            "Time a sentence, features included, and share certified, with at most 500 iterations.",
        )
    )
    return tables


def _claims(outcomes: Outcomes) -> list[Claim]:
    first, second, third = ((name, "") for name in ("first order", "second order", "third order"))
    shares = [outcomes.get(language, "third order") for language in outcomes.languages]
    certified = float(np.mean([outcome.certified for outcome in shares if outcome]))
    return [
        compared("Second order beats first", outcomes.compare(first, second)),
        compared("Third order is better than second", outcomes.compare(second, third)),
        Claim(
            "Solutions are integral 95% of the time (third order, without all siblings and head bigrams)",
            certified >= 0.95,
            f"{100 * certified:.1f}% certified by AD3 alone",
            "so little training leaves many trees nearly as good as the best. The presets `third` and `default` have "
            "branch and bound around AD3: [trained on a whole treebank](../research/parser_results.md), they prove "
            "every "
            "tree of English dev optimal.",
        ),
    ]


PAPER = Paper(
    name="martins-2013",
    title="Martins et al. 2013: third order",
    about="TREE and head automata for grand-siblings and tri-siblings, AD3 with active sets that need only the "
    "best solution of a component, candidates pruned by a first-order model. Our automata hold all parts "
    "of a head and side at once.",
    use="Use it for experiments with every part of third order. The presets `third` and `default` leave out the pairs "
    "of "
    "siblings and the head bigrams, which cost more time than they earn accuracy; [on whole treebanks](choices.md), "
    "`second` is faster and not less accurate.",
    quick=("en", "eu", "nl"),
    full=("en", "da", "nl", "pt", "sv", "tr", "zh", "ja"),
    study=Study(_plan, _tables, _claims),
    differs=(
        "Treebanks: the Penn Treebank and CoNLL in the paper, slices of others here. The paper does not count "
        "punctuation; we do.",
        "Candidates: the paper keeps ten heads for each word with at least 0.0001 of the probability of the best one;"
        " our threshold is larger, so parsing is faster.",
        "One automaton holds all parts of a head and side, grandparents included; the paper has one for "
        "grand-siblings and another for tri-siblings, so our relaxation is at least as tight.",
        "Training: ten epochs of MIRA in the paper, a few epochs of the SVM here. Tags are gold here; on the Penn "
        "Treebank the paper predicts them.",
        "The claim about integral solutions and Figure 2 are about third order without all siblings and head bigrams,"
        " which is easier to certify than the whole preset.",
        "Speeds are of other machines and treebanks: only the ratios between rows can be compared.",
    ),
    places=(
        (
            "§2.1 parts",
            "`cpp/src/parsing/kinds/grand_sibling.cpp`, `cpp/src/parsing/kinds/tri_sibling.cpp`, "
            "`cpp/src/parsing/kinds/head_bigram.cpp`",
            "`tests/features/parsing/test_kinds.py`, `tests/features/parsing/test_inference.py`",
        ),
        (
            "§2.2 AD3",
            "`cpp/src/inference/ad3.cpp`",
            "`tests/unit/inference/test_ad3.py`",
        ),
        (
            "§3 active sets",
            "`cpp/src/factors/active_set.cpp`",
            "`tests/contract/test_factors.py`",
        ),
        (
            "§3 head automata",
            "`cpp/src/factors/automaton_group.cpp`, `cpp/src/parsing/side_factors.cpp`",
            "`tests/contract/test_factors.py`",
        ),
        (
            "§3 pruning",
            "`cpp/src/parsing/pruner.cpp`",
            "`tests/features/parsing/test_inference.py`",
        ),
        (
            "§4 experiments",
            "`src/ramify/reproduce/papers/martins_2013.py`",
            "`tests/features/cli/test_papers.py`",
        ),
    ),
    left="Table 3 of the paper (14 languages), pruning at the paper's threshold, and certificates of the whole preset.",
)
