"""Which tasks and kinds of models there are, found when they are first asked for.

Importing this module is cheap, and so is declaring a task: its own modules are imported when it is used. Other packages
register tasks by `register`, or by an entry point of the group ``ramify.tasks`` that names a `ramify.learn.task.Task`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ramify.errors import InvalidInputError, ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ramify.learn.task import Task

__all__ = [
    "GROUP",
    "declare",
    "find_task",
    "load_model",
    "model_type",
    "read_model_facts",
    "register",
    "resolved",
    "task_names",
]

GROUP = "ramify.tasks"
_tasks: dict[str, Any] = {}  # tasks by their names, or "module:attribute" where one is found
_kinds: dict[str, Any] = {}  # the same for classes of models, by the kind that their files say
_asked: list[str] = []  # groups of entry points that are known


def declare(tasks: Mapping[str, str], kinds: Mapping[str, str]) -> None:
    """Say where tasks and classes of models are found, as ``"module:attribute"``, without importing them."""
    _tasks.update(tasks)
    _kinds.update(kinds)


def register(task: Task) -> None:
    """Make a task known to ``ramify train``, ``ramify info`` and `ramify.load`."""
    from ramify.learn.task import Task

    if not isinstance(task, Task):
        raise InvalidInputError(f"register expects a ramify.learn.task.Task; got {type(task).__name__}.")
    for name, known in ((task.name, _tasks), (task.kind, _kinds)):
        if name in known and resolved(known[name]) not in (task, task.model_type):
            raise InvalidInputError(f"register expects a name of its own for each task; {name!r} is taken.")
    _tasks[task.name] = task
    _kinds[task.kind] = task.model_type


def task_names() -> list[str]:
    """Return the names of all tasks."""
    _ask_packages()
    return list(_tasks)


def find_task(name: str) -> Task:
    """Return a task by its name."""
    if name not in _tasks:
        _ask_packages()
    if name not in _tasks:
        raise InvalidInputError(f"task expects one of {', '.join(_tasks)}; got {name!r}.")
    task: Task = resolved(_tasks[name])
    return task


def model_type(kind: str) -> Any:
    """Return the class of models of a kind, or None if no package knows it."""
    if kind not in _kinds:
        _ask_packages()
    return resolved(_kinds[kind]) if kind in _kinds else None


def load_model(path: str | Path, options: Mapping[str, object] | None = None) -> Any:
    """Read a model of any kind: a directory, or a zip of one.

    Parameters
    ----------
    path : where it is
    options : what is to differ from training; see `load` of its class
    """
    from ramify.learn.containers import kind_of

    kind = kind_of(path)
    found = model_type(kind)
    if found is None:
        raise ModelError(
            str(path), "vocab.json", f"no task knows models of the kind {kind!r}; install the package that made it"
        )
    return found.load(path, options=options) if options else found.load(path)


def read_model_facts(path: str | Path) -> dict[str, Any]:
    """Return what the card of a model of any kind says, for programs, without loading its weights."""
    from ramify.learn.containers import kind_of, read_facts

    facts: dict[str, Any] = getattr(model_type(kind_of(path)), "read_facts", read_facts)(path)
    return facts


def resolved(where: Any) -> Any:
    """Return what is at ``"module:attribute"``, and anything that is no text as it is."""
    if not isinstance(where, str):
        return where
    module, _, attribute = where.partition(":")
    return getattr(import_module(module), attribute)


def _ask_packages() -> None:
    """Register the tasks of other packages, once."""
    if GROUP in _asked:
        return
    _asked.append(GROUP)
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        register(entry.load())
