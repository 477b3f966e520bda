"""Files of a pretrained encoder: JSON and safetensors alone, so that a folder of strangers cannot run code."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError
from ramify.learn.containers import checksum
from ramify.neural.files import BadNetworkError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

__all__ = ["MAX_WIDTH", "EncoderState", "encoder_of", "encoder_to_json", "facts_of", "read_folder", "shaped"]

MAX_WIDTH = 1 << 14
_MAX_ARRAYS = 1 << 16
_CHECKSUM = re.compile("[0-9a-f]{64}")
_LICENSE = re.compile(r"\A---\n(?:.*\n)*?license: *['\"]?([\w.+-]+)")


@dataclass(frozen=True)
class EncoderState:
    """A pretrained encoder of a model.

    Attributes
    ----------
    checksum : of the files in the folder
    width : size of its vectors
    config, tokenizer : contents of ``config.json`` and ``tokenizer.json``; empty if the encoder is frozen
    arrays : fine-tuned weights; empty if the encoder is frozen
    """

    checksum: str
    width: int
    config: str = ""
    tokenizer: str = ""
    arrays: dict[str, npt.NDArray[np.float16]] = field(default_factory=dict)


def read_folder(folder: str) -> tuple[str, str, str]:
    """Return the configuration, the tokenizer and the checksum of the encoder in a folder; refuse what is none."""
    path = Path(folder)
    if not path.is_dir():
        raise InvalidInputError(f"encoder.path expects a local folder; there is none at {folder!r}.")
    weights = sorted(path.glob("*.safetensors"))
    remedies = {
        "config.json": "save a model there with save_pretrained",
        "tokenizer.json": "save a fast tokenizer: AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)",
    }
    for name, remedy in remedies.items():
        if not (path / name).is_file():
            raise InvalidInputError(f"encoder.path expects a folder with {name}; {folder!r} has none: {remedy}.")
    if not weights:
        raise InvalidInputError(
            f"encoder.path expects weights as safetensors, which cannot run code; {folder!r} has none. Convert them: "
            "AutoModel.from_pretrained(FOLDER).save_pretrained(FOLDER)."
        )
    files = [path / name for name in remedies]
    total = checksum(*(checksum(file.read_bytes()).encode() for file in [*files, *weights]))
    try:
        config, tokenizer = (file.read_text(encoding="utf-8") for file in files)
        tables = isinstance(json.loads(config), dict)
    except ValueError:
        tables = False
    if not tables:
        raise InvalidInputError(f"encoder.path expects tables of JSON in config.json and tokenizer.json of {folder!r}.")
    return config, tokenizer, total


def facts_of(folder: str, config: str) -> dict[str, str]:
    """Return what the files say of the encoder's name, kind and licence; the licence may be in ``README.md``."""
    content, readme = json.loads(config), Path(folder) / "README.md"
    said = _LICENSE.match(readme.read_text(encoding="utf-8", errors="replace")) if readme.is_file() else None
    facts = {
        "name": content.get("_name_or_path") or Path(folder).resolve().name,
        "kind": content.get("model_type"),
        "licence": content.get("license") or (said.group(1) if said else None),
    }
    return {key: text[:100] for key, text in facts.items() if isinstance(text, str) and text.isprintable()}


def encoder_to_json(state: EncoderState) -> dict[str, Any]:
    """Return all but the weights."""
    found: dict[str, Any] = {"checksum": state.checksum, "width": state.width}
    if not state.arrays:
        return found
    shapes = {name: list(array.shape) for name, array in state.arrays.items()}
    return found | {"config": state.config, "tokenizer": state.tokenizer, "shapes": shapes}


def encoder_of(content: object) -> tuple[EncoderState, dict[str, tuple[int, ...]]]:
    """Return what `encoder_to_json` wrote, whoever wrote it, and the shapes of the weights."""
    if not isinstance(content, dict):
        raise BadNetworkError("encoder: expected a table")
    width, shapes = content.get("width"), content.get("shapes", {})
    texts = [content.get(name, "") for name in ("checksum", "config", "tokenizer")]
    if not _CHECKSUM.fullmatch(str(texts[0])):
        raise BadNetworkError("encoder: expected a checksum")
    if type(width) is not int or not 0 < width <= MAX_WIDTH or not all(isinstance(text, str) for text in texts):
        raise BadNetworkError(f"encoder: expected texts, and a width from 1 to {MAX_WIDTH:,}")
    if not isinstance(shapes, dict) or len(shapes) > _MAX_ARRAYS or not all(map(_is_shape, shapes.values())):
        raise BadNetworkError("encoder: expected shapes of arrays")
    return EncoderState(texts[0], width, texts[1], texts[2]), {name: tuple(shape) for name, shape in shapes.items()}


def _is_shape(shape: object) -> bool:
    return isinstance(shape, list) and len(shape) < 9 and all(type(n) is int and 0 <= n < 1 << 31 for n in shape)


def shaped(
    arrays: Mapping[str, npt.NDArray[np.float16]], shapes: Mapping[str, tuple[int, ...]]
) -> dict[str, npt.NDArray[np.float16]]:
    """Return weights with their shapes, if they fit and are finite."""
    for name, shape in shapes.items():
        if arrays[name].size != np.prod([int(n) for n in shape], dtype=object) or not np.isfinite(arrays[name]).all():
            raise BadNetworkError(f"encoder.{name}: expected finite numbers of shape {shape}")
    return {name: arrays[name].reshape(shape) for name, shape in shapes.items()}
