"""``ramify info`` shows what a file holds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from ramify.cli.console import data_console, message
from ramify.cli.options import argument, flag, value
from ramify.cli.slow_progress import SlowProgress
from ramify.cli.usage import UsageError
from ramify.data import read
from ramify.data.files import file_name
from ramify.data.statistics import TreebankStatistics
from ramify.errors import ParseError
from ramify.printable import printable

if TYPE_CHECKING:
    from collections import Counter

__all__ = ["info"]

_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-z]+)*")  # of a model that comes with ramify: en, en-neural

_PROBLEMS_SHOWN = 10


def info(
    files: Annotated[list[str], argument("FILE...", "Treebanks or models to look at; - is standard input.")],
    as_json: Annotated[bool, flag("Write everything as JSON, for other programs.", "--json")] = False,
    templates: Annotated[
        bool,
        flag(
            "Show the feature templates of models: their weights, norms, and shares of the scores of training data. "
            "For several models, also show how many templates of each group they have.",
            "--templates",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        value(
            "FILE",
            "File to write as SVG: which template entered the model at which budget of select.path; for several "
            "models, how many templates of each group they have.",
        ),
    ] = None,
) -> None:
    """Show what treebanks contain, or the cards of models.

    For a treebank these are its size, tags, labels, the shapes of its trees, and its problems. Treebanks are read
    leniently: malformed places are repaired or skipped, and listed as problems.

    [bold]Examples[/bold]

    ramify info treebank.conllu

    ramify info train.conllu dev.conllu test.conllu

    ramify info treebank.conllu.gz --json | jq .nonprojective_arcs

    ramify info model/

    ramify info en

    ramify info model/ --templates --plot path.svg
    """
    files = [_built_in(file) for file in files]
    models = [file for file in files if _may_be_model(file)]
    statistics = {file: _count(file) for file in files if file not in models}
    if as_json:
        values = [{"file": file} | _facts(file) for file in models]
        values += [{"file": file} | s.to_dict() for file, s in statistics.items()]
        typer.echo(json.dumps(values[0] if len(values) == 1 else values, ensure_ascii=False, indent=2))
        return
    if templates or plot is not None:
        _show_templates(files, models, templates, plot)
        return
    for file in models:
        typer.echo(printable(_card(file), lines=True))
    if statistics:
        _show(statistics)


def _built_in(name: str) -> str:
    """Return the path of a model that comes with ramify, and all other names as they are."""
    if not _LANGUAGE.fullmatch(name) or Path(name).is_file():
        return name  # told without importing the pipeline, which treebanks do not need
    from ramify.pipeline import find_built_in

    return str(find_built_in(name) or name)


def _may_be_model(file: str) -> bool:
    # Told without importing the parser, which treebanks do not need.
    path = Path(file)
    return (path / "card.md").exists() or ".zip" in (path.suffix.lower(), path.parent.suffix.lower())


def _show_templates(files: list[str], models: list[str], table: bool, plot: Path | None) -> None:
    from ramify.learn.templates import (
        group_count_table,
        group_counts,
        selection_note,
        template_rows,
        template_table,
    )
    from ramify.viz.selection import draw_groups, draw_path

    if len(models) < len(files):
        raise UsageError(f"--templates and --plot expect models; got {', '.join(map(repr, files))}.")
    facts = {file: _facts(file) for file in models}
    rows = {file: template_rows(own) for file, own in facts.items()} if table or len(models) > 1 else {}
    if table:
        for file, own in facts.items():
            note = selection_note(own)
            text = "\n".join((f"{file}: {note}\n" if note else f"{file}\n", template_table(rows[file])))
            typer.echo(printable(text, lines=True))
    if len(models) == 1:
        if plot is not None:
            draw_path(facts[models[0]], plot)
        return
    counts = group_counts(rows, _groups_of)
    if table:
        typer.echo(printable(f"\n{group_count_table(counts)}", lines=True))
    if plot is not None:
        draw_groups(counts, plot)


def _groups_of(template: str) -> tuple[str, ...]:
    if ": " in template:  # a kind of parts, which templates of taggers do not have
        from ramify.parsing.template_groups import groups_of

        return groups_of(template)
    from ramify.tagging.pools import groups_of as groups_of_taggers

    return groups_of_taggers(template)


def _facts(file: str) -> dict[str, Any]:
    from ramify.learn.registry import read_model_facts

    return read_model_facts(file)


def _card(file: str) -> str:
    from ramify.learn.containers import read_card

    return read_card(file).rstrip("\n")


def _show(statistics: dict[str, TreebankStatistics]) -> None:
    data_console().print(_table(statistics))
    for file, s in statistics.items():
        for problem in s.problems[:_PROBLEMS_SHOWN]:
            message(str(problem), style="yellow")
        if len(s.problems) > _PROBLEMS_SHOWN:
            message(f"{file}: {len(s.problems) - _PROBLEMS_SHOWN:,} more problems; --json lists all", style="yellow")


def _count(file: str) -> TreebankStatistics:
    statistics = TreebankStatistics()
    with SlowProgress(f"Reading {file}") as progress:
        for sentence in progress.track(read(file, strict=False, on_problem=statistics.problems.append)):
            statistics.add(sentence)
    if not statistics.sentences:
        raise _no_treebank(file, statistics)
    return statistics


def _no_treebank(file: str, statistics: TreebankStatistics) -> ParseError:
    found = "an empty file"
    if statistics.problems:
        first = statistics.problems[0]
        found = f"no sentence (line {first.line}: expected {first.expected}; found {first.found})"
    return ParseError(file_name(file), 0, "", "a treebank in CoNLL-U or CoNLL-X, or a model", found)


def _table(statistics: dict[str, TreebankStatistics]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for file in statistics:
        table.add_column(file, justify="right", overflow="fold")
    rows = [_rows(s) for s in statistics.values()]
    for name in rows[0]:
        table.add_row(name, *(row[name] for row in rows))
    return table


def _rows(s: TreebankStatistics) -> dict[str, str]:
    lengths = s.arc_length_bins()
    return {
        "sentences": f"{s.sentences:,}",
        "words": f"{s.words:,}",
        "surface tokens": f"{s.tokens:,}",
        "multiword tokens": f"{s.multiword_tokens:,}",
        "empty nodes": f"{s.empty_nodes:,}",
        "words a sentence": f"{_ratio(s.words, s.sentences):.1f}, longest {s.longest_sentence:,}",
        "types: forms, lemmas": f"{len(s.forms):,}, {len(s.lemmas):,}",
        "tags: UPOS, XPOS": f"{len(s.upos):,}, {len(s.xpos):,}",
        "features": f"{len(s.feats):,}",
        "labels": f"{len(s.deprels):,}",
        "most frequent labels": _most_frequent(s.deprels),
        "sentences with trees": f"{s.trees:,}",
        "non-projective arcs": _share(s.nonprojective_arcs, s.arcs),
        "non-projective sentences": _share(s.nonprojective_sentences, s.trees),
        "crossing arcs": _share(s.crossing_arcs, s.arcs),
        "gap degree, highest": f"{max(s.gap_degrees, default=0)}",
        "tree depth": f"{_mean(s.depths):.1f}, deepest {max(s.depths, default=0)}",
        "arc length": f"{_mean(s.arc_lengths):.1f}, longest {max(s.arc_lengths, default=0)}",
        "arcs by length": ", ".join(f"{name}: {_percent(n, sum(lengths.values()))}" for name, n in lengths.items()),
        "sentences with several roots": f"{sum(n for roots, n in s.roots.items() if roots > 1):,}",
        "problems": f"{len(s.problems):,}",
    }


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _percent(part: int, whole: int) -> str:
    return f"{100 * _ratio(part, whole):.1f}%"


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * _ratio(part, whole):.2f}%)"


def _mean(counts: Counter[int]) -> float:
    return _ratio(sum(value * n for value, n in counts.items()), sum(counts.values()))


def _most_frequent(counts: Counter[str]) -> str:
    return " ".join(label for label, _ in counts.most_common(5))
