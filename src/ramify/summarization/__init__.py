"""Summarization: the sentences of documents that say most, cut to what matters, within a number of words.

A `Summarizer` gets texts; ``Pipeline.summarize`` does the same with a pipeline of your own.
"""

from ramify.summarization.clusters import Cluster, read_clusters
from ramify.summarization.config import Config, Method
from ramify.summarization.decoding import Solution, solve
from ramify.summarization.problem import SummaryProblem
from ramify.summarization.summarizer import Summarizer, built_in_summarizer
from ramify.summarization.summary import Cut, Span, Summary, SummarySentence

__all__ = [
    "Cluster",
    "Config",
    "Cut",
    "Method",
    "Solution",
    "Span",
    "Summarizer",
    "Summary",
    "SummaryProblem",
    "SummarySentence",
    "built_in_summarizer",
    "read_clusters",
    "solve",
]
