"""The configuration of a summarizer."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum

from ramify.learn.configuration import Configuration, Data, Passes
from ramify.options import Choice, Flag, Integer, Number, checked, option, redefault

__all__ = ["Config", "Decoding", "Method", "Model", "Training"]


class Method(str, Enum):
    """Methods that find the best summary."""

    SEARCH = "search"
    """Relaxation of the concepts only, solved by a subgradient method with dynamic programming and a search."""
    AD3 = "ad3"
    """The same; where value and bound differ by more than 0.5%, AD3 with a little branch and bound for the rest."""
    AD3_PAPER = "ad3-paper"
    """AD3 with the rounding of Almeida & Martins (2013, section 3.4)."""
    AD3_EXACT = "ad3-exact"
    """The same, with AD3 and branch and bound until the best summary is proved."""
    SUBGRADIENT = "subgradient"
    """Search from the marginals of the subgradient method."""
    LP = "lp"
    """Search from the solution of the linear relaxation."""
    ILP = "ilp"
    """Integer program."""


@dataclass(frozen=True, kw_only=True)
class Model(checked):
    """Options of the model."""

    max_weights: int = option(Integer(1), 1 << 17, "Largest number of weights in the model file.")
    min_count: int = option(Integer(1), 3, "Smallest number of training inputs in which a feature has to occur.")


@dataclass(frozen=True, kw_only=True)
class Training(checked):
    """Options of training, by structured hinge loss."""

    epochs: int = option(Integer(1, 1000), 3, "Number of passes over the training inputs.")
    patience: int = redefault(Passes, "patience", 0)
    max_step: float = option(Number(0, 100, above=True), 0.1, "Learning rate of AdaGrad.")
    l2: float = option(Number(0, 1e6), 0.1, "Strength of the penalty of large weights.")
    cost: float = option(Number(0, 1e4), 10.0, "Cost of a summary that has none of the references' bigrams.")
    compressive: bool = option(
        Flag(),
        True,
        "Whether cuts are also learned, from the best compressed summaries. This needs parsing, which takes long.",
    )
    shared: float = option(
        Number(0, 1e6),
        0.0,
        "Strength of the penalty of the weights that extraction and compression share, relative to that of their own "
        "ones; 0: all are shared.",
    )
    seed: int = option(Integer(0), 1, "Random seed for shuffling the inputs.")


@dataclass(frozen=True, kw_only=True)
class Decoding(checked):
    """Options of decoding."""

    method: Method = option(Choice(Method), Method.AD3, "Method that finds the best summary.")
    iterations: int = option(Integer(1), 100, "Maximum number of iterations of AD3 or of the subgradient method.")
    candidate_words: int = option(
        Integer(1),
        1000,
        "Number of words up to which the best sentences are parsed; other sentences cannot be in the summary.",
    )
    cut_price: float = option(Number(0, 1e6), 0.0, "Additional cost of each cut.")
    min_share: float = option(
        Number(0, 1), 0.0, "Share of the words of a sentence that stay at least if the sentence is selected."
    )


@dataclass(frozen=True, kw_only=True)
class Config(Configuration):
    """Everything that a training run depends on."""

    model: Model = dataclasses.field(default_factory=Model)
    training: Training = dataclasses.field(default_factory=Training)
    decoding: Decoding = dataclasses.field(default_factory=Decoding)
    data: Data = dataclasses.field(default_factory=Data)
