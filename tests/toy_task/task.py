"""The task itself: it binds the other files together."""

from __future__ import annotations

from ramify.learn.task import LearningTask
from toy_task.model_files import FILES
from toy_task.training import ToyLearner

__all__ = ["TASK"]

TASK = LearningTask("toy", "toy_task:Toy", FILES, ToyLearner)
