"""``ramify evaluate``: scores of one or several systems against gold.

Annotations are evaluated here, because typer makes options of them.
"""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ramify import data
from ramify.cli.evaluate_model import given_to, is_model, load_evaluated, predicted, tagger_scores
from ramify.cli.evaluation_report import Report, SystemReport, TestOptions, sequence_report, treebank_report
from ramify.cli.evaluation_tables import print_json, print_notes, print_tables
from ramify.cli.slow_progress import SlowProgress
from ramify.data import LabelScheme
from ramify.errors import InvalidInputError
from ramify.evaluation import Dimension, Punctuation, SignificanceTest
from ramify.evaluation.choices import choose
from ramify.evaluation.corpus import load, read_gold

__all__ = ["evaluate"]

_KINDS = ", ".join(dimension.value for dimension in Dimension)


def evaluate(
    gold: Annotated[
        Path, typer.Argument(metavar="GOLD|MODEL", help="Gold file (- is standard input); or a model to score.")
    ],
    systems: Annotated[
        list[Path], typer.Argument(metavar="SYSTEM...", help="One or more outputs to score; or the model's treebank.")
    ],
    gold_tokens: Annotated[
        bool,
        typer.Option("--gold-tokens", help="Give a pipeline the sentences and words of the treebank, not its text."),
    ] = False,
    threads: Annotated[int, typer.Option(min=0, help="Threads of the model; 0 is all there are.")] = 1,
    by: Annotated[str, typer.Option(metavar="KIND,...", help=f"Score arcs apart by {_KINDS}.")] = "",
    labelled: Annotated[
        bool, typer.Option("--labelled/--unlabelled", help="With --by: whether a right arc needs the right label.")
    ] = True,
    punctuation: Annotated[
        str,
        typer.Option(
            metavar="WHICH,...",
            help="CoNLL-X scores to show: count (all words), skip-form (without words of punctuation characters), "
            "skip-upos (without words tagged PUNCT).",
        ),
    ] = "count,skip-form",
    subtypes: Annotated[
        bool,
        typer.Option(
            "--subtypes/--no-subtypes",
            help="Whether nsubj:pass and nsubj differ in CoNLL-X scores and --by; in CoNLL 2018 metrics they do not.",
        ),
    ] = False,
    test: Annotated[SignificanceTest | None, typer.Option(help="Test the other systems against the first.")] = None,
    metric: Annotated[str, typer.Option(help="CoNLL 2018 metric to test.")] = "LAS",
    samples: Annotated[int, typer.Option(min=1, help="Random samples of the test.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the test.")] = 0,
    sequences: Annotated[
        bool, typer.Option("--sequences", help="Files are columns, word first and label last; score chunks.")
    ] = False,
    strict: Annotated[
        LabelScheme | None,
        typer.Option(help="With --sequences: count only chunks that are well-formed in this scheme."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON instead of tables.")] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw a figure: .svg, .pdf or .png; of the first --by if there is one."),
    ] = None,
) -> None:
    """Score SYSTEM files against a GOLD file, or a MODEL on a treebank.

    Metrics are those of the CoNLL shared tasks. Systems may cut the text
    differently into sentences, tokens and words than gold; words are then
    aligned as in the CoNLL 2018 task. Several systems stand side by side.

    All metrics of one parser:

        ramify evaluate gold.conllu parsed.conllu

    Two parsers side by side, and whether the second is better or lucky:

        ramify evaluate gold.conllu a.conllu b.conllu --test randomization

    A model, which does a treebank again: a pipeline from raw text, a parser
    with the tags of the treebank, a tagger with its words:

        ramify evaluate en test.conllu

        ramify evaluate model/ test.conllu

    Where the errors are, by label and by arc length, with a figure:

        ramify evaluate gold.conllu a.conllu --by label,arc-length --plot a.svg

    One figure for a script:

        ramify evaluate gold.conllu a.conllu --json | jq .systems[0].conll18.LAS

    Entities in column files:

        ramify evaluate --sequences gold.iob predicted.iob
    """
    if [str(path) for path in (gold, *systems)].count("-") > 1:
        raise InvalidInputError("Only one file can be standard input (-); name the others.")
    options = TestOptions(test, metric, samples, seed)
    model = is_model(str(gold))
    if gold_tokens and not model:
        raise InvalidInputError(f"--gold-tokens is for ramify evaluate MODEL TREEBANK; {str(gold)!r} is no model.")
    if sequences and by:
        raise InvalidInputError("--by is about arcs; leave it out with --sequences.")
    if sequences and model:
        raise InvalidInputError("--sequences is for column files; leave it out with a MODEL, which knows its columns.")
    with SlowProgress("Testing significance", options.steps * (len(systems) - 1)) as progress:
        if sequences:
            report = _score_sequences(gold, systems, options, strict, progress)
        else:
            arcs: dict[str, Any] = {
                "by": [choose(Dimension, name, "--by") for name in _split(by)],
                "punctuation": [choose(Punctuation, name, "--punctuation") for name in _split(punctuation)],
                "labelled": labelled,
                "subtypes": subtypes,
            }
            if model:
                report = _score_model(str(gold), systems, options, gold_tokens, threads, arcs)
            else:
                right = load(_source(gold), "gold")
                files = {name: load(_source(path), name) for name, path in _named(systems).items()}
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
        raise InvalidInputError(f"ramify evaluate MODEL expects one treebank; got {len(treebanks)}.")
    source = _source(treebanks[0])
    model = load_evaluated(name)
    title = Path(name).name
    note = given_to(model, gold_tokens=gold_tokens)
    if isinstance(model, Tagger):
        if arcs["by"]:
            raise InvalidInputError(f"--by is about arcs; leave it out with {name}, which is a tagger.")
        return Report([SystemReport(title, chunks=tagger_scores(model, source, threads))], [note])
    gold = read_gold(source)
    system = load(predicted(model, gold, gold_tokens=gold_tokens, threads=threads), title)
    report = treebank_report(load(gold, "gold"), {title: system}, options, **arcs)
    return Report(report.systems, [note, *report.notes])


def _score_sequences(
    gold: Path, systems: list[Path], options: TestOptions, strict: LabelScheme | None, progress: SlowProgress
) -> Report:
    return sequence_report(
        _labels(gold),
        {name: _labels(path) for name, path in _named(systems).items()},
        options,
        strict=strict,
        progress=progress.advance,
    )


def _labels(path: Path) -> list[tuple[str, ...]]:
    return [sequence.labels for sequence in data.read_sequences(_source(path))]


def _source(path: Path) -> str:
    """Return the path as the readers want it, having looked whether there is such a file."""
    if str(path) != "-" and not path.exists():
        raise InvalidInputError(f"There is no file {str(path)!r}.")
    return str(path)


def _split(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _named(paths: list[Path]) -> dict[str, Path]:
    """Name systems by file name, or by path where file names repeat."""
    short = {path.name: path for path in paths}
    names = short if len(short) == len(paths) else {str(path): path for path in paths}
    if len(names) < len(paths):
        raise InvalidInputError("A system file is given twice; give each once.")
    return names
