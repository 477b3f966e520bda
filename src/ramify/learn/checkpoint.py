"""Checkpoints: the progress of a training run in one file, which is written atomically and cannot contain code."""

from __future__ import annotations

import contextlib
import json
import math
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.atomic import replacing_path
from ramify.errors import InvalidInputError, ModelError
from ramify.learn.containers import checksum

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    import numpy.typing as npt

__all__ = [
    "Checkpoint",
    "Position",
    "checkpoint_file",
    "load_checkpoint",
    "refused",
    "remove_checkpoint",
    "save_checkpoint",
]


@dataclass
class Position:
    """The progress of a run.

    Attributes
    ----------
    phase : number of the current pass over all epochs; most tasks have only one
    epoch, sentence : the next epoch (from 0), and the next sentence in its order
    sums : sums over the sentences of the current epoch by name
    best_epoch, best_score : -1 before there is one
    notes : numbers that the task stores in the checkpoint, in named groups
    """

    phase: int = 0
    epoch: int = 0
    sentence: int = 0
    sums: dict[str, float] = field(default_factory=dict)
    best_epoch: int = -1
    best_score: float = -1.0
    notes: dict[str, dict[str, float]] = field(default_factory=dict)

    def is_finite(self) -> bool:
        """Tell whether all entries are finite numbers."""
        groups = [self.sums, *self.notes.values()]
        numbers = [self.phase, self.epoch, self.sentence, self.best_epoch, self.best_score]
        numbers += [number for group in groups for number in group.values()]
        return all(isinstance(number, (int, float)) and math.isfinite(number) for number in numbers)


@dataclass
class Checkpoint:
    """The progress of a run, with the arrays that belong to it.

    Attributes
    ----------
    position : progress of the run
    identity : checksum of configuration and data; a checkpoint can only be used by its own run
    arrays : by name, those of the trainer (``trainer.…``; none when all epochs are done) and those of the best epoch so
        far (``kept.…``)
    """

    position: Position
    identity: str
    arrays: dict[str, npt.NDArray[Any]]


def checkpoint_file(output: Path) -> Path:
    """Return the path of the checkpoint of a model."""
    folder = output.with_suffix(".checkpoint") if output.suffix.lower() == ".zip" else output / "checkpoint"
    return folder / "state.safetensors"


def remove_checkpoint(file: Path) -> None:
    """Remove a checkpoint, and its folder if it is then empty."""
    file.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        file.parent.rmdir()


def save_checkpoint(checkpoint: Checkpoint, file: Path) -> None:
    """Write a checkpoint, which replaces the previous one."""
    from safetensors.numpy import save_file

    file.parent.mkdir(parents=True, exist_ok=True)
    facts = json.dumps({"identity": checkpoint.identity, "position": asdict(checkpoint.position)})
    arrays = {name: np.ascontiguousarray(array) for name, array in checkpoint.arrays.items()}
    with replacing_path(file) as fresh:
        save_file(arrays, fresh, metadata={"ramify": facts, "checksum": _checksum(facts, arrays)})


def refused(file: Path, problem: str) -> ModelError:
    """Return an error that describes the problem with a checkpoint."""
    return ModelError(str(file), "", f"expected a checkpoint; {problem}; train without --resume")


def load_checkpoint(file: Path, identity: str, unbounded: Collection[str] = ()) -> Checkpoint:
    """Read a checkpoint and check that it is complete and belongs to this run.

    Parameters
    ----------
    file : path of the checkpoint
    identity : checksum of this run
    unbounded : names of arrays that can contain infinities
    """
    from safetensors import SafetensorError, safe_open

    if not file.is_file():
        raise InvalidInputError(f"There is no checkpoint to resume from at {file}; train without --resume.")
    try:
        with safe_open(file, framework="numpy") as opened:
            metadata = opened.metadata() or {}
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - no mapping
        text = metadata.get("ramify", "{}")
        facts = json.loads(text)
        position = Position(**facts["position"])
        bounded = [array for name, array in arrays.items() if name not in unbounded]
        finite = position.is_finite() and all(np.isfinite(array).all() for array in bounded)
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise refused(file, str(error)) from None
    if metadata.get("checksum") != _checksum(text, arrays):
        raise refused(file, "its content does not match its checksum, so it is damaged or of an older version")
    if facts.get("identity") != identity:
        raise InvalidInputError(
            f"{file} is the checkpoint of another run: options or treebanks differ. "
            "Use those of that run, or train without --resume."
        )
    if not finite:
        raise refused(file, "it holds numbers that are not finite")
    return Checkpoint(position, identity, arrays)


def _checksum(facts: str, arrays: dict[str, npt.NDArray[Any]]) -> str:
    names = sorted(arrays)
    # Types and sizes count, or else bytes could move from one array to the next.
    sizes = ",".join(f"{name} {arrays[name].dtype.str} {arrays[name].size}" for name in names)
    return checksum(facts.encode(), sizes.encode(), *(np.ascontiguousarray(arrays[name]).data for name in names))
