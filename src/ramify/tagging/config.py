"""The configuration of a tagger: one typed value, read from TOML, from presets and from the command line."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from ramify.learn.configuration import Configuration
from ramify.options import Choice, Flag, Integer, Number, Text, Texts, checked, option

__all__ = ["Config", "Data", "Features", "LabelMarks", "Model", "Steps", "Training", "Weighted"]


class LabelMarks(str, Enum):
    """How the labels that are learned mark spans; which may follow which depends on it."""

    NONE = "none"
    IOB1 = "iob1"
    IOB2 = "iob2"
    BIOES = "bioes"


class Steps(str, Enum):
    """How far one sentence moves the weights."""

    AUTOMATIC = "automatic"
    ADAPTIVE = "adaptive"


class Weighted(str, Enum):
    """Which features get a weight for a label."""

    COMPLETE = "complete"
    SUPPORTED = "supported"


@dataclass(frozen=True, kw_only=True)
class Model(checked):
    """What is labelled, by what, and which labels are possible."""

    section: ClassVar[str] = "model"
    target: str = option(
        Text("the name of a column"), "label", "column that gets the labels; feats:Number: one attribute"
    )
    columns: tuple[str, ...] = option(Texts("names of columns"), ("form",), "columns that are looked at, form first")
    order: int = option(Integer(0, 2), 1, "labels before that the score of a label depends on")
    spans: LabelMarks = option(
        Choice(LabelMarks), LabelMarks.NONE, "scheme that span labels are learned in, whatever the data have"
    )
    dictionary: int = option(
        Integer(0), 0, "occurrences from which a word is in the dictionary, with the labels it has; 0: no dictionary"
    )
    restrict: bool = option(
        Flag(), True, "whether words of the dictionary only get labels that they were seen with; if not, see a[0]"
    )
    dictionary_columns: tuple[str, ...] = option(
        Texts("names of columns"), ("form",), "what a word is to the dictionary"
    )
    rare: int = option(
        Integer(0), 0, "other words only get labels of words seen at most so often; 0: any; needs model.restrict"
    )


@dataclass(frozen=True, kw_only=True)
class Features(checked):
    """What is known of a word."""

    section: ClassVar[str] = "features"
    templates: tuple[str, ...] = option(
        Texts("templates such as 'w[0]' or 'w[-1]|w[0]'"), ("bias", "w[0]"), "one feature each; see the documentation"
    )
    min_count: int = option(Integer(1, 10**9), 1, "occurrences in training from which a feature counts")
    clusters: str = option(Text("the path of a file"), "", "lines of a word and its cluster, for c[0], c4[0], …")


@dataclass(frozen=True, kw_only=True)
class Training(checked):
    """How weights are learned."""

    section: ClassVar[str] = "training"
    epochs: int = option(Integer(1, 100_000), 10, "passes over the sentences")
    patience: int = option(Integer(0, 100_000), 0, "stop after so many epochs without a better dev score; 0: never")
    beta: float = option(
        Number(0, above=True), 1.0, "inverse temperature of the loss: inf learns from the best labels, 1 from all"
    )
    gamma: float = option(
        Number(0, 1e4),
        1.0,
        "how much costs count; (beta, gamma) is (1, 0) CRF, (1, 1) softmax-margin, (inf, 1) MIRA, (inf, 0) perceptron",
    )
    steps: Steps = option(
        Choice(Steps), Steps.ADAPTIVE, "adaptive: AdaGrad; automatic: as far as the loss asks for, as MIRA does"
    )
    max_step: float = option(Number(0, 1e6, above=True), 0.2, "AdaGrad's rate; or most that one sentence moves (C)")
    decay: float = option(Number(0, 1e6), 0.0, "epoch n has max-step / (1 + decay * (n - 1))")
    variety: bool = option(
        Flag(), False, "learn from made-up sentences, too: with emoji and, for lemmas, acronyms and large numbers"
    )
    dropout: float = option(
        Number(0, 0.9), 0.0, "share of a word's features that are left out, anew each time; the others learn more"
    )
    min_gradient: float = option(
        Number(0, 0.5), 1e-3, "probability that a label has to be off by to be learned from; larger: fewer weights"
    )
    average: bool = option(Flag(), True, "whether the model has the average of all weights on the way")
    features: Weighted = option(
        Choice(Weighted), Weighted.COMPLETE, "supported: weights only for features with labels seen together"
    )
    batch: int = option(Integer(1, 100_000), 1, "sentences that learn from the same weights, side by side on threads")
    seed: int = option(Integer(0), 1, "of the order of sentences")
    max_weights: int = option(Integer(1, 2**28), 4_000_000, "most weights in the model file: the largest are kept")
    min_weight: float = option(Number(0, 1e6), 0.0, "weights up to this size are dropped")
    refit: bool = option(Flag(), False, "learn once more, with only the weights that the file will hold")
    bits: int = option(Integer(4, 16), 16, "of a weight in the model file")


@dataclass(frozen=True, kw_only=True)
class Data(checked):
    """Files of a training run; paths are relative to the folder the command runs in."""

    section: ClassVar[str] = "data"
    train: tuple[str, ...] = option(Texts("files"), (), "files to learn from")
    dev: tuple[str, ...] = option(Texts("files"), (), "files to choose the best epoch on")
    output: str = option(Text("the path of a model directory"), "", "where the model goes")
    columns: tuple[str, ...] = option(
        Texts("names of columns"), (), "of column files, in order; without, files are treebanks"
    )


@dataclass(frozen=True, kw_only=True)
class Config(Configuration):
    """Everything that a training run depends on, the contents of the files aside.

    Examples
    --------
    >>> config = Config.preset("upos").override({"training.epochs": "3"})
    >>> config.model.target, config.training.epochs
    ('upos', 3)
    >>> Config.parse(config.to_toml()) == config
    True
    """

    package: ClassVar[str] = "ramify.tagging"
    model: Model = dataclasses.field(default_factory=Model)
    features: Features = dataclasses.field(default_factory=Features)
    training: Training = dataclasses.field(default_factory=Training)
    data: Data = dataclasses.field(default_factory=Data)
