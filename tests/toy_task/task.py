"""The task itself: it binds the other files together."""

from __future__ import annotations

from typing import ClassVar

from ramify.learn.task import LearningTask
from toy_task.model_files import FILES, ToyFiles
from toy_task.training import ToyLearner

__all__ = ["TASK"]


class ToyTask(LearningTask):
    """Tags of single words."""

    name: ClassVar[str] = "toy"
    kind: ClassVar[str] = "toy"
    summary: ClassVar[str] = "a toy"
    preset: ClassVar[str] = "default"
    files: ClassVar[ToyFiles] = FILES

    def learner(self, config, train, dev, threads):
        return ToyLearner(config, train, dev)

    @property
    def model_type(self):
        from toy_task.model import Toy

        return Toy


TASK = ToyTask()
