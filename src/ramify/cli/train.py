"""``ramify train``: from a treebank to a model.

Annotations are evaluated here, because typer makes options of them.
"""

from pathlib import Path
from typing import Annotated

import typer

from ramify.cli.console import message
from ramify.cli.dotted import overrides
from ramify.cli.train_pipeline import seeded, train_pipeline
from ramify.cli.train_tagger import train_tagger
from ramify.errors import InterruptedTrainingError, InvalidInputError

__all__ = ["train"]


def train(
    ctx: typer.Context,
    config: Annotated[
        Path | None, typer.Argument(metavar="CONFIG", help="Options as a TOML file; or use --preset.")
    ] = None,
    task: Annotated[
        str, typer.Option(metavar="TASK", help="parse: a parser; tag: a tagger; pipeline: all, from raw text to trees.")
    ] = "parse",
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of parsers: first, second, third, default; of taggers: upos, xpos, feats, lemma, chunk, ner.",
            show_default="default, or upos",
        ),
    ] = None,
    treebank: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Of a pipeline: folder with files whose names say train, dev, test."),
    ] = None,
    train_files: Annotated[
        list[str] | None, typer.Option("--train", metavar="FILE", help="Treebank to learn from; may be repeated.")
    ] = None,
    dev_files: Annotated[
        list[str] | None,
        typer.Option("--dev", metavar="FILE", help="Treebank to choose the best epoch on; may be repeated."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="MODEL", help="Model to write: a directory, or a .zip.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where a run was broken off.")] = False,
    threads: Annotated[int, typer.Option(min=0, help="How many; 0 is all there are. Needs training.batch > 1.")] = 1,
    seed: Annotated[int | None, typer.Option(help="Of the order of sentences; the same as --training.seed.")] = None,
    licence: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Licence of the data, for the model's card; of a pipeline, told by DIR."),
    ] = None,
    language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Of a pipeline; told by the names of its files if not given.")
    ] = None,
    date: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="Of a pipeline: for its cards, instead of today's.")
    ] = None,
    folds: Annotated[
        int, typer.Option(min=2, help="Of a pipeline: parts that are tagged by taggers which have not seen them.")
    ] = 10,
) -> None:
    """Train a parser or a tagger on a treebank, a tagger on column files, or a whole pipeline.

    Any option of a configuration can be given as --section.key VALUE. ctrl-C or SIGTERM keeps what is learned so far;
    the same command with --resume goes on, to the very model that it would have become without a break.

    [bold]Examples[/bold]

    ramify train --train train.conllu --dev dev.conllu --output model/

    ramify train --preset first --train train.conllu --output model.zip --training.epochs 5

    ramify train config.toml --model.parts sibling,grand --threads 4 --training.batch 8

    ramify train config.toml --resume

    ramify train --task tag --preset upos --train train.conllu --dev dev.conllu --output upos.zip

    ramify train --task pipeline --treebank UD_English-EWT --output en/ --preset second --parser.training.epochs 8
    """
    from ramify.cli.training_progress import TrainingProgress
    from ramify.parsing import Config
    from ramify.parsing import train as train_model

    if task not in ("parse", "tag", "pipeline"):
        raise InvalidInputError(f"--task expects 'parse', 'tag' or 'pipeline'; got {task!r}.")
    if (task == "pipeline") != (treebank is not None):
        raise InvalidInputError("--treebank DIR belongs to --task pipeline, and this task needs it.")
    if config is not None and preset is not None:
        raise InvalidInputError('ramify train expects a CONFIG or a --preset; a CONFIG can say: preset = "second".')
    if task == "pipeline":
        if config is not None or train_files or dev_files:
            raise InvalidInputError(
                "--task pipeline takes its files from --treebank; leave out CONFIG, --train, --dev."
            )
        assert treebank is not None  # noqa: S101 - seen to above
        options = seeded(overrides(ctx), seed)
        train_pipeline(treebank, output, preset, options, language, folds, resume, threads, licence, date)
        return
    given = overrides(ctx) | ({} if seed is None else {"training.seed": str(seed)})
    if task == "tag":
        if resume:
            raise InvalidInputError("--resume is for parsers; a tagger trains in seconds: start it again.")
        train_tagger(config, preset, given, train_files, dev_files, output, threads, licence or "")
        return
    chosen = (Config.preset(preset or "default") if config is None else Config.read(config)).override(given)
    if not (output or chosen.data.output):
        raise InvalidInputError("ramify train expects --output MODEL (or [data] output = … in the configuration).")
    try:
        with TrainingProgress() as progress:
            train_model(
                chosen,
                train_files,
                dev_files,
                output=output,
                resume=resume,
                threads=threads,
                licence=licence or "",
                report=progress,
            )
    except InterruptedTrainingError as error:
        message(f"ramify: {error}", style="yellow")
        raise typer.Exit(128 + error.signal) from None  # as shells have it
    message(f"model: {output or chosen.data.output}")
