"""What a training run tells while it goes on."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EpochDone", "Event", "Started"]


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


Event = Started | EpochDone
