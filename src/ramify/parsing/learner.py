"""What the training of every kind of parser begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.learn.run import Learner
from ramify.parsing.corpus import frame_of

if TYPE_CHECKING:
    from ramify.data import Sentence
    from ramify.learn.corpus import Corpus
    from ramify.parsing.config import Config

__all__ = ["TreeLearner"]


class TreeLearner(Learner):
    """What a parser learns from; its probabilities are calibrated in the end."""

    left = "calibration"

    def __init__(self, config: Config, train: Corpus[Sentence], dev: Corpus[Sentence] | None, threads: int) -> None:
        self.config, self.train, self.dev, self.threads = config, train, dev, threads
        training = config.training
        self.epochs, self.patience, self.seed = training.epochs, training.patience, training.seed
        self.frame = frame_of(train, config)
