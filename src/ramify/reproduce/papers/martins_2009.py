"""Martins, Smith & Xing (2009), Concise Integer Linear Programming Formulations for Dependency Parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.factors import TreeFormulation
from ramify.inference import AD3, LP
from ramify.parsing.config import Method
from ramify.parsing.programs import PROGRAMS, Program, nearest_tree
from ramify.reproduce.page import Claim, Paper, Study, Table, compared, per_cent
from ramify.reproduce.trials import Trial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from ramify.data import Sentence
    from ramify.parsing import Parser
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale

__all__ = ["PAPER"]

_MODELS = {
    "arc-factored": {"model.parts": ""},
    "siblings and grandparents": {"model.parts": "any-sibling,grand"},
    "and consecutive siblings": {"model.parts": "any-sibling,sibling,grand"},
    "and valency": {"model.parts": "any-sibling,sibling,grand,valency"},
    "and non-projective arcs": {"model.parts": "any-sibling,sibling,grand,nonproj"},
    "full": {"model.parts": "any-sibling,sibling,grand,valency,nonproj"},
    "projective": {"model.parts": "any-sibling,sibling,grand,valency", "model.tree": "projective"},
}
_DECODINGS = {
    "exact": {"inference.method": "exact", "inference.max-iterations": "100", "inference.max-nodes": "10"},
    "relaxed": {"inference.method": "ad3", "inference.max-iterations": "100"},
}
_NUM_PROBED = 30
_MAX_WORDS = 20  # of the sentences whose programs HiGHS solves
_SECONDS = 3.0  # for each program at most
_NUM_TEST = 150  # sentences of a quick run: non-projective arcs make decoding slow

# Table 1: arc-factored, siblings and grandparents, valency, full, full relaxed.
_THEIRS = {
    "da": (89.80, 91.06, 90.98, 91.18, 91.04),
    "nl": (83.55, 84.65, 84.93, 85.57, 85.41),
    "pt": (90.66, 92.11, 92.01, 91.42, 91.44),
    "sl": (83.93, 85.13, 85.45, 85.61, 85.41),
    "sv": (89.09, 90.50, 90.34, 90.60, 90.52),
    "tr": (75.16, 76.20, 76.08, 76.34, 76.32),
    "en": (90.15, 91.13, 91.12, 91.16, 91.14),
}
_COLUMNS = (
    ("arc-factored", "exact"),
    ("and consecutive siblings", "exact"),
    ("and valency", "exact"),
    ("full", "exact"),
    ("full", "relaxed"),
)
_WAYS = {
    "LP, multi-commodity flow": Program(LP(tree=TreeFormulation.MULTI_COMMODITY), apart=False),
    "LP, cuts": Program(LP(tree=TreeFormulation.CUTS), apart=False),
    "LP, single-commodity flow": Program(LP(tree=TreeFormulation.SINGLE_COMMODITY), apart=False),
    "LP, concise": PROGRAMS[Method.CONCISE_LINEAR],
    "ILP": PROGRAMS[Method.INTEGER],
    "ILP, concise": PROGRAMS[Method.CONCISE_INTEGER],
}


def formulations(parser: Parser, sentences: list[Sentence]) -> dict[str, Any]:
    """Solve the same sentences as linear and as integer programs, with each formulation; a row for each sentence.

    Concise programs are those of the paper: a single-commodity flow, siblings by dynamic constraints, and grandparents
    as pairs of arcs. In the others siblings and grandparents of a head are one automaton.
    """
    rows: dict[str, list[list[float]]] = {way: [] for way in (*_WAYS, "ours")}
    for sentence in [s for s in sentences if len(s) <= _MAX_WORDS][:_NUM_PROBED]:
        joint, apart = parser.factor_graph(sentence), parser.factor_graph(sentence, apart=True)
        for way, program in _WAYS.items():
            graph = apart if program.apart else joint
            result = graph.solve(program.within(_SECONDS))
            right = float(np.sum(nearest_tree(graph, result) == [word.head for word in sentence]))
            rows[way].append([result.seconds, float(result.certified), result.bound + graph.constant, right])
        bound = joint.solve(AD3()).bound + joint.constant
        exact = parser.with_options(_DECODINGS["exact"]).parse(sentence)
        rows["ours"].append([bound, exact.value, float(len(sentence))])
    return rows


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    trials = []
    for bank in banks:
        for name, options in _MODELS.items():
            probe = formulations if name in ("and consecutive siblings", "full") else None
            most = _NUM_TEST if scale.test else 0
            trials.append(Trial(bank, name, PAPER.name, options, _DECODINGS, probe, num_test=most))
    return trials


def _tables(outcomes: Outcomes) -> list[Table]:
    rows = []
    for name in _MODELS:
        for decoding in _DECODINGS:
            found = [outcomes.get(language, name, decoding) for language in outcomes.languages]
            cells = (f"{per_cent(o.uas)}, {100 * o.certified:.0f}%" if o else "" for o in found)
            rows.append([f"{name}, {decoding}", *cells])
    ours = Table(
        "Models, exact and relaxed",
        ["", *outcomes.languages],
        rows,
        "UAS, and share of the sentences proved optimal. A relaxed solution that is fractional is projected "
        f"onto the trees. A quick run decodes the first {_NUM_TEST} test sentences.",
    )
    return [ours, _beside(outcomes), *_probe_tables(outcomes)]


def _beside(outcomes: Outcomes) -> Table:
    rows = []
    for language in outcomes.languages:
        found = [outcomes.get(language, *column) for column in _COLUMNS]
        rows.append([f"{language}, here", *(per_cent(o.uas) if o else "" for o in found)])
        if language in _THEIRS:
            rows.append([f"{language}, paper", *(f"{uas:.2f}" for uas in _THEIRS[language])])
    return Table(
        "Table 1",
        ["", "arc-factored", "siblings and grandparents", "and valency", "and projectivity (full)", "full, relaxed"],
        rows,
        "UAS. The paper's treebanks are those of CoNLL-X and 2008, with other annotations and much more text than a "
        "quick run sees: the columns can be compared, not the figures.",
    )


def _probed(outcomes: Outcomes, name: str) -> dict[str, NDArray[np.float64]]:
    """Rows of a model's probe for all languages, by way; programs that were not solved in time have no bound."""
    found = [probe for language in outcomes.languages if (probe := outcomes.probe(language, name))]
    table = {way: np.concatenate([np.array(probe[way]) for probe in found]) for way in (found[0] if found else ())}
    for rows in table.values():
        rows[~np.isfinite(rows)] = np.nan
    return table


def _probe_tables(outcomes: Outcomes) -> list[Table]:
    rows = []
    for name in _MODELS:
        table = _probed(outcomes, name)
        if not table:
            continue
        hull = np.fmin(table["LP, multi-commodity flow"][:, 2], table["LP, cuts"][:, 2])
        for way in _WAYS:
            seconds, certified, bound, right = table[way].T
            rows.append(
                [
                    f"{name}, {way}",
                    f"{1e3 * np.median(seconds):.1f}",
                    f"{1e3 * np.mean(seconds):.1f}",
                    f"{100 * np.mean(certified):.0f}%",
                    f"{np.nanmean(bound - hull):+.4f}",
                    per_cent(float(right.sum() / table["ours"][:, 2].sum())),
                ]
            )
    return [
        Table(
            "Formulations",
            ["", "median ms", "mean ms", "integral or proved", "bound, against the hull's", "UAS"],
            rows,
            f"{_NUM_PROBED} test sentences a language of at most {_MAX_WORDS} words, by HiGHS, at most {_SECONDS:g} s "
            "each; fractional solutions are projected onto the trees. Multi-commodity flows and cuts describe the "
            "trees' convex hull, the single-commodity flow something larger. Concise programs have the paper's rows, "
            "but for valencies and projective trees: besides "
            "that flow, siblings and first children by dynamic constraints, and grandparents as pairs of arcs; the "
            "others have an automaton for the siblings and grandparents of a head.",
        )
    ]


def _claims(outcomes: Outcomes) -> list[Claim]:
    base, second = ("arc-factored", "exact"), ("and consecutive siblings", "exact")
    exact, relaxed = (("full", decoding) for decoding in _DECODINGS)
    shares = [outcomes.get(language, "and consecutive siblings", "relaxed") for language in outcomes.languages]
    integral = float(np.mean([outcome.certified for outcome in shares if outcome]))
    claims = [
        compared("Siblings and grandparents improve arcs alone", outcomes.compare(base, second)),
        compared(
            "Valencies alone help (in the paper not significantly)",
            outcomes.compare(second, ("and valency", "exact")),
        ),
        compared("The full set of features is better than siblings and grandparents", outcomes.compare(second, exact)),
        compared("Relaxed decoding is as good as exact decoding", outcomes.compare(exact, relaxed)),
        Claim("Most relaxed solutions are integral", integral > 0.5, f"{100 * integral:.1f}% of the sentences"),
    ]
    table = _probed(outcomes, "full")
    return [*claims, _agreement(table)] if table else claims


def _agreement(table: dict[str, NDArray[np.float64]]) -> Claim:
    """Our solvers against HiGHS: no claim of the paper's, but what the first table rests on."""
    bound, best = table["ours"][:, 0], table["ours"][:, 1]
    hull, ilp = table["LP, multi-commodity flow"], table["ILP"]
    worst = float(np.nanmax(np.abs(bound - hull[:, 2])[hull[:, 0] < _SECONDS], initial=0.0))
    proved = (best - ilp[:, 2])[ilp[:, 1] == 1]
    same = float(np.mean(np.abs(proved) < 1e-4)) if len(proved) else 0.0
    return Claim(
        "AD3 and branch and bound find the optima of the linear and the integer programs",
        worst < 1e-2 and same > 0.9,
        f"AD3's bound is {worst:.4f} off at most, in {int(np.sum(hull[:, 0] < _SECONDS))} sentences; of {len(proved)} "
        f"integer programs that HiGHS solved in time, {100 * same:.1f}% have the same value (branch and bound had ten "
        "nodes)",
    )


PAPER = Paper(
    name="martins-2009",
    title="Martins et al. 2009: concise integer programs",
    about="Parsing as an integer program of polynomial size, with features that are no arcs, solved exactly or "
    "relaxed to a linear program whose solution is projected. The preset decodes by HiGHS, with the paper's rows for "
    "trees, siblings and grandparents; valencies and projective trees are factors of ours. "
    "Here whole test files are decoded by AD3, whose optimum is that of a tighter linear program, and by branch and "
    "bound around it, because that is faster by a factor of ten and more; HiGHS solves the programs of some "
    "sentences, by each formulation.",
    use="Use it where proofs by an independent solver are wanted, or where constraints of one's own join the integer "
    "program; it is far too slow for text by the gigabyte.",
    quick=("en", "eu", "nl"),
    full=("da", "nl", "pt", "sv", "tr", "en"),
    study=Study(_plan, _tables, _claims),
    differs=(
        "Treebanks and training: six treebanks of CoNLL-X and English of CoNLL 2008 with ten epochs of "
        "passive-aggressive updates in the paper; slices of other treebanks here. The paper trains with the linear "
        "relaxation, whose solutions may be fractional; here, training finds trees.",
        "Candidates: a ranker keeps ten heads for each word in the paper; the pruner here also drops heads with a "
        "small probability.",
        "Valency (eq. 17): one factor for each head counts its modifiers, with five and more as one class. Its linear"
        " program is at least as tight as equation 17, which is looser in some graphs.",
        "Projective trees (§3.6) are one factor, not the rows of Proposition 1.",
        "Whole test files are decoded by AD3 and branch and bound with at most ten nodes. A sentence that is not "
        "proved optimal (see the first table) may have another tree than the integer program.",
        "The row *exact* of the tables is limited in the same way, so relaxed decoding can be ahead of it.",
    ),
    places=(
        (
            "§3.1, eqs. 4–9 single-commodity flow",
            "`src/ramify/inference/programs.py`, `src/ramify/inference/_program.py`",
            "`tests/unit/inference/test_programs.py`, `tests/features/parsing/test_flow_trees.py`",
        ),
        (
            "§3.2, eq. 12 arc-factored program",
            "`src/ramify/parsing/programs.py`",
            "`tests/features/parsing/test_inference.py`",
        ),
        (
            "§3.3, eqs. 14–16 siblings and grandparents",
            "`cpp/src/parsing/kinds/any_sibling.cpp`, `cpp/src/parsing/kinds/sibling.cpp`, "
            "`cpp/src/parsing/kinds/grand.cpp`",
            "`tests/features/parsing/test_flow_trees.py`",
        ),
        (
            "§3.4 valency",
            "`cpp/src/parsing/kinds/valency.cpp`",
            "`tests/features/parsing/test_tree_parts.py`",
        ),
        (
            "§3.5, eqs. 18–23 non-projective arcs",
            "`cpp/src/parsing/paths.cpp`, `cpp/src/parsing/kinds/nonproj.cpp`",
            "`tests/features/parsing/test_tree_parts.py`",
        ),
        (
            "§3.6 projective trees",
            "`cpp/src/factors/projective_tree.cpp`",
            "`tests/contract/test_factors.py`",
        ),
        (
            "§4 experiments",
            "`src/ramify/reproduce/papers/martins_2009.py`",
            "`tests/features/cli/test_papers.py`",
        ),
    ),
    left="The rows of equation 17 for valencies, those of §3.6 for projective trees, and training with fractional "
    "solutions.",
)
