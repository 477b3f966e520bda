"""Everything that a trained parser consists of, as plain values and arrays; from it the C++ model is built."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from ramify._core import parsing as _core
from ramify.learn.state import TrainedState
from ramify.parsing.config import Config, Method, Tree
from ramify.parsing.inference import ad3_of
from ramify.parsing.reading import Reader
from ramify.parsing.scored import ScoredModel

if TYPE_CHECKING:
    import numpy.typing as npt

    from ramify.neural.encoder_files import EncoderState
    from ramify.neural.vocabulary import Vocabulary

__all__ = [
    "COLUMNS",
    "MAX_LABELS",
    "MAX_PAIRS",
    "MAX_TAGS",
    "NO_WEIGHTS",
    "Frame",
    "ModelState",
    "NetworkWeights",
    "Weights",
    "quantise",
]

COLUMNS = ("lemma", "xpos", "feats")  # those that a treebank may leave empty
MAX_TAGS = 4096
MAX_LABELS = 65536
MAX_PAIRS = 1 << 28  # entries of tables over tags x tags x labels
_METHODS = {
    Method.AD3: _core.Method.AD3,
    Method.EXACT: _core.Method.EXACT,
    Method.BELIEF_PROPAGATION: _core.Method.BELIEF_PROPAGATION,
    Method.RELAX: _core.Method.RELAX,
    Method.SUBGRADIENT: _core.Method.SUBGRADIENT,
    Method.DYNAMIC_PROGRAM: _core.Method.DYNAMIC_PROGRAM,
    # Programs are solved in Python, one sentence at a time; training takes the solver with the same optimum.
    Method.LINEAR: _core.Method.AD3,
    Method.INTEGER: _core.Method.EXACT,
    Method.CONCISE_LINEAR: _core.Method.AD3,
    Method.CONCISE_INTEGER: _core.Method.EXACT,
}
_TREES = {tree: _core.TreeKind[tree.replace("-", "_").upper()] for tree in get_args(Tree)}
_FOREVER = 1e9  # seconds; the C++ side adds it to a clock


@dataclass(frozen=True)
class Frame:
    """What is known of the treebank before any weight is learned.

    Attributes
    ----------
    tags : T tags; the first two stand for the root and for tags not seen in training
    labels : L dependency labels
    empty : columns without values in training, of `COLUMNS`
    single_root : whether one word only has head 0
    frequent : shape (F,), hashes of forms that are feature values in their own right, ascending
    longest : shape (T * T * 2,), longest arc by head tag, modifier tag and direction
    allowed : shape (T * T * L,), 1 where a label was seen between two tags
    """

    tags: tuple[str, ...]
    labels: tuple[str, ...]
    empty: tuple[str, ...]
    single_root: bool
    frequent: npt.NDArray[np.uint64]
    longest: npt.NDArray[np.int32]
    allowed: npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Weights:
    """Learned weights, rounded to multiples of a scale.

    Attributes
    ----------
    keys : shape (W,), ascending hashes of features, of which the upper 40 bits count
    values : shape (W,), weight / scale
    scale : of the weights
    pruner : shape (2^bits,), weight / scale of the pruner
    pruner_scale : of the pruner's weights
    """

    keys: npt.NDArray[np.uint64]
    values: npt.NDArray[np.int16]
    scale: float
    pruner: npt.NDArray[np.int16]
    pruner_scale: float


@dataclass(frozen=True)
class NetworkWeights:
    """A trained network.

    Attributes
    ----------
    vocabulary : names that it knows by number
    arrays : weights with 8 bits, as `ramify.neural.quantisation.quantise` gives them
    encoder : pretrained encoder whose vectors the network reads, too
    """

    vocabulary: Vocabulary
    arrays: dict[str, npt.NDArray[Any]]
    encoder: EncoderState | None = None

    @property
    def size(self) -> int:
        """Number of weights."""
        tuned = () if self.encoder is None else self.encoder.arrays.values()
        own = [array for name, array in self.arrays.items() if not name.endswith(".scale")]
        return sum(array.size for array in (*own, *tuned))


NO_WEIGHTS = Weights(np.empty(0, np.uint64), np.empty(0, np.int16), 0.0, np.zeros(2, np.int16), 0.0)


@dataclass(frozen=True)
class ModelState(TrainedState[Config, Frame, Weights]):
    """A trained parser. Where a network scores the parts, there are no other weights."""

    network: NetworkWeights | None = None

    @property
    def num_weights(self) -> int:
        """Number of weights, those of the pruner not counted."""
        return len(self.weights.keys) if self.network is None else self.network.size

    def build(self) -> ScoredModel:
        """Return the model that parses."""
        model = self._core()
        if self.network is None:
            return ScoredModel(model)
        pretrained = None
        if self.network.encoder is not None:
            from ramify.neural.encoder import open_state  # needs PyTorch and transformers

            pretrained = open_state(self.network.encoder, self.config.encoder)
        reader = Reader(self.config.network, self.network.vocabulary, self.network.arrays, pretrained)
        model.set_network(reader.network)
        return ScoredModel(model, reader, keep_tags=self.config.inference.keep_tags)

    def _core(self) -> _core.ParserModel:
        model = core_model(self.config, self.frame, self.weights.pruner, self.weights.pruner_scale)
        weights = self.weights
        model.set_weights(weights.keys, weights.values, weights.scale, num_buckets(self.config))
        return model


def core_model(config: Config, frame: Frame, pruner: npt.NDArray[np.int16], pruner_scale: float) -> _core.ParserModel:
    """Return a C++ model that prunes and has no weights yet; `pruner` has shape (2^bits,)."""
    vocabulary = _core.Vocabulary()
    vocabulary.restore(frame.tags, frame.frequent)
    pairs = _core.TagPairs(len(frame.tags), len(frame.labels), frame.longest, frame.allowed)
    weights = pruner.astype(np.float32) * np.float32(pruner_scale)
    return _core.ParserModel(_core_options(config, frame), vocabulary, frame.labels, pairs, weights)


def _core_options(config: Config, frame: Frame) -> _core.ModelOptions:
    section = config.inference
    ad3 = ad3_of(section)
    return _core.ModelOptions(
        parts=_core.PartChoice([part.value for part in config.model.parts]),
        tree=_TREES[config.model.tree],
        single_root=frame.single_root,
        threshold=config.pruner.threshold,
        max_heads=config.pruner.max_heads,
        use_lengths=config.pruner.lengths,
        ad3=replace(ad3, time_limit=min(ad3.time_limit, _FOREVER)).core_options(),
        method=_METHODS[section.method],
        node_iterations=ad3.node_iterations,
        max_nodes=ad3.max_nodes,
        subgradient_step=section.step,
        bp_iterations=section.bp_iterations,
        bp_tolerance=section.bp_tolerance,
        relax_gain=section.relax_gain,
        relax_rounds=section.relax_rounds,
        temperature=config.temperature,
        curve=np.array(section.curve, dtype=np.float64),
        templates=config.model.templates,
        without=config.model.without,
        empty=frame.empty,
    )


def num_buckets(config: Config) -> int:
    """Return how many weights all features share; 0 where each has its own."""
    return config.training.num_buckets if config.training.features == "buckets" else 0


def quantise(weights: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int16], float]:
    """Round weights, shape (n,), to 16-bit multiples of a scale."""
    largest = float(np.abs(weights).max(initial=0.0))
    if largest == 0.0:
        return np.zeros(weights.shape, np.int16), 0.0
    scale = largest / np.iinfo(np.int16).max
    return np.round(weights / scale).astype(np.int16), scale
