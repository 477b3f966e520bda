"""Riedel & Smith (2010), Relaxed Marginal Inference and its Application to Dependency Parsing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.factors import Pair
from ramify.graph import FactorGraph
from ramify.inference import BeliefPropagation, Relax
from ramify.reproduce.lengths import exponent, length_of, some_of_each_length, timed
from ramify.reproduce.page import Claim, Paper, Study, Table, compared, per_cent
from ramify.reproduce.trials import PRUNED, UNPRUNED, Trial

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.data import Sentence
    from ramify.parsing import Parser
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale

__all__ = ["PAPER"]

_MANY = "1000000"
_MODEL, _RELAXED = "second order", "second order, trained by one round"
_ONE_ROUND, _CANDIDATES = "Rel(1, 0.0001, 50)", "BP, pruned candidates"
_THEIR_LANGUAGES = ("nl", "da", "en", "it")
_FULL_BP = {"inference.method": "belief-propagation", "inference.bp-iterations": "10"}
_DECODINGS = {
    "BP": _FULL_BP,
    "Rel(∞, 0.1, 50)": {"inference.relax-gain": "0.1", "inference.relax-rounds": _MANY},
    "Rel(∞, 0.0001, 5)": {"inference.relax-rounds": _MANY, "inference.bp-iterations": "5"},
    "Rel(∞, 0.0001, 50)": {"inference.relax-rounds": _MANY},
    "Rel(1, 0.0001, 50)": {"inference.relax-rounds": "1"},
}
_NUM_EACH = 10  # sentences of each length that are looked into
_INNER = BeliefPropagation(max_iterations=50, tolerance=1e-3)
_ROUNDS = (0, 1, 2, 3, 5, 10)
_BOUNDS = (10.0, 100.0, 1000.0)
_WAYS = {
    "BP": BeliefPropagation(max_iterations=10, tolerance=1e-3),
    "Rel(∞, 0.1)": Relax(inner=_INNER, gain=0.1, max_rounds=100),
    "Rel(∞, 0.0001)": Relax(inner=_INNER, gain=1e-4, max_rounds=100),
    "Rel(1, 0.0001)": Relax(inner=_INNER, gain=1e-4, max_rounds=1),
}
_RULES = {
    "no gain above ε": Relax(inner=_INNER, gain=1e-4, max_rounds=10),
    **{f"η ≤ {bound:.0f}": Relax(inner=_INNER, gain=1e-4, max_rounds=10, max_bound=bound) for bound in _BOUNDS},
}
# Table 1: accuracy and seconds of full BP and of one round of relaxation; Table 2 is of Danish.
_THEIRS = {
    "BP": {"nl": "84.9, 1×", "da": "88.1, 1×", "en": "88.3, 1×", "it": "87.4, 1×"},
    "Rel(∞, 0.0001, 5)": {"nl": "85.0, 5.5×", "da": "88.1, 6.2×", "en": "88.2, 4.2×", "it": "87.4, 6.4×"},
    "Rel(∞, 0.0001, 50)": {"nl": "84.9, 5.5×", "da": "88.2, 6.1×", "en": "88.3, 3.3×", "it": "87.4, 6.3×"},
    "Rel(1, 0.0001, 50)": {"nl": "84.9, 11.1×", "da": "88.2, 13.1×", "en": "88.4, 6.9×", "it": "87.4, 12.7×"},
}
_WHY_BOUND = (
    "η adds up what each factor left out could do at most, thousands of them with a score that is not 0: it is far "
    "above 1 for nearly every sentence, where e^η − 1 bounds nothing, and grows with their number, with the length, "
    "and says little of the error. As a rule to stop, what it saves over looking for gains above ε is paid in error."
)
_THEIRS_2 = {
    "BP": ("100%", "—"),
    "Rel(∞, 0.1)": ("≈ 0%", "0.20"),
    "Rel(∞, 0.0001)": ("0.8%", "0.012"),
    "Rel(1, 0.0001)": ("0.8%", "0.015"),
    "pruned at 0.1": ("42%", "0.022"),
    "pruned at 0.5": ("22%", "0.098"),
}


def quality_of_subgraphs(parser: Parser, sentences: list[Sentence]) -> list[dict[str, Any]]:
    """Measure inference on the unpruned graph of each sentence: seconds, share of the factors, error of the marginals.

    The error is against full belief propagation at its end. Each way has (seconds, share, mean error, largest error),
    each number of rounds and each rule to stop has η and the rounds in addition.
    """
    rows = []
    for sentence in some_of_each_length(sentences, _NUM_EACH):
        graph = parser.factor_graph(sentence, loose=True)
        problem = graph.graph.problem(graph.scores)
        true = BeliefPropagation(max_iterations=200).solve(problem).marginals

        def measure(method: Any, which: Any = problem, truth: Any = true) -> tuple[list[float], Any]:
            seconds, result = timed(lambda: method.solve(which), 2)
            error = np.abs(result.marginals - truth)
            share = getattr(result.state, "fraction", 1.0)
            return [seconds, share, float(error.mean()), float(error.max())], result.state

        ways = {name: measure(method)[0] for name, method in _WAYS.items()}
        for limit in (0.1, 0.5):
            smaller, share = _without_small(graph, limit)
            seconds, _, *errors = measure(_WAYS["BP"], smaller)[0]
            ways[f"pruned at {limit}"] = [seconds, share, *errors]
        found = {str(r): measure(Relax(inner=_INNER, gain=1e-4, max_rounds=r)) for r in _ROUNDS}
        found |= {name: measure(method) for name, method in _RULES.items()}
        rounds = {name: [*figures, state.bound, state.rounds] for name, (figures, state) in found.items()}
        rows.append({"words": len(sentence), "ways": ways, "rounds": rounds})
    return rows


def _without_small(graph: Any, limit: float) -> tuple[Any, float]:
    """Return the problem without pairs whose score is small, and the share of pairs that are left."""
    smaller = FactorGraph()
    smaller.add_variables(len(graph.heads))
    kept = total = 0
    for factor in graph.graph.factors:
        if not isinstance(factor, Pair):
            smaller.add(factor)
            continue
        large = np.abs(factor.scores) >= limit
        kept, total = kept + int(large.sum()), total + len(large)
        if large.any():
            first, second = factor.variables.reshape(-1, 2)[large].T
            smaller.add(Pair(first, second, factor.scores[large]))
    return smaller.problem(graph.scores), kept / max(total, 1)


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    ways = {
        name: {"inference.method": "relax", "inference.bp-iterations": "50", **options}
        for name, options in _DECODINGS.items()
    }
    ways[_CANDIDATES] = {**_FULL_BP, **PRUNED}
    learning = {**UNPRUNED, "training.threshold": "0"}
    one = {_ONE_ROUND: ways[_ONE_ROUND]}
    return [
        trial
        for bank in banks
        for trial in (
            Trial(bank, _MODEL, PAPER.name, {**learning, **_FULL_BP}, ways, quality_of_subgraphs),
            Trial(bank, _RELAXED, PAPER.name, learning, one),
        )
    ]


def _tables(outcomes: Outcomes) -> list[Table]:
    tables = [_accuracy(outcomes), _training(outcomes)]
    for language in outcomes.languages:
        probe = outcomes.probe(language, _MODEL)
        if probe:
            tables += [_subgraphs(language, probe), _by_length(language, probe), _bounds(language, probe)]
    return tables


def _speed(outcomes: Outcomes, language: str, name: str) -> tuple[float | None, float | None]:
    """How many times faster than full BP: with everything counted, and as in the paper without the scores of parts."""
    outcome, full = (outcomes.get(language, _MODEL, which) for which in (name, "BP"))
    whole = full.seconds / outcome.seconds if outcome and full else None
    probe = outcomes.probe(language, _MODEL)
    short = name.rsplit(", ", 1)[0] + ")" if name.startswith("Rel") and not name.endswith(" 5)") else name
    if not probe or short not in probe[0]["ways"]:
        return whole, None
    seconds = {way: sum(row["ways"][way][0] for row in probe) for way in ("BP", short)}
    return whole, seconds["BP"] / seconds[short]


def _accuracy(outcomes: Outcomes) -> Table:
    rows = []
    for name in (*_DECODINGS, _CANDIDATES):
        own = []
        for language in outcomes.languages:
            outcome = outcomes.get(language, _MODEL, name)
            whole, alone = _speed(outcomes, language, name)
            times = f", {alone:.1f}×" if alone else ""
            own.append(f"{per_cent(outcome.uas)}{times} ({whole:.1f}×)" if outcome and whole else "")
        rows.append([name, *own, *(_THEIRS.get(name, {}).get(language, "") for language in _THEIR_LANGUAGES)])
    return Table(
        "Table 1: accuracy and speed",
        ["", *outcomes.languages, *(f"paper: {language}" for language in _THEIR_LANGUAGES)],
        rows,
        "UAS; how many times faster than full BP as the paper counts, inference alone, measured on equally many "
        "sentences of each length; and (everything counted, the features and scores of all parts first of all, on all "
        "sentences). "
        "The last row is not in the paper: full BP on the candidates that our pruner leaves.",
    )


def _training(outcomes: Outcomes) -> Table:
    rows = []
    for language in outcomes.languages:
        full, relaxed = outcomes.get(language, _MODEL, _ONE_ROUND), outcomes.get(language, _RELAXED, _ONE_ROUND)
        if full and relaxed:
            cells = (f"{per_cent(o.uas)}, {o.train_seconds:.0f} s" for o in (full, relaxed))
            rows.append([language, *cells])
    return Table(
        "Training by relaxed BP",
        ["", "trained by full BP", "trained by one round"],
        rows,
        "UAS, decoded with one round, and seconds of the processor for training. Not in the paper, which trains by "
        "full BP.",
    )


def _subgraphs(language: str, probe: list[Any]) -> Table:
    rows = []
    for name, theirs in _THEIRS_2.items():
        figures = np.array([row["ways"][name] for row in probe])
        _, share, error, largest = figures.mean(axis=0)
        errors = (f"{error:.5f}", f"{np.median(figures[:, 2]):.5f}", f"{largest:.3f}")
        rows.append([name, f"{100 * share:.1f}%", *errors, *theirs])
    columns = ["", "size", "mean error", "median", "largest error", "paper (da): size", "paper (da): error"]
    note = (
        "Error of the marginals against full BP that has run to its end (the row BP has ten iterations), on average "
        "over a sentence's arcs: its mean and its median over sentences, as few sentences make up most of the mean; "
        "and the largest of a sentence's arcs, on average. A sentence of one word has no factor of second order and "
        "counts "
        "as 100%, so every size is too large by about the share of such sentences, which is the size in the row `at "
        "most 0 "
        "rounds` below."
    )
    return Table(f"Table 2: subgraphs, {language}", columns, rows, note)


def _by_length(language: str, probe: list[Any]) -> Table:
    names = ("BP", "pruned at 0.1", "Rel(∞, 0.0001)", "Rel(1, 0.0001)")
    groups: dict[str, list[Any]] = {}
    for row in probe:
        groups.setdefault(length_of(row["words"]), []).append(row)
    rows = [
        [f"{name} words", *(f"{1e3 * np.mean([row['ways'][way][0] for row in group]):.2f}" for way in names)]
        for name, group in groups.items()
    ]
    words = [row["words"] for row in probe]
    fits = (exponent(words, [row["ways"][way][0] for row in probe]) for way in names)
    rows.append(["exponent", *("" if fit is None else f"{fit:.1f}" for fit in fits)])
    note = "Milliseconds of inference a sentence, and the exponent of the length that fits them."
    return Table(f"Figure 1: time by length, {language}", ["", *names], rows, note)


def _bounds(language: str, probe: list[Any]) -> Table:
    rows = []
    for name in (*map(str, _ROUNDS), *_RULES):
        all_figures = np.array([row["rounds"][name] for row in probe])
        seconds, share, error, largest, bound, rounds = all_figures.mean(axis=0)
        title = f"at most {name} rounds" if name.isdigit() else f"until {name}"
        errors = (f"{error:.5f}", f"{np.median(all_figures[:, 2]):.5f}", f"{largest:.3f}")
        shown = (f"{rounds:.2f}", f"{bound:.1f}", f"{100 * share:.1f}%", *errors, f"{1e3 * seconds:.2f}")
        rows.append([title, *shown])
    columns = ["", "rounds", "η", "size", "mean error", "median", "largest error", "milliseconds"]
    note = (
        "ε = 0.0001; at most 10 rounds with every rule. Means over the sentences, but for the median of the errors. To "
        "see η before factors are added takes one iteration more a round."
    )
    return Table(f"η as a rule to stop, {language}", columns, rows, note)


def _ranks(values: list[float]) -> Any:
    """Ranks from 0, those of equal values shared."""
    array = np.array(values)
    return (array[:, None] > array).sum(axis=1) + 0.5 * ((array[:, None] == array).sum(axis=1) - 1)


def _rank_correlation(first: list[float], second: list[float]) -> float:
    with np.errstate(invalid="ignore"):
        return float(np.nan_to_num(np.corrcoef(_ranks(first), _ranks(second))[0, 1]))


def _claims(outcomes: Outcomes) -> list[Claim]:
    full, relaxed = (_MODEL, "BP"), (_MODEL, _ONE_ROUND)
    speeds = {language: _speed(outcomes, language, _ONE_ROUND) for language in outcomes.languages}
    shown = ", ".join(f"{language} {alone:.1f}× ({whole:.1f}×)" for language, (whole, alone) in speeds.items() if alone)
    known = [alone for _, alone in speeds.values() if alone]
    claims = [
        compared("One round of relaxation loses no accuracy", outcomes.compare(full, relaxed)),
        Claim(
            "One round of relaxation is at least 7 times faster than full BP, inference alone",
            min(known) >= 7 if known else None,
            f"{shown}; in brackets with the scores of all parts, which both need",
        ),
    ]
    probes = [probe for probe in (outcomes.probe(language, _MODEL) for language in outcomes.languages) if probe]
    return [*claims, _bound_claim(probes)] if probes else claims


def _bound_claim(probes: list[Any]) -> Claim:
    """Whether η tells how large the error is: rank correlation over the sentences of each language, on average."""
    figures = []
    for probe in probes:
        errors = [row["rounds"]["1"][2:4] for row in probe]
        bounds = [row["rounds"]["1"][4] for row in probe]
        words = [float(row["words"]) for row in probe]
        pairs = [(bounds, [e[0] for e in errors]), (bounds, [e[1] for e in errors]), (bounds, words)]
        figures.append([_rank_correlation(*pair) for pair in pairs])
    mean, largest, length = np.mean(figures, axis=0)
    least = min(row["rounds"]["1"][4] for probe in probes for row in probe if row["words"] > 1)
    return Claim(
        "η tells how large the error is (left open in the paper)",
        bool(mean > 0.5 and largest > 0.5),
        f"rank correlation with the mean error {mean:.2f}, with the largest {largest:.2f}, with the length of the "
        f"sentence {length:.2f}; least η {least:.1f}",
        _WHY_BOUND,
    )


PAPER = Paper(
    name="riedel-smith-2010",
    title="Riedel & Smith 2010: relaxed marginal inference",
    about="Full belief propagation on all second-order factors is slow, and most factors do not matter: start "
    "with the tree and the arcs, and add the factors whose gain exceeds ε: the divergence D(p ‖ p′) of the current "
    "model p from the model p′ with that factor, which the formula of their Proposition 1 computes (their definition "
    "names the other direction). Rel(R, ε, B) has R rounds and B iterations of BP in each. "
    "As in the paper candidates are not pruned, in training neither; unlike there trees may be non-projective in "
    "every language.",
    use="Use it where candidates must not be pruned, or where factors are many and few of them matter.",
    quick=("en", "eu", "nl"),
    full=("nl", "da", "en", "it"),
    study=Study(_plan, _tables, _claims),
    differs=(
        "Treebanks: Dutch, Danish, Italian and English of the CoNLL shared tasks in the paper, slices of others here.",
        "Trees may be non-projective in every language; the paper has projective trees for English.",
        "The paper trains by full belief propagation, and so does Table 1 here; the preset trains by one round of "
        "relaxation.",
        "The gain is D(p ‖ p′), where p′ has the factor and p has not: this is what the formula of Proposition 1 "
        "gives. The definition before it has D(p′ ‖ p).",
        "Speed is measured on equally many sentences of each length, and without the scores of parts; the figures in "
        "brackets count everything, on all sentences. The claim is about the first.",
        "Subgraphs are larger here than the paper's: many more pairs have a gain above ε = 0.0001. Their sizes count "
        "sentences of one word, which have no factor, as 100%.",
        "Belief propagation stops when messages change by less than 0.001.",
    ),
    places=(
        (
            "§2.2 LINK, GRAND, SIB",
            "`cpp/src/parsing/kinds/any_sibling.cpp`, `cpp/src/parsing/kinds/grand.cpp`",
            "`tests/features/parsing/test_inference.py`",
        ),
        (
            "§4.1, Prop. 1 gain of a factor",
            "`cpp/src/inference/relax.cpp`",
            "`tests/unit/inference/test_relax.py`",
        ),
        (
            "§4.2, Alg. 1 relaxed inference",
            "`cpp/src/inference/relax.cpp`, `src/ramify/inference/relax.py`",
            "`tests/unit/inference/test_relax.py`",
        ),
        (
            "§4.3, Prop. 2 bound η",
            "`cpp/src/inference/relax.cpp`",
            "`tests/unit/inference/test_relax.py`",
        ),
        (
            "§5 experiments",
            "`src/ramify/reproduce/papers/riedel_smith_2010.py`",
            "`tests/unit/reproduce/papers/test_init.py`",
        ),
    ),
    left="Projective English, and Danish and Italian in quick runs.",
    pruned=False,
)
