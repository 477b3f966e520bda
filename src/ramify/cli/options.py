"""Options that several commands have, with one text each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ramify.cli.usage import completing

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TREEBANK_FORMATS", "Projective", "Threads", "TreebankFormat", "argument", "flag", "format_value", "value"]

TREEBANK_FORMATS = ("conllu", "conllx")
_FORMAT_HELP = "Input format: conllu or conllx. By default ramify looks at the suffix and the content."


def value(metavar: str, help: str, *names: str, **more: Any) -> Any:
    """Describe an option that takes a value."""
    return typer.Option(*names, metavar=metavar, help=help, **more)


def format_value(formats: Sequence[str], help: str, *names: str, **more: Any) -> Any:
    """Describe an option that takes the name of a format, which the shell completes."""
    return value("FORMAT", help, *names, autocompletion=completing(lambda: formats), **more)


def flag(help: str, *names: str, **more: Any) -> Any:
    """Describe an option that is there or not."""
    return typer.Option(*names, help=help, **more)


def argument(metavar: str, help: str, **more: Any) -> Any:
    """Describe what a command takes without a name."""
    return typer.Argument(metavar=metavar, help=help, **more)


Threads = Annotated[int, value("N", "Number of threads; 0 uses every core of the machine.", min=0)]
Projective = Annotated[bool, flag("Search among projective trees only.", "--projective")]
TreebankFormat = Annotated[str | None, format_value(TREEBANK_FORMATS, _FORMAT_HELP, "--from")]
