"""``ramify train``: from a treebank to a model.

Annotations are evaluated here, because typer makes options of them.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ramify.cli.console import message
from ramify.cli.dotted import overrides
from ramify.cli.train_parser import train_parser
from ramify.cli.train_pipeline import seeded, train_pipeline
from ramify.cli.train_tagger import train_tagger
from ramify.errors import InterruptedTrainingError, InvalidInputError
from ramify.learn.interruption import NOTHING_KEPT, interruptible

__all__ = ["train"]


def _interruptible(command: Callable[..., None]) -> Callable[..., None]:
    """Let ctrl-C and SIGTERM end a command with advice, and with the status that shells expect."""

    @functools.wraps(command)
    def run(*arguments: object, **options: object) -> None:
        try:
            with interruptible(lambda: NOTHING_KEPT):  # while options are read; training itself knows better
                command(*arguments, **options)
        except InterruptedTrainingError as error:
            message(f"ramify: {error}", style="yellow")
            raise typer.Exit(128 + error.signal) from None

    return run


@_interruptible
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
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the model, or the unfinished run, that is at --output.")
    ] = False,
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

    Any option of a configuration can be given as --section.key VALUE. A model that exists is not replaced without
    --overwrite.

    ctrl-C or SIGTERM ends the training of a parser or a pipeline so that what is learned by then is kept: the same
    command with --resume goes on, to the very model that it would have become without a break. A tagger starts again.

    [bold]Examples[/bold]

    ramify train --train train.conllu --dev dev.conllu --output model/

    ramify train --preset first --train train.conllu --output model.zip --training.epochs 5

    ramify train config.toml --model.parts sibling,grand --threads 4 --training.batch 8

    ramify train config.toml --resume

    ramify train --task tag --preset upos --train train.conllu --dev dev.conllu --output upos.zip

    ramify train --task pipeline --treebank UD_English-EWT --output en/ --preset second --parser.training.epochs 8
    """
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
        train_pipeline(treebank, output, preset, options, language, folds, overwrite, resume, threads, licence, date)
        return
    given = overrides(ctx) | ({} if seed is None else {"training.seed": str(seed)})
    if task == "tag":
        if resume:
            raise InvalidInputError("--resume is for parsers; a tagger trains in seconds: start it again.")
        train_tagger(config, preset, given, train_files, dev_files, output, overwrite, threads, licence or "")
        return
    train_parser(config, preset, given, train_files, dev_files, output, overwrite, resume, threads, licence or "")
