"""Segmentation: from raw text to sentences, tokens and words."""

from ramify.segmentation.gold_text import SurfaceToken, raw_text, surface_tokens
from ramify.segmentation.options import Options
from ramify.segmentation.result import Segmentation, restore_text
from ramify.segmentation.scores import SegmentationScores, score_segmentation
from ramify.segmentation.segmenter import Segmenter
from ramify.segmentation.training import EpochDone

__all__ = [
    "EpochDone",
    "Options",
    "Segmentation",
    "SegmentationScores",
    "Segmenter",
    "SurfaceToken",
    "raw_text",
    "restore_text",
    "score_segmentation",
    "surface_tokens",
]
