"""The date on the card of a model."""

from __future__ import annotations

import contextlib
import contextvars
import datetime
import os
from typing import TYPE_CHECKING

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["card_date", "dated"]

_fixed: contextvars.ContextVar[str | None] = contextvars.ContextVar("date", default=None)


@contextlib.contextmanager
def dated(date: str | None) -> Iterator[None]:
    """Put this date, such as ``2026-01-31``, on the cards of models made in the block; None changes nothing."""
    if date is not None:
        try:
            date = datetime.date.fromisoformat(date).isoformat()
        except ValueError:
            raise InvalidInputError(f"date expects YYYY-MM-DD; got {date!r}.") from None
    token = _fixed.set(date or _fixed.get())
    try:
        yield
    finally:
        _fixed.reset(token)


def card_date() -> str:
    """Return today's date, or that of `dated` or ``SOURCE_DATE_EPOCH``, which make the same model again."""
    fixed = _fixed.get()
    if fixed is not None:
        return fixed
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        return datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    try:
        return datetime.datetime.fromtimestamp(int(given), datetime.timezone.utc).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise InvalidInputError(f"SOURCE_DATE_EPOCH expects seconds since 1970; got {given!r}.") from None
