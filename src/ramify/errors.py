"""Every exception that ramify raises for a reason the caller can mend.

Message form: who expects what; what was found; what to do about it.
"""

from __future__ import annotations

__all__ = [
    "InterruptedTrainingError",
    "InvalidInputError",
    "LanguageWarning",
    "MissingExtraError",
    "ModelError",
    "ParseError",
    "RamifyError",
    "UnsupportedError",
]


class RamifyError(Exception):
    """Base of all errors raised on purpose; the command line prints them without a traceback."""


class LanguageWarning(UserWarning):
    """A text does not look like the language that the model was trained on."""


class InvalidInputError(RamifyError, ValueError):
    """An argument has the wrong shape, type or value."""


class UnsupportedError(RamifyError, RuntimeError):
    """A factor family was asked for a capability that it does not have."""


class MissingExtraError(RamifyError, ImportError):
    """An optional dependency is needed; the message names the extra that installs it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the package {package!r}; install it with: pip install 'ramify[{extra}]'")


class ModelError(RamifyError, ValueError):
    """A model file is damaged, of a format that this version does not know, or no model at all.

    Attributes
    ----------
    path : the model
    file : the file in it that is wrong, or ``""`` where the model as a whole is meant
    """

    def __init__(self, path: str, file: str, problem: str) -> None:
        self.path = path
        self.file = file
        self.problem = problem
        super().__init__(f"{path}: {file}: {problem}" if file else f"{path}: {problem}")

    def __reduce__(self) -> tuple[type[ModelError], tuple[str, str, str]]:
        """Rebuild from the three fields, so that the error crosses process borders."""
        return type(self), (self.path, self.file, self.problem)


class InterruptedTrainingError(RamifyError, RuntimeError):
    """A signal ended training; the message says how to go on.

    Attributes
    ----------
    signal : number of the signal
    """

    def __init__(self, message: str, signal: int) -> None:
        self.signal = signal
        super().__init__(message)

    def __reduce__(self) -> tuple[type[InterruptedTrainingError], tuple[str, int]]:
        """Rebuild from message and signal, so that the error crosses process borders."""
        return type(self), (str(self), self.signal)


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
