"""The task of segmentation: what `ramify.learn` needs to know to train, save and load segmenters."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ramify.learn.task import LearningTask
from ramify.segmentation.gold_text import surface_tokens
from ramify.segmentation.model_files import FILES, SegmenterFiles
from ramify.segmentation.training import SegmenterLearner

if TYPE_CHECKING:
    from ramify.data import Sentence
    from ramify.learn.corpus import Corpus
    from ramify.segmentation.config import Config
    from ramify.segmentation.segmenter import Segmenter

__all__ = ["TASK", "train"]


class SegmentTask(LearningTask):
    """Segmenters."""

    name: ClassVar[str] = "segment"
    kind: ClassVar[str] = FILES.kind
    summary: ClassVar[str] = "a segmenter"
    preset: ClassVar[str] = "default"
    files: ClassVar[SegmenterFiles] = FILES
    material: ClassVar[str] = "a treebank"
    unit: ClassVar[str] = "tokens"

    def learner(
        self, config: Config, train: Corpus[Sentence], dev: Corpus[Sentence] | None, threads: int
    ) -> SegmenterLearner:
        """Return what learns a segmenter, on one thread."""
        return SegmenterLearner(config, train, dev)

    def count(self, corpus: Corpus[Sentence]) -> int:
        """Count the tokens as they stand in text."""
        return sum(len(surface_tokens(sentence)) for sentence in corpus.sentences)

    @property
    def model_type(self) -> type[Segmenter]:
        """Class of the segmenters."""
        from ramify.segmentation.segmenter import Segmenter

        return Segmenter


TASK = SegmentTask()
train = TASK.train
