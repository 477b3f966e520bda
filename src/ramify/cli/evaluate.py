"""``ramify evaluate``: scores of one or several systems against gold.

Annotations are evaluated here, because typer makes options of them.
"""

import sys
from pathlib import Path
from typing import Annotated, Any

from ramify import data
from ramify.cli.evaluate_model import given_to, is_model, load_evaluated, predicted, tagger_scores
from ramify.cli.evaluation_report import (
    Report,
    SystemReport,
    TestOptions,
    sequence_report,
    summary_report,
    treebank_report,
)
from ramify.cli.evaluation_tables import print_json, print_notes, print_tables
from ramify.cli.options import Threads, argument, flag, value
from ramify.cli.slow_progress import SlowProgress
from ramify.cli.usage import UsageError, checking_options, completing, split_list
from ramify.data import LabelScheme
from ramify.errors import InvalidInputError
from ramify.evaluation import Dimension, Punctuation, RougeMetric, SignificanceTest
from ramify.evaluation.corpus import load, read_gold
from ramify.evaluation.summaries import read_summaries
from ramify.options import Choice, check_argument

__all__ = ["evaluate"]

_KINDS = ", ".join(dimension.value for dimension in Dimension)
_TESTS = " or ".join(test.value for test in SignificanceTest)
_SCHEMES = ", ".join(scheme.value for scheme in LabelScheme)


def evaluate(
    gold: Annotated[
        Path, argument("GOLD|MODEL", "File with the right answers (- is standard input), or a model to score.")
    ],
    systems: Annotated[
        list[Path], argument("SYSTEM...", "One or more files to score; or the treebank to score the model on.")
    ],
    gold_tokens: Annotated[
        bool, flag("Give a pipeline the sentences and words of the treebank, not its text.", "--gold-tokens")
    ] = False,
    threads: Threads = 1,
    by: Annotated[
        str,
        value(
            "KIND,...",
            f"Show scores for each kind of arc: by {_KINDS}.",
            autocompletion=completing(lambda: [dimension.value for dimension in Dimension]),
        ),
    ] = "",
    labelled: Annotated[
        bool,
        flag(
            "With --by, count an arc as right only with the right label, or with any label.", "--labelled/--unlabelled"
        ),
    ] = True,
    punctuation: Annotated[
        str,
        value(
            "WORDS,...",
            "CoNLL-X scores to show: count (all words), skip-form (without words of punctuation characters), "
            "skip-upos (without words tagged PUNCT).",
        ),
    ] = "count,skip-form",
    subtypes: Annotated[
        bool,
        flag(
            "Treat nsubj:pass and nsubj as different labels in CoNLL-X scores and --by, or as the same one. The "
            "CoNLL 2018 metrics always treat them as the same.",
            "--subtypes/--no-subtypes",
        ),
    ] = False,
    test: Annotated[
        SignificanceTest | None, value("TEST", f"Test the other systems against the first: {_TESTS}.")
    ] = None,
    metric: Annotated[
        str,
        value(
            "METRIC",
            "CoNLL 2018 metric to test; with --rouge 1, 2, L or SU4, of which the recall is tested.",
            show_default="LAS, or 2 with --rouge",
        ),
    ] = "",
    samples: Annotated[int, value("N", "Number of random samples of the test.", min=1)] = 10_000,
    seed: Annotated[int, value("N", "Random seed of the test.", min=0)] = 0,
    sequences: Annotated[
        bool, flag("Score chunks in column files, which have the word first and the label last.", "--sequences")
    ] = False,
    rouge: Annotated[
        bool,
        flag("Score summaries by ROUGE. The files are JSON lines, lines of text, or folders of .txt files.", "--rouge"),
    ] = False,
    strict: Annotated[
        LabelScheme | None,
        value("SCHEME", f"With --sequences, count only chunks that are well-formed in this scheme: {_SCHEMES}."),
    ] = None,
    as_json: Annotated[bool, flag("Write JSON instead of tables.", "--json")] = False,
    plot: Annotated[
        Path | None, value("FILE", "Draw a figure as .svg, .pdf or .png: of the first --by, or of the metrics.")
    ] = None,
) -> None:
    """Score SYSTEM files against a GOLD file, or a MODEL on a treebank.

    The metrics are those of the CoNLL shared tasks. A system may split the
    text into other sentences, tokens and words than the gold file; words are
    then aligned as in the CoNLL 2018 task. Several systems are shown side by
    side.

    All metrics of one parser:

        ramify evaluate gold.conllu parsed.conllu

    Two parsers side by side, with a test of whether the difference is chance:

        ramify evaluate gold.conllu a.conllu b.conllu --test randomization

    A model on a treebank. A pipeline starts from the raw text, a parser gets
    the words and tags of the treebank, and a tagger its words:

        ramify evaluate en test.conllu

        ramify evaluate model/ test.conllu

    Where the errors are, by label and by arc length, with a figure:

        ramify evaluate gold.conllu a.conllu --by label,arc-length --plot a.svg

    One figure for a script:

        ramify evaluate gold.conllu a.conllu --json | jq .systems[0].conll18.LAS

    Entities in column files:

        ramify evaluate --sequences gold.iob predicted.iob

    Summaries, against human ones:

        ramify evaluate --rouge references.jsonl summaries.jsonl
    """
    if [str(path) for path in (gold, *systems)].count("-") > 1:
        raise UsageError("Only one file can be standard input (-); name the others.")
    with checking_options():
        dimensions = [check_argument("evaluate", "--by", Choice(Dimension), name) for name in split_list(by)]
        counted = [
            check_argument("evaluate", "--punctuation", Choice(Punctuation), name) for name in split_list(punctuation)
        ]
        if plot is not None:
            from ramify.cli.evaluation_figure import check_plot

            check_plot(plot)
    options = TestOptions(test, metric or ("2" if rouge else "LAS"), samples, seed)
    if rouge and (sequences or by or gold_tokens or plot is not None):
        raise UsageError("--rouge is about summaries; leave out --sequences, --by, --gold-tokens and --plot.")
    model = not rouge and is_model(str(gold))
    named = {} if model else _named(systems)
    if gold_tokens and not model:
        raise UsageError(f"--gold-tokens is for ramify evaluate MODEL TREEBANK; {str(gold)!r} is no model.")
    if sequences and by:
        raise UsageError("--by is about arcs; leave it out with --sequences.")
    if sequences and model:
        raise UsageError("--sequences is for column files; leave it out with a MODEL, which knows its columns.")
    with SlowProgress("Testing significance", options.steps * (len(systems) - 1)) as progress:
        if rouge:
            report = _score_summaries(gold, named, options, progress)
        elif sequences:
            report = _score_sequences(gold, named, options, strict, progress)
        else:
            arcs: dict[str, Any] = {
                "by": dimensions,
                "punctuation": counted,
                "labelled": labelled,
                "subtypes": subtypes,
            }
            if model:
                report = _score_model(str(gold), systems, options, gold_tokens, threads, arcs)
            else:
                right = load(_source(gold), "gold")
                files = {name: load(_source(path), name) for name, path in named.items()}
                report = treebank_report(right, files, options, **arcs, progress=progress.advance)
    if plot is not None:
        from ramify.cli.evaluation_figure import draw

        draw(report, plot)
    print_notes(report, sys.stderr)
    if as_json:
        print_json(report, sys.stdout)
    else:
        print_tables(report, sys.stdout)


def _score_model(
    name: str, treebanks: list[Path], options: TestOptions, gold_tokens: bool, threads: int, arcs: dict[str, Any]
) -> Report:
    from ramify.tagging import Tagger

    if len(treebanks) > 1:
        raise UsageError(f"ramify evaluate MODEL expects one treebank; got {len(treebanks)}.")
    source = _source(treebanks[0])
    model = load_evaluated(name)
    title = Path(name).name
    note = given_to(model, gold_tokens=gold_tokens)
    if isinstance(model, Tagger):
        if arcs["by"]:
            raise UsageError(f"--by is about arcs; leave it out with {name}, which is a tagger.")
        return Report([SystemReport(title, chunks=tagger_scores(model, source, threads))], [note])
    gold = read_gold(source)
    system = load(predicted(model, gold, gold_tokens=gold_tokens, threads=threads), title)
    report = treebank_report(load(gold, "gold"), {title: system}, options, **arcs)
    return Report(report.systems, [note, *report.notes])


def _score_sequences(
    gold: Path, systems: dict[str, Path], options: TestOptions, strict: LabelScheme | None, progress: SlowProgress
) -> Report:
    return sequence_report(
        _labels(gold),
        {name: _labels(path) for name, path in systems.items()},
        options,
        strict=strict,
        progress=progress.advance,
    )


def _score_summaries(gold: Path, systems: dict[str, Path], options: TestOptions, progress: SlowProgress) -> Report:
    with checking_options():
        check_argument("evaluate", "--metric", Choice(RougeMetric), options.metric)
    files = {name: read_summaries(_source(path)) for name, path in systems.items()}
    return summary_report(read_summaries(_source(gold)), files, options, progress=progress.advance)


def _labels(path: Path) -> list[tuple[str, ...]]:
    return [sequence.labels for sequence in data.read_sequences(_source(path))]


def _source(path: Path) -> str:
    """Return the path as the readers want it, having looked whether there is such a file."""
    if str(path) != "-" and not path.exists():
        raise InvalidInputError(f"There is no file {str(path)!r}.")
    return str(path)


def _named(paths: list[Path]) -> dict[str, Path]:
    """Name systems by file name, or by path where file names repeat."""
    short = {path.name: path for path in paths}
    names = short if len(short) == len(paths) else {str(path): path for path in paths}
    if len(names) < len(paths):
        raise UsageError("A system file is given twice; give each once.")
    return names
