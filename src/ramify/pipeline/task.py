"""The task of pipelines: what `ramify.learn` needs to know of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ramify.learn.task import Task
from ramify.pipeline.config import PipelineConfig
from ramify.pipeline.model_files import TAGGERS
from ramify.pipeline.training import train

if TYPE_CHECKING:
    from ramify.pipeline.pipeline import Pipeline

__all__ = ["TASK"]


class PipelineTask(Task):
    """Pipelines from raw text to trees."""

    name: ClassVar[str] = "pipeline"
    kind: ClassVar[str] = "pipeline"
    summary: ClassVar[str] = "everything from raw text to trees"
    preset: ClassVar[str] = "default"
    extras: ClassVar[frozenset[str]] = frozenset({"treebank", "language", "date", "folds"})

    train = staticmethod(train)

    @property
    def config(self) -> type[PipelineConfig]:
        """Class of the options."""
        return PipelineConfig

    @property
    def model_type(self) -> type[Pipeline]:
        """Class of the pipelines."""
        from ramify.pipeline.pipeline import Pipeline

        return Pipeline

    def seeded(self, seed: int) -> dict[str, str]:
        """Give every component the same seed."""
        names = ("segmenter", *TAGGERS, "parser")
        return {f"{name}.training.seed": str(seed) for name in names}


TASK = PipelineTask()
