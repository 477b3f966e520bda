"""``ramify train --task tag``: from labelled sentences to a tagger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.cli.console import message
from ramify.cli.train_options import chosen_config

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["train_tagger"]


def train_tagger(
    config: Path | None,
    preset: str | None,
    given: dict[str, str],
    train_files: list[str] | None,
    dev_files: list[str] | None,
    output: str | None,
    overwrite: bool,
    threads: int,
    licence: str,
) -> None:
    """Train a tagger as the command line asks for it."""
    from ramify.tagging import Config, train

    options = chosen_config(Config, config, preset or "upos", given, train_files, output)
    train(
        options,
        train_files or None,
        dev_files or None,
        output=output,
        overwrite=overwrite,
        threads=threads,
        licence=licence,
        progress=True,
    )
    message(f"model: {output or options.data.output}")
