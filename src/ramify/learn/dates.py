"""The date on the card of a model."""

from __future__ import annotations

import datetime
import os

from ramify.errors import InvalidInputError

__all__ = ["card_date"]


def card_date() -> str:
    """Return today's date, or that of ``SOURCE_DATE_EPOCH``, by which builds are repeated byte for byte."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        return datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    try:
        return datetime.datetime.fromtimestamp(int(given), datetime.timezone.utc).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise InvalidInputError(f"SOURCE_DATE_EPOCH expects seconds since 1970; got {given!r}.") from None
