"""The configuration of a compressor."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum

from ramify.learn.configuration import Configuration, Data, Passes
from ramify.options import Choice, Flag, Integer, Number, checked, option, redefault

__all__ = ["Cases", "Config", "Decoding", "Model", "Training"]


class Cases(str, Enum):
    """Cases of a word and its head that have scores."""

    CUT = "cut"
    """The word is deleted and its head stays (Almeida & Martins 2013, Eq. 8)."""
    ALL = "all"
    """Also: both stay, or both are deleted (Martins & Smith 2009, Eq. 15). A word cannot stay without its head."""


@dataclass(frozen=True, kw_only=True)
class Model(checked):
    """Options of the model: what can be cut, and what scores it."""

    cases: Cases = option(
        Choice(Cases), Cases.CUT, "Cases that have scores. cut: a word is deleted and its head stays; all: every case."
    )
    rules: bool = option(
        Flag(),
        True,
        "Whether subjects, objects, function words, negations, names and quotations always stay with their heads.",
    )
    reports: bool = option(
        Flag(), True, "Whether a verb of saying can be cut from the clause that it reports, which becomes the root."
    )
    max_weights: int = option(Integer(1), 1 << 18, "Largest number of weights in the model file.")


@dataclass(frozen=True, kw_only=True)
class Training(Passes):
    """Options of training, by structured hinge loss."""

    epochs: int = redefault(Passes, "epochs", 8)
    patience: int = redefault(Passes, "patience", 3)
    max_step: float = option(Number(0, 100, above=True), 0.1, "Learning rate of AdaGrad.")
    l2: float = option(Number(0, 1e6), 0.0, "Strength of the penalty of large weights.")
    cost: float = option(
        Number(0, 1e4), 0.3, "Cost of a wrong word in the loss; the right cuts have to win by this margin."
    )


@dataclass(frozen=True, kw_only=True)
class Decoding(checked):
    """Options of decoding."""

    rate: float = option(
        Number(0, 1),
        0.0,
        "Share of the words of dev that stay if no other rate is given; 0: the share of the dev data.",
    )


@dataclass(frozen=True, kw_only=True)
class Config(Configuration):
    """Everything that a training run depends on."""

    model: Model = dataclasses.field(default_factory=Model)
    training: Training = dataclasses.field(default_factory=Training)
    decoding: Decoding = dataclasses.field(default_factory=Decoding)
    data: Data = dataclasses.field(default_factory=Data)
