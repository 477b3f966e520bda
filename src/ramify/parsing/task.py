"""The task of parsing: what `ramify.learn` needs to know to train, save and load parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.parsing.automatic import ParserTask
from ramify.parsing.config import check
from ramify.parsing.corpus import load_corpus
from ramify.parsing.model_files import FILES
from ramify.parsing.training import ParserLearner

if TYPE_CHECKING:
    from ramify.data import Sentence
    from ramify.learn.corpus import Corpus
    from ramify.learn.run import Learner
    from ramify.parsing.config import Config

__all__ = ["TASK", "train"]


def _learner(config: Config, train: Corpus[Sentence], dev: Corpus[Sentence] | None, threads: int) -> Learner:
    if not config.is_neural:
        return ParserLearner(config, train, dev, threads)
    from ramify.parsing.network_training import NetworkLearner  # needs PyTorch

    return NetworkLearner(config, train, dev, threads)


TASK = ParserTask(
    "parse",
    "ramify.parsing:Parser",
    FILES,
    _learner,
    load_corpus=load_corpus,
    check=check,
    material="a treebank",
)
train = TASK.train
