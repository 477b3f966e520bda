"""Training that has gone wrong is stopped: a loss or a weight that is no finite number spoils all that come after."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.errors import DivergedTrainingError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

__all__ = ["check_finite"]


def check_finite(
    who: str, values: npt.ArrayLike, what: str = "the loss", kept: Callable[[], str] | None = None, *, remedy: str
) -> None:
    """Refuse to go on with numbers that are not finite.

    Parameters
    ----------
    who : what is trained, and where it stands
    values : losses or weights, of any shape
    what : the values are
    kept : returns what there is from before, if there is something
    remedy : what to do about it
    """
    if np.isfinite(values).all():
        return
    raise DivergedTrainingError(
        f"Training of the {who} expects finite numbers; {what} is no longer finite. {kept() if kept else ''}{remedy}"
    )
