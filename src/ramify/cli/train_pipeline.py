"""``ramify train --task pipeline``: from a folder with a treebank to all that raw text needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from ramify.cli.console import message
from ramify.cli.usage import UsageError, checking_options
from ramify.errors import InterruptedTrainingError

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from ramify.pipeline.progress import Event

__all__ = ["seeded", "train_pipeline"]


def seeded(options: dict[str, str], seed: int | None) -> dict[str, str]:
    """Give every component the same seed."""
    if seed is None:
        return options
    from ramify.pipeline.model_files import TAGGERS

    names = ["segmenter.seed", *(f"{name}.training.seed" for name in (*TAGGERS, "parser"))]
    return dict.fromkeys(names, str(seed)) | options


def train_pipeline(
    treebank: Path,
    output: str | None,
    preset: str | None,
    options: dict[str, str],
    language: str | None,
    folds: int,
    resume: bool,
    threads: int,
    licence: str | None,
    date: str | None,
) -> None:
    """Train a pipeline as the command line asks for it."""
    from ramify import parsing
    from ramify.pipeline import PipelineConfig, train

    if not output:
        raise UsageError("ramify train expects --output MODEL.")
    with checking_options():
        config = PipelineConfig(parser=parsing.Config.preset(preset or "default"), folds=folds).override(options)
    try:
        with _Progress() as progress:
            pipeline = train(
                treebank,
                output,
                config=config,
                language=language,
                licence=licence,
                resume=resume,
                threads=threads,
                date=date,
                report=progress,
            )
    except InterruptedTrainingError as error:
        message(f"ramify: {error}", style="yellow")
        raise typer.Exit(128 + error.signal) from None  # as shells have it
    message(pipeline.card)
    message(f"model: {output}")


class _Progress:
    """Says what is being trained, and what that says of itself."""

    def __init__(self) -> None:
        from ramify.cli.training_progress import TrainingProgress

        self._parser = TrainingProgress()

    def __enter__(self) -> _Progress:
        self._parser.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._parser.__exit__(kind, error, trace)

    def __call__(self, event: Event) -> None:
        """Show an event."""
        from ramify import segmentation
        from ramify.cli.train_tagger import show_tagging
        from ramify.pipeline.progress import Inner, StepBegun

        if isinstance(event, StepBegun):
            message(f"{event.name} …")
        elif not isinstance(event, Inner):
            message(f"{event.name}: " + ("done before" if event.seconds is None else f"{event.seconds:.1f} s"))
        elif isinstance(event.event, segmentation.EpochDone):
            inner = event.event
            message(
                f"epoch {inner.epoch:>{len(str(inner.epochs))}}: loss {inner.token_loss:.4f} a token end, "
                f"{inner.sentence_loss:.4f} a sentence end"
            )
        elif event.name == "parser":
            self._parser(event.event)
        else:
            show_tagging(event.event)
