"""A training run, as the command line says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.cli.usage import UsageError, checking_options

if TYPE_CHECKING:
    from pathlib import Path

    from ramify.learn.task import Task

__all__ = ["check_data", "check_extras", "chosen_config"]


def check_extras(task: Task, given: dict[str, Any]) -> None:
    """Refuse options that belong to other tasks; a task that takes a treebank needs it."""
    if (given["treebank"] is not None) != ("treebank" in task.extras):
        raise UsageError("--treebank DIR belongs to --task pipeline, and this task needs it.")
    for name, value in given.items():
        if value is not None and name not in task.extras:
            raise UsageError(f"--task {task.name} takes no --{name}.")


def chosen_config(task: Task, config: Path | None, preset: str | None, given: dict[str, str]) -> Any:
    """Return the configuration of a run.

    Parameters
    ----------
    task : what is trained
    config : file to read, or None for the preset
    preset : name of a preset; None is the one that the task starts from
    given : dotted options and their values
    """
    if config is None:
        with checking_options():
            base = task.config.preset(preset or task.preset)
    else:
        base = task.config.read(config)  # what is wrong in a file is no wrong usage
    with checking_options():
        return base.override(given)


def check_data(options: Any, train: Any, output: str | None) -> str:
    """Return where the model goes, if there is a place for it and something to learn from."""
    data = getattr(options, "data", None)
    target = output or (data.output if data else "")
    if not target:
        raise UsageError("ramify train expects --output MODEL (or [data] output = … in the configuration).")
    if not train and not (data and data.train):
        raise UsageError("ramify train expects --train FILE (or [data] train = … in the configuration).")
    return str(target)
