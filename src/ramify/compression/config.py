"""The configuration of a compressor."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum

from ramify.learn.configuration import Configuration, Data, Passes
from ramify.options import Choice, Flag, Integer, Number, checked, option, redefault

__all__ = ["Cases", "Config", "Decoding", "Model", "Training"]


class Cases(str, Enum):
    """What is scored of a word and its head."""

    CUT = "cut"
    """The word goes and its head stays (Almeida & Martins 2013, Eq. 8)."""
    ALL = "all"
    """Also: both stay, and both go (Martins & Smith 2009, Eq. 15). That a word stays without its head is forbidden."""


@dataclass(frozen=True, kw_only=True)
class Model(checked):
    """Options of the model: what can be cut, and what scores it."""

    cases: Cases = option(
        Choice(Cases), Cases.CUT, "What has a score. cut: a word that goes while its head stays; all: every case."
    )
    rules: bool = option(
        Flag(),
        True,
        "Whether subjects, objects, function words, negations, names and quotations always stay with their heads.",
    )
    reports: bool = option(
        Flag(), True, "Whether a verb of saying can be cut from the clause that it reports, which becomes the root."
    )
    max_weights: int = option(Integer(1), 1 << 18, "Most weights that the model file holds.")


@dataclass(frozen=True, kw_only=True)
class Training(Passes):
    """Options of training, by structured hinge loss."""

    epochs: int = redefault(Passes, "epochs", 8)
    patience: int = redefault(Passes, "patience", 3)
    max_step: float = option(Number(0, 100, above=True), 0.1, "Learning rate of AdaGrad.")
    l2: float = option(Number(0, 1e6), 0.0, "Strength of the penalty of large weights.")
    cost: float = option(
        Number(0, 1e4), 0.3, "What a wrong word costs in the loss, so that the right cuts win by a margin."
    )


@dataclass(frozen=True, kw_only=True)
class Decoding(checked):
    """Options of decoding."""

    rate: float = option(
        Number(0, 1),
        0.0,
        "Share of the words of dev that stay when no other rate is asked for; 0: as many as in the dev data.",
    )


@dataclass(frozen=True, kw_only=True)
class Config(Configuration):
    """Everything that a training run depends on."""

    model: Model = dataclasses.field(default_factory=Model)
    training: Training = dataclasses.field(default_factory=Training)
    decoding: Decoding = dataclasses.field(default_factory=Decoding)
    data: Data = dataclasses.field(default_factory=Data)
