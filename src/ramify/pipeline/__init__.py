"""From raw text to trees: segmenter, taggers and parser in one model."""

from ramify.pipeline.config import PipelineConfig
from ramify.pipeline.doc import Doc, Sentence, Span, Token
from ramify.pipeline.pipeline import Pipeline, built_in, find_built_in, load
from ramify.pipeline.training import train

__all__ = [
    "Doc",
    "Pipeline",
    "PipelineConfig",
    "Sentence",
    "Span",
    "Token",
    "built_in",
    "find_built_in",
    "load",
    "train",
]
