"""The task of parsing: what `ramify.learn` needs to know to train, save and load parsers."""

from __future__ import annotations

from ramify.learn.task import LearningTask
from ramify.parsing.corpus import load_corpus
from ramify.parsing.model_files import FILES
from ramify.parsing.training import ParserLearner

__all__ = ["TASK", "train"]

TASK = LearningTask(
    "parse", "ramify.parsing:Parser", FILES, ParserLearner, load_corpus=load_corpus, material="a treebank"
)
train = TASK.train
