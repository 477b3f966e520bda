"""``ramify train --task parse``: from a treebank to a parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.cli.console import message
from ramify.errors import InvalidInputError

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

    options = (Config.preset(preset or "default") if config is None else Config.read(config)).override(given)
    if not (output or options.data.output):
        raise InvalidInputError("ramify train expects --output MODEL (or [data] output = … in the configuration).")
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
