"""Sentence compression: delete the less important words of a sentence, by cutting subtrees of its dependency tree.

A `Compressor` gets parsed sentences; `Pipeline.compress` parses them first.
"""

from ramify.compression.compressor import Compression, Compressor
from ramify.compression.config import Cases, Config
from ramify.compression.evaluation import CompressionScores, compression_scores
from ramify.compression.marks import aligned, kept_words, with_cuts
from ramify.compression.units import Units, units_of

__all__ = [
    "Cases",
    "Compression",
    "CompressionScores",
    "Compressor",
    "Config",
    "Units",
    "aligned",
    "compression_scores",
    "kept_words",
    "units_of",
    "with_cuts",
]
