"""The number of threads to use."""

from __future__ import annotations

import os

from ramify.errors import InvalidInputError

__all__ = ["num_threads"]

_MOST = 1024


def num_threads(wanted: int) -> int:
    """Return the number of threads; 0 stands for all cores that this process can use."""
    if isinstance(wanted, bool) or not isinstance(wanted, int) or not 0 <= wanted <= _MOST:
        raise InvalidInputError(f"threads expects a whole number, 0 (all) to {_MOST}; got {wanted!r}.")
    if wanted:
        return wanted
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
