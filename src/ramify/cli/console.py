"""What every command shares: where output goes, how errors and progress are shown."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["data_console", "message", "progress"]

T = TypeVar("T")

_PLAIN_WIDTH = 160  # pipes and files have no width of their own; tables must not be cut to 80 columns


def data_console() -> Console:
    """Console for results: standard output, without colours and cuts when that is no terminal."""
    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else _PLAIN_WIDTH, highlight=False)


def message(text: str, *, style: str = "") -> None:
    """Say something to the user on standard error, in one unbroken line if it is no terminal."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, style=style, markup=False)


def progress(items: Iterable[T], description: str, *, total: int | None = None, unit: str = "sentences") -> Iterator[T]:
    """Pass items through, with a progress bar on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,} " + unit),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total)
        for item in items:
            yield item
            bar.advance(task)
