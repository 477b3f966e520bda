"""The task of pipelines: what `ramify.learn` needs to know of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.pipeline.config import PipelineConfig
from ramify.pipeline.model_files import TAGGERS
from ramify.pipeline.training import train

if TYPE_CHECKING:
    from ramify.pipeline.pipeline import Pipeline

__all__ = ["TASK"]


class PipelineTask:
    """Everything from raw text to trees; see `ramify.learn.task.Task`."""

    name = kind = "pipeline"
    preset = "default"
    extras = frozenset({"treebank", "language", "date", "folds", "tag-weight"})
    config = PipelineConfig
    train = staticmethod(train)

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
