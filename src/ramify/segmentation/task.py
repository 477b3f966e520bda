"""The task of segmentation: what `ramify.learn` needs to know to train, save and load segmenters."""

from __future__ import annotations

from ramify.learn.task import LearningTask
from ramify.segmentation.gold_text import surface_tokens
from ramify.segmentation.model_files import FILES
from ramify.segmentation.training import SegmenterLearner

__all__ = ["TASK", "train"]

TASK = LearningTask(
    "segment",
    "ramify.segmentation:Segmenter",
    FILES,
    SegmenterLearner,
    material="a treebank",
    unit="tokens",
    count=lambda corpus: sum(len(surface_tokens(sentence)) for sentence in corpus.sentences),
)
train = TASK.train
