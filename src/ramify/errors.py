"""Every exception that ramify raises for a reason the caller can mend.

Message form: who expects what; what was found; what to do about it.
"""

from __future__ import annotations

__all__ = [
    "DivergedTrainingError",
    "InterruptedTrainingError",
    "InvalidInputError",
    "LanguageWarning",
    "MissingExtraError",
    "MissingModelError",
    "ModelError",
    "ParseError",
    "PatternError",
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
        self._fields = (package, extra, purpose)
        super().__init__(f"{purpose} needs the package {package!r}; install it with: pip install 'ramify[{extra}]'")

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        """Rebuild from the three fields, so that the error crosses process borders."""
        return type(self), self._fields


class MissingModelError(RamifyError, AttributeError):
    """A document without a model was asked for what only its model can compute; the message says how to give it one.

    It is an `AttributeError`, too, so that ``getattr(sentence, "marginals", None)`` and `hasattr` tell whether a
    document can answer.
    """


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


class DivergedTrainingError(RamifyError, RuntimeError):
    """A loss or a weight became infinite or not a number, so training stopped; the message says what is kept."""


class PatternError(RamifyError, ValueError):
    """A search pattern does not follow the grammar, or names a node that it does not have.

    Attributes
    ----------
    line, column : where, from 1
    problem : what was expected and what was found
    """

    def __init__(self, text: str, offset: int, problem: str) -> None:
        self.text = text
        self.offset = offset
        self.problem = problem
        before = text[:offset]
        self.line = before.count("\n") + 1
        start = before.rfind("\n") + 1
        self.column = offset - start + 1
        shown = text[start:].split("\n")[0].replace("\t", " ")
        place = f"line {self.line}, column {self.column}" if "\n" in text else f"column {self.column}"
        super().__init__(f"search pattern, {place}: {problem}\n  {shown}\n  {' ' * (self.column - 1)}^")

    def __reduce__(self) -> tuple[type[PatternError], tuple[str, int, str]]:
        """Rebuild from text, offset and problem, so that the error crosses process borders."""
        return type(self), (self.text, self.offset, self.problem)


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
