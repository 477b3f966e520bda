"""All commands of the command line, as one app."""

from __future__ import annotations

import platform
import sys
from typing import Annotated

import typer

from ramify import __version__, build_facts
from ramify.cli.agree import agree
from ramify.cli.annotate import annotate
from ramify.cli.compress import compress
from ramify.cli.console import message, warnings_as_messages
from ramify.cli.convert import convert
from ramify.cli.dotted import DottedCommand
from ramify.cli.draw import draw
from ramify.cli.evaluate import evaluate
from ramify.cli.explain import explain
from ramify.cli.help import Command, Group
from ramify.cli.info import info
from ramify.cli.options import flag
from ramify.cli.parse import parse
from ramify.cli.reproduce import reproduce
from ramify.cli.search import search
from ramify.cli.serve import serve
from ramify.cli.summarize import summarize
from ramify.cli.tag import tag
from ramify.cli.train import train
from ramify.cli.usage import UsageError
from ramify.cli.validate import validate
from ramify.errors import RamifyError

__all__ = ["app", "run"]

app = typer.Typer(
    name="ramify",
    cls=Group,
    help="Dependency parsing and other structured prediction with factor graphs.",
    epilog="Try: ramify parse --text 'I saw it.' --format table   ·   ramify info treebank.conllu   ·   "
    "ramify train --train treebank.conllu --output model/   ·   ramify parse model/ tagged.conllu",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_USE, _MAKE, _LOOK = "Use a model", "Train and evaluate", "Work with treebanks"
app.command(cls=Command, rich_help_panel=_USE)(parse)
app.command(cls=Command, rich_help_panel=_USE)(tag)
app.command(cls=Command, rich_help_panel=_USE)(explain)
app.command(cls=Command, rich_help_panel=_USE)(compress)
app.command(cls=Command, rich_help_panel=_USE)(summarize)
app.command(cls=Command, rich_help_panel=_USE)(serve)
app.command(cls=DottedCommand, rich_help_panel=_MAKE)(train)
app.command(cls=Command, rich_help_panel=_MAKE)(evaluate)
app.command(cls=DottedCommand, rich_help_panel=_MAKE)(reproduce)
app.command(cls=Command, rich_help_panel=_LOOK)(annotate)
app.command(cls=Command, rich_help_panel=_LOOK)(info)
app.command(cls=Command, rich_help_panel=_LOOK)(search)
app.command(cls=Command, rich_help_panel=_LOOK)(draw)
app.command(cls=Command, rich_help_panel=_LOOK)(convert)
app.command(cls=Command, rich_help_panel=_LOOK)(validate)
app.command(cls=Command, rich_help_panel=_LOOK)(agree)


def _print_version(wanted: bool) -> None:
    if wanted:
        facts = {"Python": platform.python_version()} | build_facts()
        details = ", ".join(f"{name} {value}" for name, value in facts.items() if value)
        typer.echo(f"ramify {__version__} ({details})")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        flag("Show the version and how it was built, then exit.", "--version", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    pass


def run() -> None:
    """Run the command line; user errors end in one line on standard error, never in a traceback."""
    try:
        with warnings_as_messages():
            app(prog_name="ramify")  # handles options that there are not (2) and interruption (130) itself
    except RamifyError as error:
        message(f"ramify: {error}", style="red")
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        message(f"ramify: {where}{error.strerror or error}", style="red")
    sys.exit(1)
