"""Collect what ``ramify evaluate`` shows: the results of all systems, before they become tables, JSON or a figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ramify.errors import InvalidInputError
from ramify.evaluation import (
    AttachmentScores,
    Comparison,
    Evaluation,
    RougeMetric,
    SignificanceTest,
    attachment_scores,
    breakdown,
    chunk_counts,
    chunk_scores,
    compare,
    compare_counts,
    compare_scores,
    evaluate,
    rouge,
)
from ramify.evaluation.attachment import check_same_words
from ramify.evaluation.summaries import matched_summaries

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ramify.data import LabelScheme
    from ramify.evaluation import ArcScore, ChunkScores, Dimension, Punctuation, RougeScores
    from ramify.evaluation.corpus import Corpus

__all__ = ["Report", "SystemReport", "TestOptions", "sequence_report", "summary_report", "treebank_report"]


@dataclass(frozen=True)
class TestOptions:
    """Options of the significance tests of all systems against the first; there is no test if ``test`` is None."""

    __test__ = False  # no class of tests, whatever pytest thinks of its name

    test: SignificanceTest | None
    metric: str
    samples: int
    seed: int

    @property
    def steps(self) -> int:
        """Return the number of samples that one comparison draws; both tests also bootstrap the intervals."""
        return self.samples * (2 if self.test is SignificanceTest.RANDOMIZATION else 1)


@dataclass(frozen=True)
class SystemReport:
    """The results of one system: those that were asked for and that make sense for it."""

    name: str
    conll18: Evaluation | None = None
    attachment: dict[Punctuation, AttachmentScores] | None = None
    by: dict[Dimension, dict[str, ArcScore]] = field(default_factory=dict)
    chunks: ChunkScores | None = None
    rouge: dict[RougeMetric, RougeScores] | None = None
    comparison: Comparison | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON, without the results that are missing."""
        result: dict[str, Any] = {"name": self.name}
        if self.conll18 is not None:
            result["conll18"] = self.conll18.to_dict()
        if self.attachment is not None:
            result["attachment"] = {which.value: scores.to_dict() for which, scores in self.attachment.items()}
        if self.by:
            result["by"] = {
                dimension.value: {kind: score.to_dict() for kind, score in scores.items()}
                for dimension, scores in self.by.items()
            }
        if self.chunks is not None:
            result["chunks"] = self.chunks.to_dict()
        if self.rouge is not None:
            result["rouge"] = {metric.value: scores.to_dict() for metric, scores in self.rouge.items()}
        if self.comparison is not None:
            result["comparison"] = self.comparison.to_dict()
        return result


@dataclass(frozen=True)
class Report:
    """The reports of all systems, and remarks for the person who reads them."""

    systems: list[SystemReport]
    notes: list[str]


def treebank_report(
    gold: Corpus,
    systems: Mapping[str, Corpus],
    options: TestOptions,
    *,
    by: Sequence[Dimension],
    punctuation: Sequence[Punctuation],
    labelled: bool,
    subtypes: bool,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Score treebanks."""
    results: list[SystemReport] = []
    notes = _test_notes(options, len(systems))
    first = next(iter(systems.values()))
    for name, system in systems.items():
        attachment = None
        try:
            check_same_words(gold, system)
        except InvalidInputError:
            notes.append(f"{name} has other words than gold: CoNLL-X scores, which need the same, are left out.")
        else:
            attachment = {
                which: attachment_scores(gold, system, punctuation=which, subtypes=subtypes) for which in punctuation
            }
        comparison = None
        if options.test is not None and results:
            comparison = compare(
                gold,
                first,
                system,
                metric=options.metric,
                test=options.test,
                samples=options.samples,
                seed=options.seed,
                progress=progress,
            )
        kinds = {
            dimension: breakdown(gold, system, dimension, labelled=labelled, subtypes=subtypes) for dimension in by
        }
        conll18 = evaluate(gold, system)
        results.append(SystemReport(name, conll18, attachment, kinds, comparison=comparison))
    return Report(results, notes)


def sequence_report(
    gold: Sequence[Sequence[str]],
    systems: Mapping[str, Sequence[Sequence[str]]],
    options: TestOptions,
    *,
    strict: LabelScheme | None = None,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Score label sequences, given as labels for each sentence."""
    results: list[SystemReport] = []
    first = next(iter(systems.values()))
    for name, system in systems.items():
        comparison = None
        if options.test is not None and results:
            comparison = compare_counts(
                chunk_counts(gold, first, strict=strict),
                chunk_counts(gold, system, strict=strict),
                metric="chunks",
                test=options.test,
                samples=options.samples,
                seed=options.seed,
                progress=progress,
            )
        results.append(SystemReport(name, chunks=chunk_scores(gold, system, strict=strict), comparison=comparison))
    return Report(results, _test_notes(options, len(systems)))


def summary_report(
    gold: dict[str, list[str]],
    systems: Mapping[str, dict[str, list[str]]],
    options: TestOptions,
    *,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Score summaries, given by the names of inputs, and test the recall of the metric that the options name."""
    results: list[SystemReport] = []
    tested = RougeMetric(options.metric)
    for name, system in systems.items():
        scores = rouge(*matched_summaries(gold, system, name))
        comparison = None
        if options.test is not None and results and results[0].rouge is not None:
            comparison = compare_scores(
                results[0].rouge[tested].recall,
                scores[tested].recall,
                metric=f"ROUGE-{tested.value} recall",
                test=options.test,
                samples=options.samples,
                seed=options.seed,
                progress=progress,
            )
        results.append(SystemReport(name, rouge=scores, comparison=comparison))
    return Report(results, _test_notes(options, len(systems)))


def _test_notes(options: TestOptions, num_systems: int) -> list[str]:
    if options.test is not None and num_systems == 1:
        return ["--test compares systems; with one there is nothing to compare."]
    return []
