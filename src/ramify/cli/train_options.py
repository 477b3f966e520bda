"""The configuration of a training run, as the command line says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.cli.usage import UsageError, checking_options

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["chosen_config"]


def chosen_config(
    kind: Any,
    config: Path | None,
    preset: str,
    given: dict[str, str],
    train_files: list[str] | None,
    output: str | None,
) -> Any:
    """Return a configuration with a place for the model and something to learn from.

    Parameters
    ----------
    kind : the task's class of configurations
    config : file to read, or None for the preset
    preset : name of a preset
    given : dotted options and their values
    train_files, output : what the command line names, instead of the configuration
    """
    if config is None:
        with checking_options():
            base = kind.preset(preset)
    else:
        base = kind.read(config)  # what is wrong in a file is no wrong usage
    with checking_options():
        options = base.override(given)
    if not (output or options.data.output):
        raise UsageError("ramify train expects --output MODEL (or [data] output = … in the configuration).")
    if not (train_files or options.data.train):
        raise UsageError("ramify train expects --train FILE (or [data] train = … in the configuration).")
    return options
