"""A progress bar that shows itself only on a terminal, and only when the work turns out to be long."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, TypeVar

from rich.progress import Progress, TextColumn

from ramify.cli.console import PlainConsole
from ramify.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

__all__ = ["SlowProgress"]

T = TypeVar("T")

_PATIENCE_SECONDS = 2.0


class SlowProgress:
    """Count steps of work; show a bar on standard error once two seconds have passed.

    Parameters
    ----------
    description : what is being done
    total : how many steps there are, if that is known
    """

    def __init__(self, description: str, total: int | None = None) -> None:
        self._description = description
        self._total = total
        self._done = 0
        self._begun = time.monotonic()
        self._progress: Progress | None = None

    def __enter__(self) -> SlowProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def track(self, items: Iterable[T]) -> Iterator[T]:
        """Pass items through, one step each."""
        for item in items:
            yield item
            self.advance(1)

    def advance(self, steps: int) -> None:
        """Say that so many more steps are done."""
        self._done += steps
        if self._progress is None:
            if not sys.stderr.isatty() or time.monotonic() - self._begun < _PATIENCE_SECONDS:
                return
            _, *usual = Progress.get_default_columns()  # the first one would read file names as markup
            title = TextColumn("{task.description}", style="progress.description", markup=False)
            columns = [title, *usual, TextColumn("{task.completed:,} done")]
            self._progress = Progress(*columns, console=PlainConsole(stderr=True), transient=True)
            self._progress.add_task(printable(self._description), total=self._total)
            self._progress.start()
        self._progress.update(self._progress.task_ids[0], completed=self._done)
