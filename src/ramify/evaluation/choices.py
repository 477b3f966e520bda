"""Options that are one of a few names."""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from ramify.errors import InvalidInputError

__all__ = ["choose"]

_Choice = TypeVar("_Choice", bound=Enum)


def choose(kind: type[_Choice], value: _Choice | str, option: str) -> _Choice:
    """Return the member of an enumeration that a value is or names."""
    try:
        return kind(value)
    except ValueError:
        names = ", ".join(repr(member.value) for member in kind)
        raise InvalidInputError(f"{option} must be one of {names}; got {value!r}.") from None
