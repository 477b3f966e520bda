"""What a job has finished: a file to which a line is added for every shard, so that a restart goes on there."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ramify.distributed.work import Receipt
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.distributed.batches import Annotator
    from ramify.distributed.shards import Shard

__all__ = ["Journal", "fingerprint"]


def fingerprint(annotator: Annotator, shards: Sequence[Shard], mark: bool) -> str:
    """Return a checksum of all that decides about the output: files, shards, options, and the model."""
    files = {path: (Path(path).stat().st_size, Path(path).stat().st_mtime_ns) for path in {s.path for s in shards}}
    decided = {
        "model": (annotator.model, _model_checksum(annotator.model)),
        "options": (annotator.text, annotator.max_words, mark),
        "files": sorted(files.items()),
        "shards": [asdict(shard) for shard in shards],
    }
    return hashlib.sha256(json.dumps(decided).encode()).hexdigest()


def _model_checksum(model: str) -> str:
    from ramify.pipeline import find_built_in

    path = find_built_in(model) or Path(model)
    files = [path] if path.is_file() else sorted(path.rglob("*")) if path.is_dir() else []
    total = hashlib.sha256()
    for file in files:
        if file.is_file():
            total.update(file.read_bytes())
    return total.hexdigest()


class Journal:
    """The finished shards of one job.

    Parameters
    ----------
    folder : where the outputs are; the journal is a hidden file there
    job : fingerprint of the job

    Raises
    ------
    InvalidInputError
        The folder has the journal of another job.
    """

    def __init__(self, folder: Path, job: str) -> None:
        self.path = folder / ".ramify-job.jsonl"
        self.finished: dict[str, Receipt] = {}
        if self.path.exists():
            self._read(folder, job)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            self._append({"job": job})

    def _read(self, folder: Path, job: str) -> None:
        lines = self.path.read_bytes().split(b"\n")
        torn = lines.pop()  # what was being written when the job was killed; empty otherwise
        found = [json.loads(line) for line in lines]
        if not found or found[0] != {"job": job}:
            raise InvalidInputError(
                f"{folder} has finished shards of another job: its files, options or model were different. Use the "
                "same ones to go on, remove the folder, or choose another --output."
            )
        receipts = [Receipt(**item) for item in found[1:]]
        self.finished = {receipt.shard: receipt for receipt in receipts if (folder / receipt.shard).exists()}
        if torn:
            with self.path.open("r+b") as file:
                file.truncate(sum(len(line) + 1 for line in lines))

    def add(self, receipt: Receipt) -> None:
        """Remember a finished shard."""
        self.finished[receipt.shard] = receipt
        self._append(asdict(receipt))

    def _append(self, value: object) -> None:
        with self.path.open("ab") as file:
            file.write(json.dumps(value).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
