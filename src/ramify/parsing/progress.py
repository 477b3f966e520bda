"""What a training run tells while it goes on."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["EpochDone", "Event", "Pruned", "Started", "Step"]


@dataclass(frozen=True)
class Started:
    """The treebanks are read.

    Attributes
    ----------
    sentences, words : of the training treebank
    without_tree : sentences that cannot be learned from: heads are missing, or several words are roots and one may be
    """

    sentences: int
    words: int
    without_tree: int


@dataclass(frozen=True)
class Step:
    """Some more sentences are learned.

    Attributes
    ----------
    stage : ``"pruner"`` or ``"parser"``
    epoch, epochs : the epoch under way (from 1), and how many there are
    sentences, num_sentences : done in this epoch, and in all of it
    words : in this step
    loss : mean of a sentence in this epoch so far
    """

    stage: str
    epoch: int
    epochs: int
    sentences: int
    num_sentences: int
    words: int
    loss: float


@dataclass(frozen=True)
class Pruned:
    """The pruner is trained.

    Attributes
    ----------
    heads_per_word : candidates that are left
    recall : share of gold heads among them
    on : ``"dev"``, or ``"train"`` where there is no dev
    """

    heads_per_word: float
    recall: float
    on: str


@dataclass(frozen=True)
class EpochDone:
    """An epoch is over.

    Attributes
    ----------
    epoch, epochs : which one (from 1), and how many there are
    loss : mean of a training sentence
    uas, las : on dev, of averaged weights, labels with their subtypes; None where there is no dev
    certified : share of dev sentences (of train where there is no dev) solved with a certificate
    num_weights : features that have a weight by now
    best : whether no epoch before had this LAS
    """

    epoch: int
    epochs: int
    loss: float
    uas: float | None
    las: float | None
    certified: float
    num_weights: int
    best: bool


Event = Started | Step | Pruned | EpochDone
