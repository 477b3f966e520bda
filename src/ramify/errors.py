"""Every exception that ramify raises for a reason the caller can mend.

Message form: who expects what; what was found; what to do about it.
"""

from __future__ import annotations

__all__ = ["InvalidInputError", "MissingExtraError", "ParseError", "RamifyError", "UnsupportedError"]


class RamifyError(Exception):
    """Base of all errors raised on purpose; the command line prints them without a traceback."""


class InvalidInputError(RamifyError, ValueError):
    """An argument has the wrong shape, type or value."""


class UnsupportedError(RamifyError, RuntimeError):
    """A factor family was asked for a capability that it does not have."""


class MissingExtraError(RamifyError, ImportError):
    """An optional dependency is needed; the message names the extra that installs it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the package {package!r}; install it with: pip install 'ramify[{extra}]'")


class ParseError(RamifyError, ValueError):
    """A file does not have the form its format promises.

    Attributes
    ----------
    file : name of the file, or ``<stdin>``, ``<string>``
    line : line number, from 1; 0 where the file as a whole is meant
    column : name of the column (``"HEAD"``), or ``""`` where the line as a whole is meant
    expected, found : what the format asks for, and what stands there
    """

    def __init__(self, file: str, line: int, column: str, expected: str, found: str) -> None:
        self.file = file
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found
        place = f"{file}:{line}" if line else file
        where = f"{place}: {column}" if column else place
        super().__init__(f"{where}: expected {expected}; found {found}")

    def __reduce__(self) -> tuple[type[ParseError], tuple[str, int, str, str, str]]:
        """Rebuild from the five fields, so that the error crosses process borders."""
        return type(self), (self.file, self.line, self.column, self.expected, self.found)
