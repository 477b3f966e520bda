"""Where a training run stands, in one file that appears whole or not at all."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.atomic import replacing_path
from ramify.errors import InvalidInputError, ModelError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

__all__ = ["Checkpoint", "Position", "checkpoint_file", "load_checkpoint", "save_checkpoint"]

_ARRAYS = {
    "keys": np.uint64,
    "weights": np.float32,
    "totals": np.float32,
    "pruner": np.int16,
    "best_keys": np.uint64,
    "best_values": np.int16,
}


@dataclass
class Position:
    """What a run has done so far.

    Attributes
    ----------
    epoch, sentence : the next epoch (from 0), and the next sentence in its order
    time : of the trainer, in sentences
    sums : of the epoch under way: words, right heads, right labels, sentences, certified, updates, loss
    best_epoch, best_las : -1 before there is one
    best_scale, pruner_scale : of rounded weights
    pruning : heads a word, and share of right ones among them
    """

    epoch: int = 0
    sentence: int = 0
    time: float = 0.0
    sums: dict[str, float] = field(default_factory=dict)
    best_epoch: int = -1
    best_las: float = -1.0
    best_scale: float = 0.0
    pruner_scale: float = 0.0
    pruning: dict[str, float] = field(default_factory=dict)


@dataclass
class Checkpoint:
    """A position with the arrays that belong to it.

    Attributes
    ----------
    position : where the run stands
    identity : checksum of configuration and data; a checkpoint serves only its own run
    arrays : ``keys``, ``weights``, ``totals`` of the trainer, shape (W,); ``pruner``, shape (2^bits,);
        ``best_keys`` and ``best_values`` of the best epoch so far, shape (B,)
    """

    position: Position
    identity: str
    arrays: dict[str, npt.NDArray[Any]]


def checkpoint_file(output: Path) -> Path:
    """Return where the checkpoint of a model lies."""
    folder = output.with_suffix(".checkpoint") if output.suffix.lower() == ".zip" else output / "checkpoint"
    return folder / "state.safetensors"


def save_checkpoint(checkpoint: Checkpoint, file: Path) -> None:
    """Write a checkpoint over the one before it."""
    from safetensors.numpy import save_file

    file.parent.mkdir(parents=True, exist_ok=True)
    facts = json.dumps({"identity": checkpoint.identity, "position": asdict(checkpoint.position)})
    arrays = {name: np.ascontiguousarray(array) for name, array in checkpoint.arrays.items()}
    with replacing_path(file) as fresh:
        save_file(arrays, fresh, metadata={"ramify": facts})


def load_checkpoint(file: Path, identity: str) -> Checkpoint:
    """Read a checkpoint and check that it is one of this run."""
    from safetensors import SafetensorError, safe_open

    if not file.is_file():
        raise InvalidInputError(f"There is no checkpoint to resume from at {file}; train without --resume.")
    try:
        with safe_open(file, framework="numpy") as opened:
            facts = json.loads((opened.metadata() or {}).get("ramify", "{}"))
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 - no mapping
        position = Position(**facts["position"])
        right = {name: array.dtype for name, array in arrays.items()} == _ARRAYS
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise ModelError(str(file), "", f"expected a checkpoint; {error}; train without --resume") from None
    if not right:
        raise ModelError(str(file), "", "expected a checkpoint; its arrays are others; train without --resume")
    if facts.get("identity") != identity:
        raise InvalidInputError(
            f"{file} is the checkpoint of another run: options or treebanks differ. "
            "Use those of that run, or train without --resume."
        )
    return Checkpoint(position, identity, arrays)
