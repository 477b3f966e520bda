"""``ramify parse --cluster``: a corpus is parsed in shards, and a job that was broken off goes on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ramify.cli.console import message
from ramify.cli.inputs import find_inputs
from ramify.cli.usage import UsageError, checking_options
from ramify.data.files import suffix_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ramify.distributed import Runner, ShardDone

__all__ = ["parse_on_cluster"]

_SHOWN = 10  # failures; all of them are in failures.jsonl
_SUFFIX_FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


def parse_on_cluster(
    cluster: str,
    model: str,
    names: Sequence[str],
    output: str,
    *,
    format: str | None,
    source_format: str | None,
    threads: int,
    max_words: int,
    shard_size: float,
    others: Mapping[str, bool],
) -> bool:
    """Parse a corpus in shards; return whether everything in it was parsed.

    Parameters
    ----------
    cluster : what ``--cluster`` names
    model, names, output, format, source_format, threads, max_words : as ``ramify parse`` has them
    shard_size : in MB
    others : options that a cluster does not have, and whether they are used
    """
    from ramify.distributed import parse_corpus
    from ramify.distributed.shards import CORPUS_SUFFIXES

    used = [name for name, given in others.items() if given]
    if used:
        raise UsageError(f"--{used[0]} does not work together with --cluster; leave one of them out.")
    if output == "-" or "-" in names:
        raise UsageError("--cluster reads files and writes files: name them, and an --output.")
    with checking_options():
        runner = _runner(cluster, threads)
    files = [(item.path, item.name) for item in find_inputs(names, tuple(CORPUS_SUFFIXES))]
    result = parse_corpus(
        files,
        output,
        model=model,
        runner=runner,
        source_format=source_format,
        output_format=format or _SUFFIX_FORMATS.get(suffix_of(output), "conllu"),
        shard_bytes=max(1, round(shard_size * 1_000_000)),
        threads=threads,
        max_words=max_words,
        report=_report if sys.stderr.isatty() else lambda event: None,
    )
    problems = [*result.broken, *result.failures]
    for name, error in problems[:_SHOWN]:
        message(f"{name}: {error}", style="yellow")
    if problems:
        message(
            f"ramify: {len(result.broken):,} shards were not written, and {len(result.failures):,} documents or "
            "sentences have no tree; failures.jsonl beside the output lists them. The same command tries such shards "
            "again.",
            style="red",
        )
    return not problems


def _runner(cluster: str, threads: int) -> Runner:
    from ramify.distributed import ProcessRunner, RayRunner

    kind, _, number = cluster.partition(":")
    if kind == "processes" and number.isdecimal():
        return ProcessRunner(int(number))
    if cluster != "auto" and kind not in ("ray", "local"):
        raise UsageError(f"--cluster expects ray://HOST:PORT, auto, local:N or processes:N; got {cluster!r}.")
    return RayRunner(cluster, threads)


def _report(event: ShardDone) -> None:
    message(str(event))
