"""Almeida & Martins (2013), Fast and robust compressive summarization by dual decomposition and multi-task learning."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.data import Document
from ramify.inference import LP
from ramify.learn.linear import combined
from ramify.reproduce.page import Claim, Paper, Study, Table
from ramify.reproduce.summaries import claim, inputs_of, summary_banks, timed_texts
from ramify.reproduce.trials import Trial
from ramify.summarization import Cluster, Method, Summarizer, solve
from ramify.summarization.candidates import best_sentences, candidate_sentences, standing_sentences
from ramify.summarization.concepts import bigrams_of
from ramify.summarization.reading import lay_out, read_input
from ramify.summarization.rounding import nearest_summary
from ramify.summarization.source import read_source
from ramify.summarization.state import State
from ramify.summarization.training import recall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Outcomes, Scale
    from ramify.summarization.problem import SummaryProblem
    from ramify.summarization.reading import Layout

__all__ = ["PAPER", "decoders", "systems"]

_SETS = ("scitldr", "fewsum", "opinosis", "cl-scisumm-body", "scisummnet-body")
_DECODED = "cl-scisumm-body"
_MIXTURES = (0.0, 0.03, 0.1, 0.3, 1.0)
_SHARED = (0.3, 3.0)  # strengths of the penalty of shared weights, relative to that of own ones
_TEST_PAIRS = 1000
_WORDS, _SENTENCES, _CANDIDATES = 100, 6, 1000
# Table 2: ROUGE-2 and ROUGE-SU4; Table 3: seconds and ROUGE-2.
_THEIRS = {"extractive": "11.16 / 14.07", "post-combined": "11.07 / 13.85", "single-task": "11.88 / 14.86",
           "multi-task": "12.30 / 15.18"}  # fmt: skip
_THEIRS_3 = {"ILP": "10.394, 12.40", "LP": "2.265, 12.38", "AD3, 5000 iterations": "0.952, 12.38",
             "AD3, 1000 iterations": "0.406, 12.30", "AD3, 200 iterations": "0.159, 12.15",
             "extractive ILP": "0.265, 11.16"}  # fmt: skip


def systems(bank: Treebank, scale: Scale) -> dict[str, Any]:
    """Return what the four systems of Table 2 do to the test clusters; numbers are chosen on the dev clusters."""
    inputs = inputs_of(bank, scale)
    pairs = _pairs(bank.dev[0], 300 if scale.train else 4000)
    train = inputs.train
    extractive = _trained(train, {"training.compressive": "false"})
    single = _trained(train, {"training.extractive": "false"})
    several = {shared: _trained([*train, *pairs], {"training.shared": str(shared)}) for shared in _SHARED}
    cuts = _cuts(pairs)
    post = {mixture: _post_combined(extractive, cuts, mixture) for mixture in _MIXTURES}
    (mixture, combination), (shared, multi) = _best(post, inputs.dev), _best(several, inputs.dev)
    found = {
        "extractive": timed_texts(_summarizer(extractive, compress=False), inputs.test),
        "post-combined": timed_texts(_summarizer(combination), inputs.test),
        "single-task": timed_texts(_summarizer(single), inputs.test),
        "multi-task": timed_texts(_summarizer(multi), inputs.test),
        "multi-task, without cuts": timed_texts(_summarizer(multi, compress=False), inputs.test),
    }
    return {"systems": found, "mixture": mixture, "shared": shared}


def _pairs(path: Path, most: int) -> list[Cluster]:
    from ramify.pipeline.compression import read_pairs

    rest = list(read_pairs(path))[_TEST_PAIRS:][:most]
    return [Cluster((Document(text),), (short,), is_pair=True) for text, short in rest]


def _trained(clusters: Sequence[Cluster], options: Mapping[str, str]) -> Summarizer:
    return Summarizer.train(list(clusters), options=dict(options), progress=False)


def _cuts(pairs: Sequence[Cluster]) -> Summarizer:
    """Return what is learned of compressed sentences alone."""
    return _trained(pairs, {"model.min-count": "1"})


def _post_combined(extractive: Summarizer, cuts: Summarizer, mixture: float) -> Summarizer:
    own = extractive._model
    return Summarizer(State(own.config, combined([(own.weights, 1.0), (cuts._model.weights, mixture)])))


def _summarizer(model: Summarizer, *, compress: bool = True) -> Callable[[Cluster], str]:
    return lambda cluster: str(model.summarize(cluster.documents, words=cluster.words, compress=compress))


def _best(models: Mapping[float, Summarizer], dev: Sequence[Cluster]) -> tuple[float, Summarizer]:
    scores = {value: float(np.mean(timed_texts(_summarizer(model), dev)["R2"])) for value, model in models.items()}
    value = max(scores, key=lambda value: scores[value])
    return value, models[value]


def decoders(bank: Treebank, scale: Scale) -> dict[str, Any]:
    """Return for every decoder of Table 3 its seconds, values and recalls on each problem."""
    inputs = inputs_of(bank, scale)
    model = _trained(inputs.train, {})
    found: dict[str, dict[str, list[float]]] = {
        name: {"seconds": [], "value": [], "recall": []} for name in [*_DECODERS, "extractive ILP"]
    }
    for layout, problem, (whole, extractive), references in _problems(model, inputs.test):
        for name, own in found.items():
            asked = extractive if name == "extractive ILP" else problem
            began = time.thread_time()
            kept = _DECODERS.get(name, _DECODERS["ILP"])(asked)
            own["seconds"].append(time.thread_time() - began)
            own["value"].append(asked.value(kept))
            own["recall"].append(100 * recall(whole if asked is extractive else layout, kept, references))
    return {"decoders": found}


def _problems(
    model: Summarizer, clusters: Sequence[Cluster]
) -> Iterator[tuple[Layout, SummaryProblem, tuple[Layout, SummaryProblem], list[list[tuple[str, str]]]]]:
    """Yield the problem of each cluster, the same without cuts, and the references."""
    import ramify

    nlp, state = ramify.load("en"), model._model
    for cluster in clusters:
        source = read_source(cluster.documents, nlp.segmenter)
        reading = read_input(source)
        scores = reading.scores(state.weights.scores(reading.rows))
        chosen = standing_sentences(reading, candidate_sentences(reading))
        chosen = standing_sentences(reading, best_sentences(reading, scores, chosen, _CANDIDATES))
        whole = lay_out(reading, chosen, _WORDS, sentences=_SENTENCES)
        results = nlp.annotate([source.sentences[s].columns for s in chosen])
        trees = {s: r.sentence for s, r in zip(chosen, results, strict=True) if r.found}
        cut = read_input(source, trees=trees, concepts=reading.concepts)
        layout = lay_out(cut, chosen, _WORDS, sentences=_SENTENCES)
        problem = layout.scored(cut.scores(state.weights.scores(cut.rows)))
        references = [bigrams_of(text) for text in cluster.summaries]
        yield layout, problem, (whole, whole.scored(scores)), references


def _relaxed(problem: SummaryProblem) -> NDArray[np.bool_]:
    graph = problem.graph()
    return nearest_summary(problem, graph.marginals(LP().solve(graph.problem).marginals))


_DECODERS: dict[str, Callable[[SummaryProblem], NDArray[np.bool_]]] = {
    "ILP": lambda problem: solve(problem, Method.ILP).kept,
    "LP": _relaxed,
    "AD3, 5000 iterations": lambda problem: solve(problem, Method.AD3_PAPER, 5000).kept,
    "AD3, 1000 iterations": lambda problem: solve(problem, Method.AD3_PAPER, 1000).kept,
    "AD3, 200 iterations": lambda problem: solve(problem, Method.AD3_PAPER, 200).kept,
    "ours: the default": lambda problem: solve(problem, Method.AD3, 100).kept,
    "ours: the relaxation alone": lambda problem: solve(problem, Method.SEARCH).kept,
}


def _plan(banks: Iterable[Treebank], scale: Scale) -> list[Trial]:
    trials = []
    for bank in banks:
        if bank.language in _SETS:
            trials.append(Trial(bank, "Table 2", "first", study=systems))
        if bank.language == _DECODED:
            trials.append(Trial(bank, "Table 3", "first", study=decoders))
    # In quick runs, long documents are only decoded.
    return [trial for trial in trials if not scale.train or (trial.bank.language, trial.name) != (_DECODED, "Table 2")]


def _tables(outcomes: Outcomes) -> list[Table]:
    tables = []
    found = {language: outcomes.probe(language, "Table 2") for language in outcomes.languages}
    found = {language: probe for language, probe in found.items() if probe}
    if found:
        names = next(iter(found.values()))["systems"]
        rows = [
            [name, *(_cell(probe["systems"][name]) for probe in found.values()), _THEIRS.get(name, "")]
            for name in names
        ]
        chosen = "; ".join(
            f"{language}: factor of the cuts of post-combined {probe['mixture']}, penalty of shared weights "
            f"{probe['shared']}"
            for language, probe in found.items()
        )
        note = f"ROUGE-2 / ROUGE-SU4 recall in per cent, and words on average. Chosen on dev: {chosen}."
        tables.append(Table("Table 2: models", ["", *found, "paper: TAC 2008"], rows, note))
    probe = outcomes.probe(_DECODED, "Table 3")
    if probe:
        best = np.array(probe["decoders"]["ILP"]["value"])
        rows = [_decoder_row(name, own, best) for name, own in probe["decoders"].items()]
        columns = ["", "CPU s", "ROUGE-2", "mean gap", "no summary", "paper: s, ROUGE-2"]
        tables.append(Table("Table 3: decoders", columns, rows, _NOTE_3.format(len(best))))
    return tables


_NOTE_3 = (
    "{} papers, cut to their best 1,000 words; summaries of at most 100 words and 6 sentences. The seconds are for "
    "one problem on average, with rounding and without parsing. AD3 and LP are rounded as in the paper; both rows of "
    "`ours` start from another relaxation, whose trees and budget are exact. The gap is that to the value of the ILP; "
    "ROUGE-2 is the recall of stemmed bigrams."
)


def _decoder_row(name: str, own: Mapping[str, list[float]], best: NDArray[np.float64]) -> list[str]:
    values = np.array(own["value"])
    gap = "" if name == "extractive ILP" else f"{100 * np.mean(1 - values / np.maximum(best, 1e-9)):.2f}%"
    return [name, f"{np.mean(own['seconds']):.3f}", f"{np.mean(own['recall']):.2f}", gap,
            str(int(np.sum(values <= 0))), _THEIRS_3.get(name, "")]  # fmt: skip


def _cell(own: Mapping[str, Any]) -> str:
    return f"{np.mean(own['R2']):.2f} / {np.mean(own['RSU4']):.2f}, {own['words']:.0f}"


def _claims(outcomes: Outcomes) -> list[Claim]:
    claims = [
        claim("Compressive summaries have a better ROUGE-2 than extractive ones", outcomes, "Table 2", "extractive",
              "single-task"),
        claim("Multi-task learning is better than a single task", outcomes, "Table 2", "single-task", "multi-task",
              _WHY_TASKS),
        claim("Multi-task learning is better than combining models trained separately", outcomes, "Table 2",
              "post-combined", "multi-task", _WHY_TASKS),
        claim("Combining models trained separately is worse than extraction alone", outcomes, "Table 2",
              "post-combined", "extractive", _WHY_POST),
    ]  # fmt: skip
    probe = outcomes.probe(_DECODED, "Table 3")
    if probe:
        claims += _speed_claims(probe["decoders"])
    return claims


def _speed_claims(decoders: Mapping[str, Mapping[str, list[float]]]) -> list[Claim]:
    seconds = {name: float(np.mean(own["seconds"])) for name, own in decoders.items()}
    claims = []
    for text, slow, fast, ratio in (
        ("AD3 with 1,000 iterations is 25 times faster than the ILP", "ILP", "AD3, 1000 iterations", 25.0),
        ("AD3 with 1,000 iterations is 5 times faster than the linear relaxation", "LP", "AD3, 1000 iterations", 5.0),
        ("Ours: the default decoder is 10 times faster than the ILP", "ILP", "ours: the default", 10.0),
    ):
        found = seconds[slow] / seconds[fast]
        evidence = f"{slow} {seconds[slow]:.3f} s, {fast} {seconds[fast]:.3f} s: {found:.1f} times"
        claims.append(Claim(text, found >= ratio, evidence, _WHY_FAST))
    return claims


_WHY_TASKS = (
    "the single task has as many examples here as the extractive one, because its summaries are computed; in the "
    "paper, compressive summaries were scarce. The third task is news, and the documents are not."
)
_WHY_POST = (
    "the rules for cuts are strict here, so that most cuts harm little even if their scores come from other data, and "
    "short budgets reward cuts."
)
_WHY_FAST = (
    "HiGHS solves these programs much faster than the GLPK of 2013, which the paper used, and the graph has half "
    "the variables, because words that cannot be cut from their heads are one unit, which helps HiGHS, too."
)

PAPER = Paper(
    name="almeida-martins-2013",
    title="Almeida & Martins 2013: compressive summarization",
    about="A summary covers the bigrams with the highest scores, and deletes parts of sentences to cover more of them. "
    "All of it is one factor graph, solved by AD3; extraction, compression and both at once are learned as tasks that "
    "share weights.",
    use="This is the model of [`ramify summarize`](../guides/summarization.md). `training.shared` sets how much the "
    "tasks share, and `decoding.method` the decoder.",
    quick=("scitldr", _DECODED),
    full=_SETS,
    study=Study(_plan, _tables, _claims),
    banks=summary_banks,
    preset=False,
    made="every third cluster is for testing; in quick runs at most 100 clusters and 300 pairs for training",
    left="Pyramid scores and linguistic quality, which need people, and the compressive summarizers of others.",
    differs=(
        "TAC 2008 and 2009 and DUC 2003 and 2004 cannot be had. Sets of reviews and of scientific papers stand in for "
        "them, so that levels cannot be compared with the paper, only the order of systems.",
        "Nobody wrote compressive extracts of these documents: the best ones are computed from the references, by "
        "maximizing bigram recall. Pairs from Google's news corpus are the compression task.",
        "In training, a relaxation with exact trees and budget finds the best summary instead of AD3.",
        "Cuts are restricted by rules for Universal Dependencies. Words that cannot be cut from their heads are one "
        "variable.",
    ),
    places=(
        ("§3.1 coverage", "`src/ramify/summarization/concepts.py`", "`tests/unit/summarization/test_concepts.py`"),
        (
            "§3.2 compression",
            "`src/ramify/compression/compressor.py`, `src/ramify/summarization/cuts.py`",
            "`tests/unit/compression/test_compressor.py`, `tests/unit/summarization/test_cuts.py`",
        ),
        ("§3.3 factor graph", "`src/ramify/summarization/problem.py`", "`tests/unit/summarization/test_problem.py`"),
        ("§3.4 rounding", "`src/ramify/summarization/rounding.py`", "`tests/unit/summarization/test_problem.py`"),
        (
            "§3.5 features",
            "`src/ramify/summarization/features.py`, `src/ramify/compression/features.py`",
            "`tests/unit/summarization/test_training.py`, `tests/unit/compression/test_training.py`",
        ),
        (
            "§4 multi-task learning",
            "`src/ramify/learn/linear.py`, `src/ramify/summarization/training.py`",
            "`tests/unit/learn/test_linear.py`, `tests/unit/summarization/test_training.py`",
        ),
        ("App. A", "`cpp/src/factors/budget.cpp`", "`tests/contract/test_factors.py`"),
    ),
)
