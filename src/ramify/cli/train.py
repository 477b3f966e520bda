"""``ramify train``: from a treebank to a model.

Annotations are evaluated here, because typer makes options of them.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ramify.cli.console import message
from ramify.cli.dotted import overrides
from ramify.cli.options import argument, flag, value
from ramify.cli.train_options import check_data, check_extras, chosen_config
from ramify.cli.usage import UsageError, completing, one_of
from ramify.errors import InterruptedTrainingError, InvalidInputError
from ramify.learn.interruption import NOTHING_KEPT, interruptible
from ramify.learn.registry import find_task, task_names

if TYPE_CHECKING:
    from ramify.learn.task import Task

__all__ = ["train"]


def _presets(ctx: typer.Context, incomplete: str) -> list[str]:
    config = find_task(ctx.params.get("task") or "parse").config
    return [name for name in config.preset_names() if name.startswith(incomplete)]


def _task(name: str) -> "Task":
    try:
        return find_task(name)
    except InvalidInputError:
        one_of(name, task_names(), "--task")  # as a usage error
        raise


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
        Path | None, argument("CONFIG", "TOML file with options of the configuration. You can use --preset instead.")
    ] = None,
    task: Annotated[
        str,
        value(
            "TASK",
            "What to train: parse is a parser, tag is a tagger, segment is a segmenter, compress is a sentence "
            "compressor, summarize is a summarizer, pipeline is everything from raw text to trees. Other packages can "
            "add tasks.",
            autocompletion=completing(task_names),
        ),
    ] = "parse",
    preset: Annotated[
        str | None,
        value(
            "NAME",
            "Preset whose options are the start. Parsers have default, first, second, third, neural and the papers; "
            "taggers have upos, xpos, feats, lemma, chunk and ner.",
            autocompletion=_presets,
            show_default="default, or upos for taggers",
        ),
    ] = None,
    treebank: Annotated[
        Path | None, value("DIR", "Folder of a treebank whose file names contain train, dev and test (pipeline only).")
    ] = None,
    train_files: Annotated[
        list[str] | None, value("FILE", "Treebank to train on. The option can be repeated.", "--train")
    ] = None,
    dev_files: Annotated[
        list[str] | None,
        value("FILE", "Treebank on which the best epoch is chosen. The option can be repeated.", "--dev"),
    ] = None,
    output: Annotated[
        str | None, value("MODEL", "Model to write: a directory or a .zip file.", "--output", "-o")
    ] = None,
    resume: Annotated[bool, flag("Continue a training run that was interrupted.", "--resume")] = False,
    threads: Annotated[
        int,
        value(
            "N",
            "Number of threads; 0 uses every core of the machine. More than one needs --training.batch above 1.",
            min=0,
        ),
    ] = 1,
    seed: Annotated[
        int | None, value("N", "Random seed for shuffling the training sentences; the same as --training.seed.")
    ] = None,
    overwrite: Annotated[
        bool, flag("Replace the model, or the unfinished run, that is at --output.", "--overwrite")
    ] = False,
    licence: Annotated[
        str | None,
        value("TEXT", "Licence of the data, for the model's card. A pipeline finds it in the treebank's README."),
    ] = None,
    language: Annotated[
        str | None, value("CODE", "Language of a pipeline. By default the names of the treebank's files tell it.")
    ] = None,
    date: Annotated[str | None, value("YYYY-MM-DD", "Date on the cards of a pipeline, instead of today's.")] = None,
    folds: Annotated[
        int | None,
        value(
            "N",
            "Number of parts of the treebank; each is tagged by taggers that were trained on the others (pipeline "
            "only).",
            min=2,
            show_default="10",
        ),
    ] = None,
    tag_weight: Annotated[
        float | None,
        value(
            "X",
            "Weight of the taggers of UPOS and XPOS beside a network that predicts these tags; 0: no such taggers "
            "(pipeline only).",
            min=0.0,
            show_default="0.5",
        ),
    ] = None,
) -> None:
    """Train a parser, a tagger or a segmenter on a treebank, a tagger on column files, or a whole pipeline.

    Any option of a configuration can be given as --section.key VALUE. A model that exists is not replaced without
    --overwrite.

    After ctrl-C or SIGTERM, the same command with --resume continues the training, and the model will be the same as
    without the interruption.

    [bold]Examples[/bold]

    ramify train --train train.conllu --dev dev.conllu --output model/

    ramify train --preset first --train train.conllu --output model.zip --training.epochs 5

    ramify train config.toml --model.parts sibling,grand --threads 4 --training.batch 8

    ramify train config.toml --resume

    ramify train --task tag --preset upos --train train.conllu --dev dev.conllu --output upos.zip

    ramify train --task segment --train train.conllu --dev dev.conllu --output segmenter.zip

    ramify train --task compress --train pairs.csv --dev dev.csv --output compressor.zip

    ramify train --task pipeline --treebank UD_English-EWT --output en/ --preset second --parser.training.epochs 8
    """
    chosen = _task(task)
    alone = {"folds": folds, "tag-weight": tag_weight}
    extras = {"treebank": treebank, "language": language, "date": date, **alone}
    check_extras(chosen, extras)
    if config is not None and preset is not None:
        raise UsageError('ramify train expects a CONFIG or a --preset; a CONFIG can say: preset = "second".')
    if treebank is not None and (config is not None or train_files or dev_files):
        raise UsageError("--task pipeline takes its files from --treebank; leave out CONFIG, --train, --dev.")
    given = ({} if seed is None else chosen.seeded(seed)) | overrides(ctx)
    given |= {name: str(number) for name, number in alone.items() if number is not None}
    options = chosen_config(chosen, config, preset, given)
    source = treebank or train_files or None
    target = check_data(options, source, output)
    more = {name: extras[name] for name in ("language", "date") if name in chosen.extras}
    trained = chosen.train(
        options,
        source,
        dev_files or None,
        output=output,
        overwrite=overwrite,
        resume=resume,
        threads=threads,
        licence=licence if licence is not None or more else "",
        progress=True,
        **more,
    )
    if more:
        message(trained.card)
    message(f"model: {target}")
