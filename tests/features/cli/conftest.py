"""The same fixtures as for the tests of single commands."""

from unit.cli.conftest import run

__all__ = ["run"]
