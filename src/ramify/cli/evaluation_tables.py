"""Tables and JSON of ``ramify evaluate``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TextIO

from rich import box
from rich.table import Table

from ramify.cli.console import data_console
from ramify.evaluation import Punctuation
from ramify.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.cli.evaluation_report import Report, SystemReport
    from ramify.evaluation import Dimension, Interval

__all__ = ["percent", "plain_table", "print_json", "print_notes", "print_tables"]

_WHICH_WORDS = {
    Punctuation.COUNT: "all words",
    Punctuation.SKIP_FORM: "no punctuation, by form",
    Punctuation.SKIP_UPOS: "no punctuation, by UPOS",
}


def print_json(report: Report, stream: TextIO) -> None:
    """Write all figures as one JSON object."""
    json.dump({"systems": [system.to_dict() for system in report.systems]}, stream, indent=2, ensure_ascii=False)
    stream.write("\n")


def print_notes(report: Report, stream: TextIO) -> None:
    """Write remarks, one to a line."""
    for note in report.notes:
        stream.write(f"note: {printable(note)}\n")


def print_tables(report: Report, stream: TextIO) -> None:
    """Write the report as tables."""
    console = data_console(stream)
    for number, table in enumerate(_tables(report.systems)):
        if number:
            console.print()
        console.print(table)


def _tables(systems: list[SystemReport]) -> Iterable[Table]:
    if systems[0].conll18 is not None:
        yield _conll18(systems)
    if any(system.attachment for system in systems):
        yield _attachment(systems)
    for dimension in systems[0].by:
        yield _by(systems, dimension)
    if systems[0].chunks is not None:
        yield _chunks(systems)
    if systems[0].rouge is not None:
        yield _rouge(systems)
    if any(system.comparison for system in systems):
        yield _comparisons(systems)


def plain_table(title: str, columns: Iterable[str], *, text_columns: int = 1) -> Table:
    """Make an empty table; the columns after the first ones are for numbers."""
    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False
    )
    for index, column in enumerate(columns):
        table.add_column(column, justify="left" if index < text_columns else "right", no_wrap=True)
    return table


def percent(value: float | None) -> str:
    """Show a share as a percentage, or nothing where there is none."""
    return "" if value is None else f"{100 * value:.2f}"


def _conll18(systems: list[SystemReport]) -> Table:
    evaluations = [system.conll18 for system in systems if system.conll18 is not None]
    if len(evaluations) > 1:
        table = plain_table("CoNLL 2018, F1", ["", *(system.name for system in systems)])
        for scores in zip(*(evaluation.items() for evaluation in evaluations), strict=True):
            table.add_row(scores[0][0], *(percent(score.f1) for _, score in scores))
        return table
    table = plain_table("CoNLL 2018", ["", "precision", "recall", "F1", "aligned accuracy"])
    for metric, score in evaluations[0].items():
        figures = (score.precision, score.recall, score.f1, score.aligned_accuracy)
        table.add_row(metric, *(percent(figure) for figure in figures))
    return table


def _attachment(systems: list[SystemReport]) -> Table:
    table = plain_table("CoNLL-X, same words", ["", "", *(system.name for system in systems)], text_columns=2)
    rows = (
        ("UAS", "uas"),
        ("LAS", "las"),
        ("label accuracy", "label_accuracy"),
        ("exact match, unlabelled", "unlabelled_exact_match"),
        ("exact match, labelled", "labelled_exact_match"),
        ("root accuracy", "root_accuracy"),
    )
    which_words = next(list(system.attachment) for system in systems if system.attachment)
    for which in which_words:
        for number, (name, figure) in enumerate(rows):
            cells = [
                percent(getattr(system.attachment[which], figure)) if system.attachment else "–" for system in systems
            ]
            table.add_row(_WHICH_WORDS[which] if number == 0 else "", name, *cells)
    return table


def _by(systems: list[SystemReport], dimension: Dimension) -> Table:
    several = len(systems) > 1
    columns = [dimension.value, "gold arcs"]
    for system in systems:
        columns += [f"{system.name} P" if several else "precision", "R" if several else "recall", "F1"]
    table = plain_table(f"Arcs by {dimension.value}", columns)
    kinds: dict[str, None] = {}
    for system in systems:
        kinds.update(dict.fromkeys(system.by[dimension]))
    for kind in kinds:
        scores = [system.by[dimension].get(kind) for system in systems]
        gold_total = next(score.gold_total for score in scores if score is not None)
        cells = []
        for score in scores:
            figures = (score.precision, score.recall, score.f1) if score is not None else (None, None, None)
            cells += [percent(figure) for figure in figures]
        table.add_row(kind, str(gold_total), *cells)
    return table


def _chunks(systems: list[SystemReport]) -> Table:
    several = len(systems) > 1
    columns = ["", "in gold"]
    for system in systems:
        columns += [f"{system.name} P" if several else "precision", "R" if several else "recall", "F1"]
    table = plain_table("Chunks or labels", columns)
    results = [system.chunks for system in systems if system.chunks is not None]
    overall = [result.overall for result in results]
    figures = [percent(figure) for score in overall for figure in (score.precision, score.recall, score.f1)]
    table.add_row("all", str(overall[0].gold_total), *figures)
    for kind in sorted({kind for result in results for kind in result.by_type}):
        scores = [result.by_type.get(kind) for result in results]
        cells = []
        for score in scores:
            triple = (score.precision, score.recall, score.f1) if score is not None else (None, None, None)
            cells += [percent(figure) for figure in triple]
        table.add_row(kind, str(next(score.gold_total for score in scores if score is not None)), *cells)
    accuracies = [cell for result in results for cell in ("", "", percent(result.accuracy))]
    table.add_row("word accuracy", str(results[0].num_words) + " words", *accuracies)
    return table


def _rouge(systems: list[SystemReport]) -> Table:
    table = plain_table("ROUGE", ["", "", "recall", "95 % interval", "precision", "F1"], text_columns=2)
    for system in systems:
        for number, (metric, scores) in enumerate((system.rouge or {}).items()):
            recall = scores.interval("recall")
            others = (float(figures.mean()) for figures in (scores.precision, scores.f1))
            name = system.name if number == 0 else ""
            table.add_row(name, metric.value, percent(recall.value), _bounds(recall), *map(percent, others))
    return table


def _comparisons(systems: list[SystemReport]) -> Table:
    found = [(system.name, system.comparison) for system in systems if system.comparison is not None]
    how = found[0][1]
    title = f"{how.metric} against {systems[0].name}: {how.test.value}, {how.samples} samples, seed {how.seed}"
    interval = f"{100 * how.confidence:g} % interval"
    table = plain_table(title, ["", how.metric, interval, "difference", interval, "p"])
    table.add_row(systems[0].name, percent(how.system_a.value), _bounds(how.system_a), "", "", "")
    for name, result in found:
        table.add_row(
            name,
            percent(result.system_b.value),
            _bounds(result.system_b),
            f"{100 * result.difference.value:+.2f}",
            _bounds(result.difference, signed=True),
            f"{result.p_value:.4f}",
        )
    return table


def _bounds(interval: Interval, *, signed: bool = False) -> str:
    form = "+.2f" if signed else ".2f"
    return f"{100 * interval.low:{form}} to {100 * interval.high:{form}}"
