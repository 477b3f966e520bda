"""The task of compression: what `ramify.learn` needs to know to train, save and load compressors."""

from __future__ import annotations

from ramify.compression.marks import load_marked
from ramify.compression.model_files import FILES
from ramify.compression.training import CompressorLearner
from ramify.learn.task import LearningTask

__all__ = ["TASK"]

TASK = LearningTask(
    "compress",
    "ramify.compression:Compressor",
    FILES,
    CompressorLearner,
    load_corpus=load_marked,
    material="compressed sentences",
)
