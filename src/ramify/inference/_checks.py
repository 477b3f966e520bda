"""Checks of options that several methods share."""

from __future__ import annotations

import math

from ramify.errors import InvalidInputError

__all__ = ["check_number"]


def check_number(method: str, name: str, value: float, low: float, high: float = math.inf) -> None:
    """Refuse an option that is not a number between low and high.

    Parameters
    ----------
    method, name : for the message
    value : what came
    low, high : limits, both allowed
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise InvalidInputError(f"{method} expects {name} from {low:g} to {high:g}; got {value!r}.")
