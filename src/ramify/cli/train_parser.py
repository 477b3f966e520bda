"""``ramify train --task parse``: from a treebank to a parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.cli.console import message
from ramify.cli.train_options import chosen_config

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["train_parser"]


def train_parser(
    config: Path | None,
    preset: str | None,
    given: dict[str, str],
    train_files: list[str] | None,
    dev_files: list[str] | None,
    output: str | None,
    overwrite: bool,
    resume: bool,
    threads: int,
    licence: str,
) -> None:
    """Train a parser as the command line asks for it."""
    from ramify.parsing import Config, train

    options = chosen_config(Config, config, preset or "default", given, train_files, output)
    train(
        options,
        train_files or None,
        dev_files or None,
        output=output,
        overwrite=overwrite,
        resume=resume,
        threads=threads,
        licence=licence,
        progress=True,
    )
    message(f"model: {output or options.data.output}")
