"""Segmentation: from raw text to sentences, tokens and words."""

from ramify.learn.progress import EpochDone
from ramify.segmentation.config import Config, Data, Model, Training
from ramify.segmentation.gold_text import SurfaceToken, raw_text, surface_tokens
from ramify.segmentation.result import Segmentation, restore_text
from ramify.segmentation.scores import SegmentationScores, score_segmentation
from ramify.segmentation.segmenter import Segmenter
from ramify.segmentation.state import SegmenterState
from ramify.segmentation.task import TASK, train

__all__ = [
    "TASK",
    "Config",
    "Data",
    "EpochDone",
    "Model",
    "Segmentation",
    "SegmentationScores",
    "Segmenter",
    "SegmenterState",
    "SurfaceToken",
    "Training",
    "raw_text",
    "restore_text",
    "score_segmentation",
    "surface_tokens",
    "train",
]
