"""All commands share this module: it decides where output goes and how messages are shown."""

from __future__ import annotations

import contextlib
import sys
import warnings
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console

from ramify.errors import LanguageWarning
from ramify.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

__all__ = ["PlainConsole", "data_console", "message", "warnings_as_messages"]

_PLAIN_WIDTH = 160  # pipes and files have no width of their own; tables must not be cut to 80 columns


class PlainConsole(Console):
    """A console that shows strings as they are.

    Words and labels of treebanks, file names and model cards are never read as rich's markup (``[bold]``) or emoji
    codes (``:smile:``), and their control characters do not reach the terminal. This covers the cells and titles of
    tables too.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Make text of a string; rich asks for this wherever it is given one."""
        return super().render_str(printable(text, lines=True), **options)


def data_console(stream: TextIO | None = None) -> Console:
    """Console for results: standard output if no other stream is named, without colours and cuts if no terminal."""
    file = stream or sys.stdout
    return PlainConsole(file=file, width=None if file.isatty() else _PLAIN_WIDTH)


def message(text: str, *, style: str = "") -> None:
    """Print a message on standard error, in one unbroken line if that is not a terminal."""
    PlainConsole(stderr=True, soft_wrap=True).print(text, style=style)


@contextlib.contextmanager
def warnings_as_messages() -> Iterator[None]:
    """Show warnings for users as messages, without the line of code that raised them."""
    say = message

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, LanguageWarning):
            say(f"ramify: warning: {message}", style="yellow")
        else:
            usual(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        usual = warnings.showwarning
        warnings.simplefilter("always", LanguageWarning)
        warnings.showwarning = show
        yield
