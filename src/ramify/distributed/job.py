"""A job: a corpus is divided into shards, workers annotate them, and the results are put together in order."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ramify.atomic import replacing_file
from ramify.distributed.batches import Annotator
from ramify.distributed.journal import Journal, fingerprint
from ramify.distributed.runners import ProcessRunner
from ramify.distributed.shards import format_of, plan_shards
from ramify.distributed.work import ShardWorker
from ramify.errors import InvalidInputError
from ramify.options import Integer, check_argument

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ramify.distributed.runners import Runner
    from ramify.distributed.shards import Shard

__all__ = ["OUTPUT_FORMATS", "SHARD_BYTES", "JobResult", "ShardDone", "parse_corpus"]

SHARD_BYTES = 1 << 23
OUTPUT_FORMATS = ("conllu", "jsonl", "parquet")


@dataclass(frozen=True)
class ShardDone:
    """One more shard is finished.

    Attributes
    ----------
    shard : name of its output
    done, total : number of finished shards, and of all
    words : words of the shards that this run has finished
    seconds : since this run began
    left : how many seconds the other shards will take, by the shards so far
    """

    shard: str
    done: int
    total: int
    words: int
    seconds: float
    left: float

    def __str__(self) -> str:
        minutes, seconds = divmod(round(self.left), 60)
        return (
            f"{self.done:,} of {self.total:,} shards, {self.words:,} words, "
            f"{self.words / max(self.seconds, 1e-9):,.0f} words/s, {minutes}:{seconds:02} left ({self.shard})"
        )


@dataclass(frozen=True)
class JobResult:
    """What a job did, with what earlier runs of it had done.

    Attributes
    ----------
    outputs : the files, in the order of the corpus
    sentences, words : how many they hold
    failures : pairs of the name of a document or sentence, and what went wrong there
    broken : pairs of the name of a shard that was not written, and why
    """

    outputs: tuple[Path, ...]
    sentences: int
    words: int
    failures: tuple[tuple[str, str], ...]
    broken: tuple[tuple[str, str], ...]


def parse_corpus(
    files: Sequence[tuple[str, str]] | Sequence[str],
    output: str | Path,
    *,
    model: str = "en",
    runner: Runner | None = None,
    source_format: str | None = None,
    output_format: str = "conllu",
    shard_bytes: int = SHARD_BYTES,
    text: str = "text",
    threads: int = 1,
    max_words: int = 2000,
    report: Callable[[ShardDone], None] = lambda event: None,
) -> JobResult:
    """Parse a corpus in shards, on a cluster or in processes. Called again, it goes on where it was broken off.

    Parameters
    ----------
    files : paths, or pairs of a path and the name of the document
    output : a file, for which all shards are put together; or a folder (one that exists, or a name that ends with a
        slash), in which every file of the corpus has one file, or one for each of its shards
    model : a pipeline, or a parser for treebanks with tags: a name or a path
    runner : where to work; one process of this machine if not given
    source_format : ``"text"``, ``"conllu"``, ``"jsonl"`` or ``"parquet"``; None looks at the suffixes
    output_format : ``"conllu"``, or that of the corpus, which then gets the columns ``conllu`` and ``error``
    shard_bytes : size of a shard
    text : column of a Parquet file that holds the texts
    threads, max_words : see `annotator`
    report : called after every shard

    Returns
    -------
    What was done. What failed is also listed in ``failures.jsonl`` beside the output.
    """
    check_argument("parse_corpus", "shard_bytes", Integer(1), shard_bytes)
    named = [(item, Path(item).name.split(".")[0]) if isinstance(item, str) else item for item in files]
    is_folder = str(output).endswith("/") or Path(output).is_dir()
    _check_formats(named, source_format, output_format, is_folder)
    shards = plan_shards(named, source_format, f".{output_format}", shard_bytes)
    _check_names(shards)
    target = Path(output)
    folder = target if is_folder else target.with_name(f"{target.name}.shards")
    annotator = Annotator(model, text, threads, max_words)
    worker = ShardWorker(annotator, str(folder.resolve()), mark=len(named) > 1 and not is_folder)
    journal = Journal(folder, fingerprint(annotator, shards, worker.mark))
    broken = _run(worker, shards, journal, runner or ProcessRunner(), report)
    receipts = [journal.finished[shard.output] for shard in shards if shard.output in journal.finished]
    outputs = tuple(folder / shard.output for shard in shards)
    failures = tuple(failure for receipt in receipts for failure in receipt.failures)
    _write_failures(folder / "failures.jsonl" if is_folder else Path(f"{target}.failures.jsonl"), failures, broken)
    if not is_folder and not broken:
        _put_together(outputs, target)
        shutil.rmtree(folder)
        outputs = (target,)
    sentences, words = sum(r.sentences for r in receipts), sum(r.words for r in receipts)
    return JobResult(outputs, sentences, words, tuple(map(tuple, failures)), broken)  # type: ignore[arg-type]


def _run(
    worker: ShardWorker, shards: Sequence[Shard], journal: Journal, runner: Runner, report: Callable[[ShardDone], None]
) -> tuple[tuple[str, str], ...]:
    begun = time.monotonic()
    open_ = [shard for shard in shards if shard.output not in journal.finished]
    broken: list[tuple[str, str]] = []
    words = 0
    for count, receipt in enumerate(runner.run(worker, open_) if open_ else (), 1):
        if receipt.error:
            broken.append((receipt.shard, receipt.error))
        else:
            journal.add(receipt)
        words += receipt.words
        seconds = time.monotonic() - begun
        left = seconds / count * (len(open_) - count)
        report(ShardDone(receipt.shard, len(journal.finished), len(shards), words, seconds, left))
    return tuple(sorted(broken))


def _check_formats(files: Sequence[tuple[str, str]], given: str | None, output: str, is_folder: bool) -> None:
    if output not in OUTPUT_FORMATS:
        raise InvalidInputError(f"A corpus is written as {', '.join(OUTPUT_FORMATS)}; got {output!r}.")
    for path, _ in files:
        found = format_of(path, given)
        if output not in ("conllu", found):
            raise InvalidInputError(
                f"{path}: a corpus in the format {found} is written as conllu"
                + (f" or {found}" if found in OUTPUT_FORMATS[1:] else "")
                + f"; got {output}."
            )
    if output == "parquet" and not is_folder:
        raise InvalidInputError("Parquet is written to a folder, one file a shard: choose an --output that ends in /.")


def _check_names(shards: Sequence[Shard]) -> None:
    seen: set[str] = set()
    for shard in shards:
        path = Path(shard.output)
        if shard.output in seen or path.is_absolute() or ".." in path.parts:
            raise InvalidInputError(
                f"{shard.path}: its output {shard.output!r} is that of another file or outside of the folder; give the "
                "files names of their own."
            )
        seen.add(shard.output)


def _put_together(outputs: Sequence[Path], target: Path) -> None:
    with replacing_file(target) as whole:
        for path in outputs:
            with path.open("rb") as piece:
                shutil.copyfileobj(piece, whole, 1 << 20)


def _write_failures(path: Path, failures: Sequence[tuple[str, str]], broken: Sequence[tuple[str, str]]) -> None:
    items = [{"id": name, "error": error} for name, error in failures]
    items += [{"shard": name, "error": error} for name, error in broken]
    if not items:
        path.unlink(missing_ok=True)
        return
    with replacing_file(path) as file:
        file.write("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items).encode())
