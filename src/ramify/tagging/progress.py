"""What a training run tells while it goes on; the text of an event (``str``) is a line for people."""

from __future__ import annotations

from dataclasses import dataclass

from ramify.learn.progress import Step

__all__ = ["EpochDone", "Event", "Started", "Step"]


@dataclass(frozen=True)
class Started:
    """The data are read.

    Attributes
    ----------
    sentences, words : to learn from
    labels, features : different ones
    """

    sentences: int
    words: int
    labels: int
    features: int

    def __str__(self) -> str:
        return f"{self.sentences:,} sentences, {self.words:,} words, {self.labels:,} labels, {self.features:,} features"


@dataclass(frozen=True)
class EpochDone:
    """An epoch is over.

    Attributes
    ----------
    epoch, epochs : which one (from 1), and how many there are
    loss : mean of a training sentence
    accuracy : share of dev words that are right, of averaged weights; None where there is no dev
    f1 : of dev spans, where labels mark spans
    num_weights : so far
    best : whether no epoch before was as good
    """

    epoch: int
    epochs: int
    loss: float
    accuracy: float | None
    f1: float | None
    num_weights: int
    best: bool

    def __str__(self) -> str:
        text = f"epoch {self.epoch:>{len(str(self.epochs))}}: loss {self.loss:.3f}"
        if self.accuracy is not None:
            text += f", dev {100 * self.accuracy:.2f}%"
            text += f", F1 {100 * self.f1:.2f}" if self.f1 is not None else ""
            text += " (best so far)" if self.best else ""
        return f"{text}; {self.num_weights:,} weights"


Event = Started | Step | EpochDone
