"""The events of a training run, and how they are reported: not at all, to a function, or on a terminal or notebook.

Every event is a dataclass whose text (``str``) is a line that users read. A `Step` only moves the progress bar.
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
    """The training data have been read.

    Attributes
    ----------
    sentences, words : size of the training data
    sizes : other numbers that the task reports, by name, such as ``{"labels": 17}``
    left_out : number of sentences that cannot be used for training
    reason : why these sentences cannot be used
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
    """An interrupted training run continues.

    Attributes
    ----------
    epoch, epochs : number of finished epochs, and number of all epochs
    sentence : number of sentences of the next epoch that have been processed
    left : the remaining step if all epochs are finished, such as ``"calibration"``; else empty
    """

    epoch: int
    epochs: int
    sentence: int
    left: str = ""

    def __str__(self) -> str:
        if self.left:
            return f"resumed after {self.epoch} of {self.epochs} epochs; only {self.left} remains to be done"
        return f"resumed after {self.epoch} of {self.epochs} epochs and {self.sentence:,} sentences"


@dataclass(frozen=True)
class Step:
    """Some more sentences have been processed.

    Attributes
    ----------
    stage : current stage of the training, such as ``"pruner"``, ``"parser"`` or ``"calibration"``
    epoch, epochs : the current epoch (from 1), and the number of epochs
    sentences, num_sentences : number of sentences processed in this epoch so far, and number of all its sentences
    words : number of words processed in this step
    loss : mean loss per sentence in this epoch so far; None if this stage does not train
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
    """An epoch has finished.

    Attributes
    ----------
    epoch, epochs : the finished epoch (from 1), and the number of epochs
    loss : mean loss per training sentence
    scores : scores on the dev data by name, between 0 and 1; the last one decides which epoch is best. Empty if there
        are no dev data
    figures : other numbers by name, such as ``{"weights": 12345, "% certified": 99.5}``
    best : whether the weights of this epoch are kept, because it is the best one so far or the last one
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
    """Provide the function that receives all events of a training run.

    Parameters
    ----------
    progress : True shows lines and, on a terminal or in a notebook, a progress bar; ``"auto"`` shows them only on a
        terminal or in a notebook; False shows nothing; a function is called with every event
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
