"""The model as users see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ramify.learn.model import Model
from toy_task.task import TASK

if TYPE_CHECKING:
    from ramify.learn.task import LearningTask

__all__ = ["Toy"]


class Toy(Model):
    """Knows the tag of every form that it has seen; `train`, `load`, `save`, `card` and pickling are inherited."""

    task: ClassVar[LearningTask] = TASK

    def tag(self, form: str) -> str | None:
        return self._model.get(form)
