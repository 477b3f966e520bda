"""What ROUGE can be asked for, and WordNet's irregular words."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from ramify.errors import InvalidInputError
from ramify.options import Integer, OrNone, check_argument

__all__ = ["ManyReferences", "RougeMetric", "check_limit", "read_exceptions"]

_EXCEPTION_FILES = ("noun", "adv", "verb", "adj")  # a word that several have takes its stem from the last


class RougeMetric(str, Enum):
    """Variants of ROUGE."""

    ONE = "1"
    """Words."""
    TWO = "2"
    """Pairs of neighbouring words."""
    LONGEST = "L"
    """Longest common subsequences of sentences."""
    SKIP = "SU4"
    """Words, and pairs of words with at most four others between them."""


class ManyReferences(str, Enum):
    """What is done with several references of one summary."""

    AVERAGE = "average"
    """Matches and counts of all references are added up."""
    BEST = "best"
    """The reference with the best recall counts."""


def check_limit(max_words: int | None) -> None:
    """Refuse a number of words that is none."""
    check_argument("rouge", "max_words", OrNone(Integer(1)), max_words)


def read_exceptions(folder: str | Path) -> dict[str, str]:
    """Read the stems of irregular words from WordNet's files ``noun.exc``, ``adv.exc``, ``verb.exc`` and ``adj.exc``.

    Parameters
    ----------
    folder : where the files are
    """
    exceptions: dict[str, str] = {}
    paths = [Path(folder) / f"{name}.exc" for name in _EXCEPTION_FILES]
    if not any(path.is_file() for path in paths):
        raise InvalidInputError(f"read_exceptions expects WordNet's files noun.exc, verb.exc, … in {str(folder)!r}.")
    for path in paths:
        if path.is_file():
            pairs = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
            exceptions.update({pair[0]: pair[1] for pair in pairs if len(pair) > 1})
    return exceptions
