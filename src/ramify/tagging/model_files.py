"""Taggers on disk, in the files that all models of ramify have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ramify.data import LabelScheme
from ramify.learn import arrays as tensors
from ramify.learn.containers import are_names
from ramify.learn.model_files import BadVocabularyError, ModelFiles
from ramify.tagging.card import render_card
from ramify.tagging.config import Config
from ramify.tagging.state import MAX_LABELS, MAX_NGRAMS, Frame, ModelState, Weights, check_options

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["FILES", "LABELLER_FILES", "load_model", "save_model"]

_MAX_CLUSTERS = 1 << 20
_ARRAYS: dict[str, str | tuple[str, ...]] = {
    "keys": "U8",
    "counts": ("U8", "U16"),
    "labels": ("U8", "U16"),
    "weights": ("I8", "I16"),
    "scale": "F64",
    "pairs": "F16",
    "triples": "F16",
    "set_keys": "U64",
    "set_counts": ("U8", "U16"),
    "set_labels": ("U8", "U16"),
    "cluster_keys": "U64",
    "cluster_ids": "U32",
}


class TaggerFiles(ModelFiles[ModelState]):
    """The files of taggers, and of sequence labellers."""

    config: ClassVar[type[Config]] = Config
    card = staticmethod(render_card)

    def vocabulary(self, state: ModelState) -> dict[str, Any]:
        """Return the names of labels and clusters."""
        return {
            "labels": state.frame.labels,
            "written-scheme": state.frame.written.value if state.frame.written else None,
            "clusters": state.frame.cluster_names,
        }

    def pack(self, state: ModelState) -> bytes:
        """Return the arrays, each in the smallest type that holds it."""
        return _pack(state)

    def unpack(self, config: Config, vocabulary: dict[str, Any], weights: bytes) -> ModelState:
        """Check that names, arrays and options fit together."""
        _check(vocabulary)
        check_options(config)
        return ModelState(config, *_unpack(weights, vocabulary, config), vocabulary["facts"])


def _check(vocabulary: dict[str, Any]) -> None:
    if not are_names(vocabulary.get("labels"), 1, MAX_LABELS):
        raise BadVocabularyError(f"labels: expected a list of 1 to {MAX_LABELS} different names")
    if not are_names(vocabulary.get("clusters"), 0, _MAX_CLUSTERS):
        raise BadVocabularyError(f"clusters: expected at most {_MAX_CLUSTERS:,} different names")
    if vocabulary.get("written-scheme", "") not in (None, *(scheme.value for scheme in LabelScheme)):
        raise BadVocabularyError("written-scheme: expected null, iob1, iob2 or bioes")


def _narrow(values: npt.NDArray[Any], wide: Any, narrow: Any) -> npt.NDArray[Any]:
    """Return values in the narrow type if they fit."""
    info = np.iinfo(narrow)
    fits = values.size == 0 or (int(values.min()) >= info.min and int(values.max()) <= info.max)
    return values.astype(narrow if fits else wide)


def _pack(state: ModelState) -> bytes:
    frame, weights = state.frame, state.weights
    keys, position = tensors.pack_keys(weights.keys)
    counts = np.zeros(len(keys) // 3, np.uint16)
    counts[position] = weights.counts
    return tensors.write_arrays(
        {
            "keys": keys,
            "counts": _narrow(counts, np.uint16, np.uint8),
            "labels": _narrow(weights.labels, np.uint16, np.uint8),
            "weights": _narrow(weights.values, np.int16, np.int8),
            "scale": np.array([weights.scale]),
            "pairs": weights.pairs,
            "triples": weights.triples,
            "set_keys": frame.set_keys,
            "set_counts": _narrow(frame.set_counts, np.uint16, np.uint8),
            "set_labels": _narrow(frame.set_labels, np.uint16, np.uint8),
            "cluster_keys": frame.cluster_keys,
            "cluster_ids": frame.cluster_ids,
        }
    )


def _unpack(content: bytes, vocabulary: dict[str, Any], config: Config) -> tuple[Frame, Weights]:
    arrays = tensors.read_arrays(content, _ARRAYS)
    labels = tuple(vocabulary["labels"])
    order, side = config.model.order, len(labels) + 1
    if side ** (order + 1) > MAX_NGRAMS and order > 0:
        raise tensors.BadTensorsError(f"expected at most {MAX_NGRAMS:,} label n-grams")
    tensors.check_shape(arrays, "pairs", side**2 if order >= 1 else 0)
    tensors.check_shape(arrays, "triples", side**3 if order >= 2 else 0)
    tensors.check_shape(arrays, "scale", 1)
    for name in ("pairs", "triples"):
        if not np.isfinite(arrays[name]).all():
            raise tensors.BadTensorsError(f"{name}: expected finite numbers")
    keys = tensors.unpack_keys(arrays["keys"], arrays["counts"].size)
    counts = arrays["counts"].astype(np.uint16)
    _check_lists("labels", counts, arrays["labels"], len(labels))
    tensors.check_shape(arrays, "weights", arrays["labels"].size)
    used = counts > 0
    weights = Weights(
        keys[used],
        counts[used],
        arrays["labels"].astype(np.uint16),
        arrays["weights"].astype(np.int16),
        tensors.check_scale(float(arrays["scale"][0])),
        arrays["pairs"].astype(np.float16),
        arrays["triples"].astype(np.float16),
    )
    return _frame(arrays, labels, vocabulary, config), weights


def _frame(arrays: dict[str, npt.NDArray[Any]], labels: tuple[str, ...], vocabulary: Any, config: Config) -> Frame:
    counts = arrays["set_counts"].astype(np.uint16)
    tensors.check_shape(arrays, "set_counts", arrays["set_keys"].size + 1 if config.model.dictionary else 0)
    _check_lists("set_labels", counts, arrays["set_labels"], len(labels))
    for name in ("set_keys", "cluster_keys"):
        if np.any(arrays[name][1:] <= arrays[name][:-1]):
            raise tensors.BadTensorsError(f"{name}: expected ascending hashes")
    names = tuple(vocabulary["clusters"])
    tensors.check_shape(arrays, "cluster_ids", arrays["cluster_keys"].size)
    if arrays["cluster_ids"].size and int(arrays["cluster_ids"].max()) >= len(names):
        raise tensors.BadTensorsError(f"cluster_ids: expected numbers below {len(names)}")
    written = vocabulary["written-scheme"]
    return Frame(
        labels,
        LabelScheme(written) if written else None,
        arrays["set_keys"].astype(np.uint64),
        counts,
        arrays["set_labels"].astype(np.uint16),
        arrays["cluster_keys"].astype(np.uint64),
        arrays["cluster_ids"].astype(np.uint32),
        names,
    )


def _check_lists(name: str, counts: npt.NDArray[Any], labels: npt.NDArray[Any], num_labels: int) -> None:
    """Check that labels, shape (sum of counts,), are numbers of labels, ascending in each list."""
    if int(counts.sum(dtype=np.int64)) != labels.size:
        raise tensors.BadTensorsError(
            f"{name}: expected {int(counts.sum(dtype=np.int64)):,} values; found {labels.size:,}"
        )
    if labels.size == 0:
        return
    if int(labels.max()) >= num_labels:
        raise tensors.BadTensorsError(f"{name}: expected numbers below {num_labels}")
    begins = np.zeros(labels.size, bool)
    starts = np.cumsum(counts, dtype=np.int64)[:-1]
    begins[starts[starts < labels.size]] = True
    if np.any((labels[1:] <= labels[:-1]) & ~begins[1:]):
        raise tensors.BadTensorsError(f"{name}: expected ascending numbers for each word or feature")


FILES = TaggerFiles("tagger")
LABELLER_FILES = TaggerFiles("sequence labeller")  # its features are the caller's, so that it is no tagger
load_model = FILES.load
save_model = FILES.save
