"""Everything that a trained tagger consists of, as plain values and arrays; from it the C++ model is built."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

import numpy as np

from ramify._core import tagging as _core
from ramify.errors import InvalidInputError
from ramify.learn.state import TrainedState
from ramify.tagging.coding import Coding, coding_for
from ramify.tagging.config import Config, LabelMarks
from ramify.tagging.lemmas import least_characters
from ramify.tagging.pools import expand
from ramify.tagging.sentences import attribute_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from ramify.data import LabelScheme

__all__ = ["MAX_LABELS", "MAX_NGRAMS", "Frame", "ModelState", "Weights", "check_options", "core_model"]

MAX_LABELS = 4096
MAX_NGRAMS = 1 << 25  # entries of tables over pairs or triples of labels
_SCHEMES = {marks: _core.Scheme[marks.upper()] for marks in get_args(LabelMarks)}


@dataclass(frozen=True)
class Frame:
    """What is known of the data before any weight is learned.

    Attributes
    ----------
    labels : L labels that the model learns
    written : scheme in which span labels stand in files, if they are span labels
    set_keys : shape (W,), ascending hashes of words in the dictionary
    set_counts : shape (W + 1,) or (0,): labels of words that are not in it, then of each that is
    set_labels : shape (sum of set_counts,), numbers of labels, ascending for each word
    cluster_keys, cluster_ids : shape (C,), hashes of words and places of their clusters in `cluster_names`
    """

    labels: tuple[str, ...]
    written: LabelScheme | None = None
    set_keys: npt.NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    set_counts: npt.NDArray[np.uint16] = field(default_factory=lambda: np.empty(0, np.uint16))
    set_labels: npt.NDArray[np.uint16] = field(default_factory=lambda: np.empty(0, np.uint16))
    cluster_keys: npt.NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    cluster_ids: npt.NDArray[np.uint32] = field(default_factory=lambda: np.empty(0, np.uint32))
    cluster_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Weights:
    """Learned weights, rounded to multiples of a scale.

    Attributes
    ----------
    keys : shape (F,), ascending hashes of features, of which the upper 40 bits count
    counts : shape (F,), how many labels each has a weight for, at least 1
    labels, values : shape (sum of counts,), numbers of labels, ascending for each feature, and weight / scale
    scale : of the weights
    pairs : shape ((L + 1)²,), scores of label pairs, the boundary last; (0,) in order 0
    triples : shape ((L + 1)³,); (0,) below order 2
    """

    keys: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.uint16]
    labels: npt.NDArray[np.uint16]
    values: npt.NDArray[np.int16]
    scale: float
    pairs: npt.NDArray[np.float16]
    triples: npt.NDArray[np.float16]


class ModelState(TrainedState[Config, Frame, Weights]):
    """A trained tagger."""

    @property
    def coding(self) -> Coding:
        """How labels of files become labels of the model."""
        return coding_for(self.config.model.target, self.config.model.spans, self.frame.written)

    def build(self) -> _core.TaggerModel:
        """Return the model that tags."""
        model = core_model(self.config, self.frame)
        w = self.weights
        pairs, triples = w.pairs.astype(np.float32), w.triples.astype(np.float32)
        model.set_weights(w.keys, w.counts, w.labels, w.values, w.scale, pairs, triples)
        return model


def check_options(config: Config) -> None:
    """Refuse columns that a tagger cannot look at, and templates that say nothing."""
    model = config.model
    config.select.check()
    if not model.columns or model.columns[0] != "form":
        raise InvalidInputError(f"model.columns expects the form first; got {list(model.columns)}.")
    if not set(model.dictionary_columns) <= set(model.columns):
        raise InvalidInputError(
            f"model.dictionary-columns expects some of model.columns; got {list(model.dictionary_columns)}."
        )
    if (attribute_of(model.target) and "feats" in model.columns) or model.target in model.columns:
        raise InvalidInputError(f"model.columns expects columns to look at; {model.target!r} is the one to fill in.")
    for pattern in expand(config.features.templates):
        problem = _core.check_template(pattern, model.columns)
        if problem is not None:
            raise InvalidInputError(
                f"features.templates expects templates such as 'w[0]', 's3[0]' or '{model.columns[-1]}[-1]|w[0]'; "
                f"got {pattern!r}: {problem}."
            )


def core_model(config: Config, frame: Frame) -> _core.TaggerModel:
    """Return a C++ model that has no weights yet."""
    check_options(config)
    columns = config.model.columns
    lengths: list[int] = []
    if config.model.target == "lemma":
        lengths = [least_characters(script) for script in frame.labels]
    keyed = [columns.index(name) for name in config.model.dictionary_columns] if config.model.dictionary else []
    return _core.TaggerModel(
        order=config.model.order,
        scheme=_SCHEMES[config.model.spans],
        labels=frame.labels,
        min_characters=np.array(lengths, np.uint16),
        columns=columns,
        templates=expand(config.features.templates),
        dictionary_columns=np.array(keyed, np.uint16),
        restricted=config.model.restrict,
        keys=frame.set_keys,
        counts=frame.set_counts,
        set_labels=frame.set_labels,
        cluster_keys=frame.cluster_keys,
        cluster_ids=frame.cluster_ids,
        cluster_names=frame.cluster_names,
    )
