"""What every command shares: where output goes, how messages are shown."""

from __future__ import annotations

import sys

from rich.console import Console

__all__ = ["data_console", "message"]

_PLAIN_WIDTH = 160  # pipes and files have no width of their own; tables must not be cut to 80 columns


def data_console() -> Console:
    """Console for results: standard output, without colours and cuts when that is no terminal."""
    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else _PLAIN_WIDTH, highlight=False)


def message(text: str, *, style: str = "") -> None:
    """Say something to the user on standard error, in one unbroken line if it is no terminal."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(text, style=style, markup=False)
