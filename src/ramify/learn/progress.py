"""What training tells while it goes on, and who is told: nobody, a function, or a person at a terminal or notebook.

Every event is a dataclass whose text (``str``) is a line for people. A `Step` is no line: it moves a bar.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Progress", "Report", "Step", "reporting"]

Report = Callable[[Any], None]
Progress = bool | Literal["auto"] | Report


@dataclass(frozen=True)
class Step:
    """Some more sentences are done.

    Attributes
    ----------
    stage : what they are done for, such as ``"pruner"``, ``"parser"`` or ``"calibration"``
    epoch, epochs : the epoch under way (from 1), and how many there are
    sentences, num_sentences : done in this epoch, and in all of it
    words : in this step
    loss : mean of a sentence in this epoch so far; None where nothing is learned
    """

    stage: str
    epoch: int
    epochs: int
    sentences: int
    num_sentences: int
    words: int
    loss: float | None = None


@contextlib.contextmanager
def reporting(progress: Progress) -> Iterator[Report]:
    """Give the function that is to be called with all events of a training run.

    Parameters
    ----------
    progress : True shows lines and, on a terminal or in a notebook, a bar; ``"auto"`` does so only there; False shows
        nothing; a function is called with the events themselves
    """
    if callable(progress):
        yield progress
    elif not isinstance(progress, bool) and progress != "auto":
        raise InvalidInputError(f"progress expects True, False, 'auto' or a function of events; got {progress!r}.")
    elif progress is True or (progress == "auto" and _is_watched()):
        from ramify.learn.display import Display

        with Display() as display:
            yield display
    else:
        yield lambda event: None


def _is_watched() -> bool:
    if sys.stderr is not None and sys.stderr.isatty():
        return True
    if "IPython" not in sys.modules:
        return False
    from rich.console import Console

    return Console().is_jupyter
