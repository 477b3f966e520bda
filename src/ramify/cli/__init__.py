"""The command line: ``ramify COMMAND …``.

Hardly anything is imported before `main` runs, so that ctrl-C gets an answer while the commands are loaded.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ramify.errors import InterruptedTrainingError
from ramify.learn.interruption import interruptible

if TYPE_CHECKING:
    from ramify.cli.commands import app

__all__ = ["INTERRUPTED", "app", "main"]

INTERRUPTED = "Interrupted. To do the work, run the same command again."


def main() -> None:
    """Run the command line; user errors end in one line on standard error, never in a traceback."""
    try:
        # A signal in the middle of loading could end the interpreter, or get lost in a package that catches everything.
        with interruptible(lambda: INTERRUPTED) as signals, signals.finishing(INTERRUPTED):
            from ramify.cli.commands import run
    except InterruptedTrainingError as error:
        sys.stderr.write(f"ramify: {error}\n")
        sys.exit(128 + error.signal)  # as shells have it
    run()


def __getattr__(name: str) -> object:
    """Import the app when it is first asked for."""
    if name != "app":
        raise AttributeError(f"module 'ramify.cli' has no attribute {name!r}")
    from ramify.cli.commands import app

    return app
