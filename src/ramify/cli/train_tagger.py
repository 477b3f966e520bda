"""``ramify train --task tag``: from labelled sentences to a tagger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.cli.console import message
from ramify.cli.usage import UsageError, checking_options

if TYPE_CHECKING:
    from pathlib import Path

    from ramify.tagging import Event

__all__ = ["show_tagging", "train_tagger"]


def train_tagger(
    config: Path | None,
    preset: str | None,
    given: dict[str, str],
    train_files: list[str] | None,
    dev_files: list[str] | None,
    output: str | None,
    threads: int,
    licence: str,
) -> None:
    """Train a tagger as the command line asks for it."""
    from ramify.tagging import Config, train

    with checking_options():
        base = None if config is not None else Config.preset(preset or "upos")
    read = base or Config.read(config)  # type: ignore[arg-type] # what is wrong in a file is no wrong usage
    with checking_options():
        options = read.override(given)
    if not (output or options.data.output):
        raise UsageError("ramify train expects --output MODEL (or [data] output = … in the configuration).")
    if not (train_files or options.data.train):
        raise UsageError("ramify train expects --train FILE (or [data] train = … in the configuration).")
    train(
        options,
        train_files or None,
        dev_files or None,
        output=output,
        threads=threads,
        licence=licence,
        report=show_tagging,
    )
    message(f"model: {output or options.data.output}")


def show_tagging(event: Event) -> None:
    """Say what happens in the training of a tagger."""
    from ramify.tagging import Started

    if isinstance(event, Started):
        message(
            f"{event.sentences:,} sentences, {event.words:,} words, {event.labels:,} labels, "
            f"{event.features:,} features"
        )
        return
    text = f"epoch {event.epoch:>{len(str(event.epochs))}}: loss {event.loss:.3f}"
    if event.accuracy is not None:
        text += f", dev {100 * event.accuracy:.2f}%"
        text += f", F1 {100 * event.f1:.2f}" if event.f1 is not None else ""
        text += " (best so far)" if event.best else ""
    message(f"{text}; {event.num_weights:,} weights")
