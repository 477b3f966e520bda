"""``ramify train --task pipeline``: from a folder with a treebank to all that raw text needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.cli.console import message
from ramify.cli.usage import UsageError, checking_options

if TYPE_CHECKING:
    from pathlib import Path

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
    overwrite: bool,
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
    pipeline = train(
        treebank,
        output,
        config=config,
        language=language,
        licence=licence,
        overwrite=overwrite,
        resume=resume,
        threads=threads,
        date=date,
        progress=True,
    )
    message(pipeline.card)
    message(f"model: {output}")
