"""Where a training run stands, in one file that appears whole or not at all."""

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
    from pathlib import Path

    import numpy.typing as npt

__all__ = [
    "Checkpoint",
    "Position",
    "checkpoint_file",
    "load_checkpoint",
    "remove_checkpoint",
    "save_checkpoint",
    "trainer_state",
]

_TRAINER = {
    "keys": np.uint64,
    "weights": np.float32,
    "totals": np.float32,
    "squares": np.float32,
    "time": np.float64,
    "epoch": np.float64,
}
_MODEL = {"pruner": np.int16, "best_keys": np.uint64, "best_values": np.int16}


@dataclass
class Position:
    """What a run has done so far.

    Attributes
    ----------
    epoch, sentence : the next epoch (from 0), and the next sentence in its order
    sums : of the epoch under way: words, right heads, right labels, sentences, certified, updates, loss
    best_epoch, best_las : -1 before there is one
    best_scale, pruner_scale : of rounded weights
    pruning : heads a word, and share of right ones among them
    calibration : after the last epoch: losses at the temperatures (as powers of two) that were tried so far
    """

    epoch: int = 0
    sentence: int = 0
    sums: dict[str, float] = field(default_factory=dict)
    best_epoch: int = -1
    best_las: float = -1.0
    best_scale: float = 0.0
    pruner_scale: float = 0.0
    pruning: dict[str, float] = field(default_factory=dict)
    calibration: dict[str, float] = field(default_factory=dict)


@dataclass
class Checkpoint:
    """A position with the arrays that belong to it.

    Attributes
    ----------
    position : where the run stands
    identity : checksum of configuration and data; a checkpoint serves only its own run
    arrays : the state of the trainer, or nothing of it when all epochs are done; ``pruner``, shape (2^bits,);
        ``best_keys`` and ``best_values`` of the best epoch so far, shape (B,)
    """

    position: Position
    identity: str
    arrays: dict[str, npt.NDArray[Any]]


def trainer_state(checkpoint: Checkpoint) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that the trainer goes on from."""
    return {name: checkpoint.arrays[name] for name in _TRAINER}


def checkpoint_file(output: Path) -> Path:
    """Return where the checkpoint of a model lies."""
    folder = output.with_suffix(".checkpoint") if output.suffix.lower() == ".zip" else output / "checkpoint"
    return folder / "state.safetensors"


def remove_checkpoint(file: Path) -> None:
    """Remove a checkpoint, and its folder if nothing else is in it."""
    file.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        file.parent.rmdir()


def save_checkpoint(checkpoint: Checkpoint, file: Path) -> None:
    """Write a checkpoint over the one before it."""
    from safetensors.numpy import save_file

    file.parent.mkdir(parents=True, exist_ok=True)
    facts = json.dumps({"identity": checkpoint.identity, "position": asdict(checkpoint.position)})
    arrays = {name: np.ascontiguousarray(array) for name, array in checkpoint.arrays.items()}
    with replacing_path(file) as fresh:
        save_file(arrays, fresh, metadata={"ramify": facts, "checksum": _checksum(facts, arrays)})


def load_checkpoint(file: Path, identity: str, pruner_size: int) -> Checkpoint:
    """Read a checkpoint, and check that it is whole and one of this run, whose pruner has so many weights."""
    from safetensors import SafetensorError, safe_open

    def refuse(problem: str) -> ModelError:
        return ModelError(str(file), "", f"expected a checkpoint; {problem}; train without --resume")

    if not file.is_file():
        raise InvalidInputError(f"There is no checkpoint to resume from at {file}; train without --resume.")
    try:
        with safe_open(file, framework="numpy") as opened:
            metadata = opened.metadata() or {}
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - no mapping
        text = metadata.get("ramify", "{}")
        facts = json.loads(text)
        position = Position(**facts["position"])
        right = {name: array.dtype for name, array in arrays.items()} in (_MODEL, _TRAINER | _MODEL)
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise refuse(str(error)) from None
    if not right:
        raise refuse("its arrays are others")
    if metadata.get("checksum") != _checksum(text, arrays):
        raise refuse("its content does not match its checksum, so it is damaged or of an older version")
    if facts.get("identity") != identity:
        raise InvalidInputError(
            f"{file} is the checkpoint of another run: options or treebanks differ. "
            "Use those of that run, or train without --resume."
        )
    if problem := _problem(position, arrays, pruner_size):
        raise refuse(problem)
    return Checkpoint(position, identity, arrays)


def _checksum(facts: str, arrays: dict[str, npt.NDArray[Any]]) -> str:
    names = sorted(arrays)
    sizes = ",".join(f"{name} {arrays[name].size}" for name in names)  # else bytes could move from one to the next
    return checksum(facts.encode(), sizes.encode(), *(np.ascontiguousarray(arrays[name]).data for name in names))


def _problem(position: Position, arrays: dict[str, npt.NDArray[Any]], pruner_size: int) -> str:
    """Return what is wrong with a checkpoint whose checksum is right, if something is."""
    sizes = {name: array.size for name, array in arrays.items()}
    learned = [sizes[name] for name in ("keys", "weights", "totals", "squares") if sizes.get(name)]
    together = len(set(learned)) <= 1 and sizes["best_keys"] == sizes["best_values"]
    if not together or sizes["pruner"] != pruner_size or any(array.ndim != 1 for array in arrays.values()):
        return "its arrays do not fit together"
    numbers = [position.best_scale, position.pruner_scale, *position.calibration.values()]
    states = [array for name, array in arrays.items() if name in _TRAINER]
    if not (all(np.isfinite(array).all() for array in states) and _finite(numbers)):
        return "it holds numbers that are not finite"
    return ""


def _finite(numbers: list[float]) -> bool:
    return all(isinstance(number, (int, float)) and math.isfinite(number) for number in numbers)
