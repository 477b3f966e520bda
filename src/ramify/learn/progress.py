"""The events of a training run, and who is told of them: nobody, a function, or a person at a terminal or notebook.

Every event is a dataclass whose text (``str``) is a line for people. A `Step` is no line: it moves a bar.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EpochDone", "Event", "Progress", "Report", "Resumed", "Started", "Step", "reporting"]

Report = Callable[[Any], None]
Progress = bool | Literal["auto"] | Report


@dataclass(frozen=True)
class Started:
    """The data have been read.

    Attributes
    ----------
    sentences, words : what there is to learn from
    sizes : other numbers of the task by name, such as ``{"labels": 17}``
    left_out : number of sentences that cannot be learned from
    reason : why they cannot
    """

    sentences: int
    words: int
    sizes: Mapping[str, int] = field(default_factory=dict)
    left_out: int = 0
    reason: str = ""

    def __str__(self) -> str:
        sizes = {"sentences": self.sentences, "words": self.words, **self.sizes}
        text = ", ".join(f"{size:,} {name}" for name, size in sizes.items())
        return f"{text}; {self.left_out:,} sentences are left out: {self.reason}" if self.left_out else text


@dataclass(frozen=True)
class Resumed:
    """An interrupted run continues.

    Attributes
    ----------
    epoch, epochs : the number of epochs that are done, and of all epochs
    sentence : number of sentences that are done in the next epoch
    left : what is still to do when nothing is left to learn, such as ``"calibration"``; else empty
    """

    epoch: int
    epochs: int
    sentence: int
    left: str = ""

    def __str__(self) -> str:
        if self.left:
            return f"resumed: {self.epoch} of {self.epochs} epochs are done and enough; only {self.left} is left"
        return f"resumed: {self.epoch} of {self.epochs} epochs and {self.sentence:,} sentences are done"


@dataclass(frozen=True)
class Step:
    """Some more sentences are done.

    Attributes
    ----------
    stage : what they are done for, such as ``"pruner"``, ``"parser"`` or ``"calibration"``
    epoch, epochs : the current epoch (from 1), and how many there are
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


@dataclass(frozen=True)
class EpochDone:
    """An epoch is over.

    Attributes
    ----------
    epoch, epochs : which one (from 1), and how many there are
    loss : mean of a training sentence
    scores : on the dev data by name, between 0 and 1; the last one chooses the best epoch. Empty without dev data
    figures : other numbers by name, such as ``{"weights": 12345, "% certified": 99.5}``
    best : whether the weights of this epoch are kept, because no epoch before was as good or because it is the last
    """

    epoch: int
    epochs: int
    loss: float
    scores: Mapping[str, float]
    figures: Mapping[str, float]
    best: bool

    def __str__(self) -> str:
        text = f"epoch {self.epoch:>{len(str(self.epochs))}}: loss {self.loss:#.4g}"
        if self.scores:
            text += ", dev " + ", ".join(f"{name} {100 * score:.2f}" for name, score in self.scores.items())
            text += " (best so far)" * self.best
        return f"{text}; {', '.join(map(_figure, self.figures.items()))}" if self.figures else text


def _figure(item: tuple[str, float]) -> str:
    name, number = item
    if name.startswith("%"):
        return f"{number:.1f}{name}"
    return f"{number:,} {name}" if isinstance(number, int) else f"{name} {number:#.4g}"


Event = Started | Resumed | Step | EpochDone


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
