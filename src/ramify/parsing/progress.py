"""What a training run tells while it goes on; the text of an event (``str``) is a line for people."""

from __future__ import annotations

from dataclasses import dataclass

from ramify.learn.progress import Step

__all__ = ["EpochDone", "Event", "Pruned", "Resumed", "Started", "Step"]


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

    def __str__(self) -> str:
        text = f"{self.sentences:,} sentences, {self.words:,} words"
        if self.without_tree:
            text += f"; {self.without_tree:,} sentences are left out: no whole tree, or too many roots"
        return text


@dataclass(frozen=True)
class Resumed:
    """A run that was broken off goes on.

    Attributes
    ----------
    epoch, epochs : those that are done, and how many there are
    sentence : how far the next epoch is
    learned : whether nothing is left to learn, so that only calibration and scores are left
    """

    epoch: int
    epochs: int
    sentence: int
    learned: bool

    def __str__(self) -> str:
        if self.learned:
            return f"resumed: {self.epoch} of {self.epochs} epochs are done and enough; only calibration is left"
        return f"resumed: {self.epoch} of {self.epochs} epochs and {self.sentence:,} sentences are done"


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

    def __str__(self) -> str:
        return f"pruner: {self.heads_per_word:.2f} heads a word, {100 * self.recall:.2f}% of the right ones ({self.on})"


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

    def __str__(self) -> str:
        text = f"epoch {self.epoch:>{len(str(self.epochs))}}: loss {self.loss:.3f}"
        if self.uas is not None and self.las is not None:
            text += f", dev UAS {100 * self.uas:.2f}, LAS {100 * self.las:.2f}" + (" (best so far)" * self.best)
        return f"{text}; {100 * self.certified:.1f}% certified, {self.num_weights:,} weights"


Event = Started | Resumed | Step | Pruned | EpochDone
