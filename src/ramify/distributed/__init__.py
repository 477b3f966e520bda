"""Corpora that outgrow a machine: a callable over batches of texts, and jobs over shards of files."""

from ramify.distributed.batches import Annotator, annotator
from ramify.distributed.job import JobResult, ShardDone, parse_corpus
from ramify.distributed.ray_runner import RayRunner
from ramify.distributed.runners import ProcessRunner, Runner
from ramify.distributed.shards import Shard

__all__ = [
    "Annotator",
    "JobResult",
    "ProcessRunner",
    "RayRunner",
    "Runner",
    "Shard",
    "ShardDone",
    "annotator",
    "parse_corpus",
]
