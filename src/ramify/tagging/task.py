"""The task of tagging: what `ramify.learn` needs to know to train, save and load taggers."""

from __future__ import annotations

from ramify.learn.task import LearningTask
from ramify.tagging.model_files import FILES
from ramify.tagging.sentences import load
from ramify.tagging.state import check_options
from ramify.tagging.training import TaggerLearner

__all__ = ["TASK", "train"]

TASK = LearningTask(
    "tag",
    "ramify.tagging:Tagger",
    FILES,
    TaggerLearner,
    preset="upos",
    load_corpus=lambda source, role, config: load(source, role, config.data.columns),
    check=check_options,
)
train = TASK.train
