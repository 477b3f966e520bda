"""Martins, Smith, Aguiar & Figueiredo (2011), Dual Decomposition with Many Overlapping Components."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.inference import AD3, ILP, LP
from ramify.reproduce.page import Claim, Paper, Study, Table, at_least, per_cent
from ramify.reproduce.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.data import Sentence
    from ramify.parsing import Parser
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale

__all__ = ["PAPER"]

_LIMITS = (10, 50, 200, 1000)
_PARTS = {
    "second order": "any-sibling,grand",
    "without paths": "any-sibling,sibling,grand,head-bigram",
    "full": "any-sibling,sibling,grand,head-bigram,path,nonproj",
}
_NUM_TEST = 100  # sentences of a quick run: subgradient steps solve every component in every iteration
_NUM_PROBED = 12
_MAX_WORDS = 25  # of the sentences that HiGHS solves
_SECONDS = 3.0  # for each of its programs at most
_MOMENTS = (1, 5, 10, 20, 50, 100, 200, 500, 1000)
_STEPS = {
    "plain": AD3(relaxation=1.0, acceleration=0),
    "plain, idle below 0.001": AD3(relaxation=1.0, acceleration=0, idle=1e-3),
    "accelerated, idle below 0.001": AD3(idle=1e-3),
}
_ONE_TREE = f"ad3 {_LIMITS[-1]}, one tree"
_LENGTHS = ((1, 10), (11, 20), (21, _MAX_WORDS))


def by_sentence(parser: Parser, sentences: list[Sentence]) -> dict[str, Any]:
    """Measure AD3 against HiGHS on the same graphs: seconds by length, and how much work is left as iterations go."""
    rows = []
    active: dict[str, list[list[float]]] = defaultdict(list)
    for sentence in [s for s in sentences if len(s) <= _MAX_WORDS][:_NUM_PROBED]:
        graph = parser.factor_graph(sentence)
        ours = graph.solve(AD3())
        linear, integer = (graph.solve(method(time_limit=_SECONDS)) for method in (LP, ILP))
        seconds = [ours.seconds, linear.seconds, integer.seconds]
        rows.append([len(sentence), *seconds, linear.bound - ours.bound, float(linear.certified)])
        for steps, method in _STEPS.items():
            result = graph.solve(method)
            for what, shares in (("messages", result.active_messages), ("components", result.active_factors)):
                padded = np.pad(np.asarray(shares), (0, max(_MOMENTS)))
                active[f"{what}, {steps}"].append([float(padded[t - 1]) for t in _MOMENTS])
    return {"sentences": rows, "active": active}


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    ways = {}
    for limit in _LIMITS:
        for method in ("ad3", "subgradient"):
            ways[f"{method} {limit}"] = {"inference.method": method, "inference.max-iterations": str(limit)}
    ways[_ONE_TREE] = {**ways[f"ad3 {_LIMITS[-1]}"], "model.tree": "nonprojective"}
    most = _NUM_TEST if scale.test else 0
    trials = []
    for bank in banks:
        for name, parts in _PARTS.items():
            options = {"model.parts": parts, "inference.max-iterations": "50"}
            trials.append(Trial(bank, name, PAPER.name, options, ways, by_sentence, num_test=most))
    return trials


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
                f"UAS, and share certified. A quick run decodes the first {_NUM_TEST} test sentences.",
            )
        )
    return [*tables, _tree_table(outcomes), *_probe_tables(outcomes)]


def _tree_table(outcomes: Outcomes) -> Table:
    rows = []
    for name in _PARTS:
        for title, way in (("flows", f"ad3 {_LIMITS[-1]}"), ("one component", _ONE_TREE)):
            found = [outcomes.get(language, name, way) for language in outcomes.languages]
            cells = (
                f"{per_cent(o.uas)}, {100 * o.certified:.0f}%, {o.tokens_per_second:,.0f}" if o else "" for o in found
            )
            rows.append([f"{name}, {title}", *cells])
    return Table(
        "The tree as flows and as one component",
        ["", *outcomes.languages],
        rows,
        f"UAS, share certified, tokens per second of AD3 with {_LIMITS[-1]} iterations. One component is solved by "
        "active sets; flows are rules of logic, solved each by a sort. Both describe the convex hull of the trees, "
        "and the linear programs are the same.",
    )


def _probe_tables(outcomes: Outcomes) -> list[Table]:
    probes = {language: outcomes.probe(language, "full") for language in outcomes.languages}
    probes = {language: probe for language, probe in probes.items() if probe and probe["sentences"]}
    active = [
        [f"{language}, {what}", *(f"{100 * share:.0f}%" for share in np.mean(shares, axis=0))]
        for language, probe in probes.items()
        for what, shares in probe["active"].items()
    ]
    rows = []
    for language, probe in probes.items():
        table = np.array(probe["sentences"])
        for low, high in _LENGTHS:
            part = table[(table[:, 0] >= low) & (table[:, 0] <= high)]
            if len(part):
                seconds = np.median(part[:, 1:4], axis=0)
                rows.append([f"{language}, {low}–{high} words", *(f"{1e3 * s:.2f}" for s in seconds)])
    return [
        Table(
            "Figure 3: active messages and components",
            ["", *(f"{t}" for t in _MOMENTS)],
            active,
            "By iteration, the share of the components that are solved again, and of the messages that belong to them: "
            "the others have inputs that did not move. A mean over sentences; those that are finished have none. Plain "
            "steps are the paper's; accelerated ones go further by over-relaxation and extrapolation, which moves all "
            "inputs a little, and are done earlier. Our components are larger than the paper's, so that more of them "
            "have an input that moves.",
        ),
        Table(
            "Figure 4: AD3 and a general solver",
            ["", "AD3", "HiGHS, LP", "HiGHS, ILP"],
            rows,
            f"Median milliseconds; HiGHS had {_SECONDS:g} s at most.",
        ),
    ]


def _claims(outcomes: Outcomes) -> list[Claim]:
    claims = []
    for name in _PARTS:
        shares = {
            method: _mean([outcomes.get(language, name, f"{method} {_LIMITS[-1]}") for language in outcomes.languages])
            for method in ("ad3", "subgradient")
        }
        evidence = f"AD3 {100 * shares['ad3']:.1f}%, subgradient {100 * shares['subgradient']:.1f}%"
        claims.append(
            Claim(
                f"{name.capitalize()}: AD3 certifies at least 90% of the sentences within {_LIMITS[-1]} iterations, "
                "subgradient steps fewer",
                shares["ad3"] >= 0.9 and shares["subgradient"] < shares["ad3"],
                evidence,
                _why(outcomes, name),
            )
        )
    last = f"ad3 {_LIMITS[-1]}"
    claims.append(
        at_least("Paths and non-projective arcs do not hurt", outcomes.compare(("without paths", last), ("full", last)))
    )
    claims.append(
        at_least(
            "Ours: a tree as one component does not hurt the model without paths",
            outcomes.compare(("without paths", last), ("without paths", _ONE_TREE)),
        )
    )
    probes = [probe for language in outcomes.languages if (probe := outcomes.probe(language, "full"))]
    if probes:
        table = np.concatenate([np.array(probe["sentences"]) for probe in probes])
        ratio = float(np.median(table[:, 2] / table[:, 1]))
        claims.append(
            Claim(
                "AD3 is faster than a general solver of linear programs", ratio > 1, f"{ratio:.1f} times, in the median"
            )
        )
    return claims


def _why(outcomes: Outcomes, name: str) -> str:
    """Say how many certificates there can be: none where the linear program's solution is fractional."""
    probes = [probe for language in outcomes.languages if (probe := outcomes.probe(language, name))]
    rows = [row for probe in probes for row in probe["sentences"] if row[2] < _SECONDS]
    if not rows:
        return ""
    integral = np.mean([row[5] for row in rows])
    apart = max(abs(row[4]) for row in rows)
    return (
        f"Of {len(rows)} sentences whose linear program HiGHS solved in time, {100 * integral:.0f}% have an integral "
        f"solution; the others cannot be certified without branching. AD3's bound is at most {apart:.4f} off HiGHS's. "
        "Pairs of siblings make a looser relaxation than automata, and little training a harder one: [on a whole "
        "treebank](choices.md) it holds at second order."
    )


def _mean(outcomes: list[Any]) -> float:
    return float(np.mean([outcome.certified for outcome in outcomes if outcome]))


PAPER = Paper(
    name="martins-2011",
    title="Martins et al. 2011: dual decomposition with many components",
    about="AD3 (there called DD-ADMM) splits the problem into many small components that have to agree, where "
    "subgradient methods need few large ones. The full model has all pairs of siblings, consecutive "
    "siblings, grandparents, head bigrams, directed paths and non-projective arcs; the last two are made of flows, "
    "with a rule of logic as component for every candidate arc and word, and so is the tree itself.",
    use="Use it where ancestry and non-projectivity are to be modelled, or for the certificates; it is slower than the "
    "presets without paths, and not better on our treebanks.",
    quick=("en", "eu", "nl"),
    full=("en", "da", "nl", "pt", "sv", "tr"),
    study=Study(_plan, _tables, _claims),
)
