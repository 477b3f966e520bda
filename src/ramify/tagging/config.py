"""The configuration of a tagger: one typed value, read from TOML, from presets and from the command line."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal

from ramify.learn import configuration
from ramify.learn.configuration import Configuration
from ramify.learn.selection import Select
from ramify.options import Flag, Integer, Name, Number, Text, Texts, checked, option, redefault

__all__ = ["Config", "Data", "Features", "LabelMarks", "Model", "Select", "Steps", "Training", "Weighted"]


#: Scheme in which learned labels mark spans; it determines which label can follow which.
LabelMarks = Literal["none", "iob1", "iob2", "bioes"]


@dataclass(frozen=True, kw_only=True)
class Model(checked):
    """Options of the model: the column to predict, the columns it uses, and the possible labels."""

    target: str = option(
        Text("the name of a column"),
        "label",
        "Column that the tagger predicts. feats:Number is one attribute of the column feats.",
    )
    columns: tuple[str, ...] = option(
        Texts("names of columns"), ("form",), "Columns that features may use; form comes first."
    )
    order: int = option(Integer(0, 2), 1, "Number of preceding labels on which the score of a label depends.")
    spans: LabelMarks = option(
        Name(LabelMarks), "none", "Scheme in which span labels are learned; the data may use another one."
    )
    dictionary: int = option(
        Integer(0),
        0,
        "The dictionary stores the labels of words that occur at least this often in training; 0: no dictionary.",
    )
    restrict: bool = option(
        Flag(),
        True,
        "Whether words in the dictionary can only get labels that they had in training. If not, the "
        "dictionary can still be used by features such as a[0].",
    )
    dictionary_columns: tuple[str, ...] = option(
        Texts("names of columns"), ("form",), "Columns that identify a word in the dictionary."
    )
    rare: int = option(
        Integer(0),
        0,
        "Words outside the dictionary can only get labels of words that occur at most this often in training; "
        "0: any label. It has an effect only with model.restrict.",
    )


@dataclass(frozen=True, kw_only=True)
class Features(checked):
    """Options of the features of words."""

    templates: tuple[str, ...] = option(
        Texts("templates such as 'w[0]' or 'w[-1]|w[0]'"),
        ("bias", "w[0]"),
        "Feature templates, or rules such as 'w*3[-3:3]' for many of them; each template adds one feature per word.",
    )
    min_count: int = option(Integer(1, 10**9), 1, "A feature is used if it occurs at least this often in training.")
    clusters: str = option(
        Text("the path of a file"),
        "",
        "File with a word and its cluster on each line, for templates such as c[0] and c4[0].",
    )


#: Method that chooses the step size of an update.
Steps = Literal["automatic", "adaptive"]
#: Labels for which a feature gets a weight.
Weighted = Literal["complete", "supported"]


@dataclass(frozen=True, kw_only=True)
class Training(configuration.FamilyPasses):
    """Options of training."""

    beta: float = redefault(configuration.FamilyPasses, "beta", 1.0)
    steps: Steps = option(
        Name(Steps),
        "adaptive",
        "Step sizes. adaptive: those of AdaGrad; automatic: computed from the loss, as in MIRA.",
    )
    max_step: float = option(
        Number(0, 1e6, above=True),
        0.2,
        "Learning rate of AdaGrad, or with steps = 'automatic' the maximum step size for one sentence (C in MIRA).",
    )
    decay: float = option(Number(0, 1e6), 0.0, "Epoch n uses the step size max-step / (1 + decay * (n - 1)).")
    variety: bool = option(
        Flag(), False, "Also train on generated sentences: with emoji and, for lemmas, with acronyms and large numbers."
    )
    dropout: float = option(
        Number(0, 0.9), 0.0, "Share of a word's features that an update drops at random, so that others learn more."
    )
    min_gradient: float = option(
        Number(0, 0.5),
        1e-3,
        "A label is updated only if its probability is wrong by at least this much; larger values give fewer weights.",
    )
    average: bool = option(Flag(), True, "Whether the model uses the average of the weights over all updates.")
    features: Weighted = option(
        Name(Weighted),
        "complete",
        "Weights of a feature. complete: for all labels that an update changes; supported: only for labels "
        "that occur with the feature in training.",
    )
    min_weight: float = option(Number(0, 1e6), 0.0, "Weights whose absolute value is at most this are dropped.")
    refit: bool = option(Flag(), False, "Train a second time with only the weights that the model file will contain.")
    bits: int = option(Integer(4, 16), 16, "Number of bits per weight in the model file.")


@dataclass(frozen=True, kw_only=True)
class Data(configuration.Data):
    """Files of a training run and the names of their columns."""

    columns: tuple[str, ...] = option(
        Texts("names of columns"),
        (),
        "Names of the columns of column files, in order. Without names, files are read as treebanks.",
    )


@dataclass(frozen=True, kw_only=True)
class Config(Configuration):
    """All options of a training run; with the contents of the files, they determine its result.

    Examples
    --------
    >>> config = Config.preset("upos").override({"training.epochs": "3"})
    >>> config.model.target, config.training.epochs
    ('upos', 3)
    >>> Config.parse(config.to_toml()) == config
    True
    """

    model: Model = dataclasses.field(default_factory=Model)
    features: Features = dataclasses.field(default_factory=Features)
    training: Training = dataclasses.field(default_factory=Training)
    select: Select = dataclasses.field(default_factory=Select)
    data: Data = dataclasses.field(default_factory=Data)
