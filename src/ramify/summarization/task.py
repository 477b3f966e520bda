"""The task of summarization: what `ramify.learn` needs to know to train, save and load summarizers."""

from __future__ import annotations

from ramify.learn.task import LearningTask
from ramify.summarization.clusters import load_clusters
from ramify.summarization.model_files import FILES
from ramify.summarization.training import SummarizerLearner

__all__ = ["TASK"]

TASK = LearningTask(
    name="summarize",
    model="ramify.summarization:Summarizer",
    files=FILES,
    learner=SummarizerLearner,
    load_corpus=load_clusters,
    material="clusters of documents with summaries",
)
