"""The ``ramify`` command."""

from __future__ import annotations

import sys

import typer

from ramify.cli.evaluate import evaluate
from ramify.errors import RamifyError

__all__ = ["app", "main"]

app = typer.Typer(no_args_is_help=True)


@app.callback()
def _ramify() -> None:
    """Parse, score and convert treebanks."""


app.command()(evaluate)


def main() -> None:
    """Run the command; errors that a person can mend are one line on standard error."""
    try:
        app()
    except RamifyError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(1)
