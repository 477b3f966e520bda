"""Say how good a parser, a tagger or a chunker is, and whether one is better than another.

`evaluate` gives the CoNLL 2018 metrics, `attachment_scores` those of CoNLL-X, `breakdown` sorts arcs by kind,
`compare` tests two systems, `agreement` compares two annotators, `chunk_scores` scores label sequences, `rouge` scores
summaries. Treebanks are paths, open files or sentences.
"""

from ramify.evaluation.agreement import Agreement, LabelAgreement, agreement
from ramify.evaluation.attachment import AttachmentScores, Punctuation, attachment_counts, attachment_scores
from ramify.evaluation.breakdown import ArcScore, Dimension, breakdown
from ramify.evaluation.conll18 import METRICS, Evaluation, evaluate
from ramify.evaluation.rouge import RougeScores, rouge
from ramify.evaluation.rouge_options import ManyReferences, RougeMetric, read_exceptions
from ramify.evaluation.score import Score
from ramify.evaluation.sequences import ChunkScores, chunk_counts, chunk_scores, label_scores
from ramify.evaluation.significance import (
    Comparison,
    Interval,
    SignificanceTest,
    compare,
    compare_counts,
    compare_scores,
)

__all__ = [
    "METRICS",
    "Agreement",
    "ArcScore",
    "AttachmentScores",
    "ChunkScores",
    "Comparison",
    "Dimension",
    "Evaluation",
    "Interval",
    "LabelAgreement",
    "ManyReferences",
    "Punctuation",
    "RougeMetric",
    "RougeScores",
    "Score",
    "SignificanceTest",
    "agreement",
    "attachment_counts",
    "attachment_scores",
    "breakdown",
    "chunk_counts",
    "chunk_scores",
    "compare",
    "compare_counts",
    "compare_scores",
    "evaluate",
    "label_scores",
    "read_exceptions",
    "rouge",
]
