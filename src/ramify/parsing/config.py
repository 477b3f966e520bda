"""The configuration of a parser: one typed value, read from TOML, from presets and from the command line."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from ramify._core import parsing as _core
from ramify.inference import AD3, BeliefPropagation, Relax, Subgradient
from ramify.learn.configuration import Configuration
from ramify.options import (
    Choice,
    Flag,
    FlagOrAuto,
    Integer,
    Number,
    Probabilities,
    Several,
    Text,
    Texts,
    checked,
    of,
    option,
)

__all__ = [
    "Config",
    "Data",
    "Features",
    "Inference",
    "Loss",
    "Method",
    "Model",
    "Optimizer",
    "Part",
    "Pruner",
    "Training",
    "Tree",
    "preset_names",
]


class Part(str, Enum):
    """Parts of a tree beyond its arcs that carry scores."""

    SIBLING = "sibling"
    ANY_SIBLING = "any-sibling"
    GRAND = "grand"
    GRAND_SIBLING = "grand-sibling"
    TRI_SIBLING = "tri-sibling"
    HEAD_BIGRAM = "head-bigram"
    NO_CROSS = "no-cross"
    VALENCY = "valency"
    PATH = "path"
    NONPROJ = "nonproj"


class Tree(str, Enum):
    """Which trees there are; or what is demanded of arcs instead, with a tree made of the outcome."""

    NONPROJECTIVE = "nonprojective"
    PROJECTIVE = "projective"
    FLOW = "flow"
    EXACTLY_ONE = "exactly-one"
    NO_TWO_CYCLE = "no-two-cycle"
    AT_MOST_ONE = "at-most-one"
    NOT_TWO = "not-two"


class Method(str, Enum):
    """How the best tree is found; a model of arcs alone is solved exactly in any case."""

    AD3 = "ad3"
    EXACT = "exact"
    BELIEF_PROPAGATION = "belief-propagation"
    RELAX = "relax"
    SUBGRADIENT = "subgradient"
    DYNAMIC_PROGRAM = "dynamic-program"
    LINEAR = "lp"
    INTEGER = "ilp"
    CONCISE_LINEAR = "concise-lp"
    CONCISE_INTEGER = "concise-ilp"


class Features(str, Enum):
    """Which features get a weight."""

    COMPLETE = "complete"
    SUPPORTED = "supported"
    BUCKETS = "buckets"


class Loss(str, Enum):
    """What training makes small."""

    FAMILY = "family"
    L2 = "l2"
    RISK = "risk"
    L2_RISK = "l2-risk"


class Optimizer(str, Enum):
    """How far a gradient moves the weights."""

    AUTOMATIC = "automatic"
    ADAGRAD = "adagrad"


@dataclass(frozen=True, kw_only=True)
class Model(checked):
    """What is scored, and which trees are allowed."""

    section: ClassVar[str] = "model"
    parts: tuple[Part, ...] = option(Several(Part), (), "parts beyond arcs that carry scores")
    tree: Tree = option(Choice(Tree), Tree.NONPROJECTIVE, "which trees are allowed, or what is demanded instead")
    single_root: bool | str = option(
        FlagOrAuto(), "auto", "whether one word only has head 0; auto: if it is so in 99% of the training sentences"
    )
    without: tuple[str, ...] = option(
        Texts("groups of feature templates", _core.template_groups), (), "groups of feature templates to leave out"
    )
    frequent: int = option(Integer(1), 5, "occurrences from which a form is a feature value in its own right")


@dataclass(frozen=True, kw_only=True)
class Pruner(checked):
    """The small first-order model that leaves a few heads a word."""

    section: ClassVar[str] = "pruner"
    threshold: float = option(Number(0, 1), 3e-3, "least probability of a head, as a share of the best head's")
    max_heads: int = option(Integer(1, 10_000), 10, "most heads a word")
    lengths: bool = option(Flag(), True, "drop arcs longer than any between such tags in training")
    bits: int = option(Integer(8, 26), 20, "the pruner has 2^bits weights")
    epochs: int = option(Integer(1, 1000), 2, "passes over the treebank")
    rate: float = option(Number(0, 100, above=True), 0.1, "learning rate of the first pass; the n-th has an n-th of it")


@dataclass(frozen=True, kw_only=True)
class Inference(checked):
    """How the best tree is found."""

    section: ClassVar[str] = "inference"
    method: Method = option(Choice(Method), Method.EXACT, "how larger parts are solved; arcs alone are always exact")
    max_iterations: int = option(of(AD3, "max_iterations"), 50, "most iterations a sentence")
    tolerance: float = option(of(AD3, "tolerance"), 1e-4, "residual at which iteration ends")
    penalty: float = option(of(AD3, "penalty"), 2.0, "AD3's step size at the start")
    adapt_penalty: bool = option(of(AD3, "adapt_penalty"), True, "whether AD3 keeps its two residuals of similar size")
    relaxation: float = option(of(AD3, "relaxation"), 1.6, "AD3's over-relaxation; 1 is none")
    acceleration: int = option(of(AD3, "acceleration"), 5, "steps that AD3 extrapolates from; 0 is none")
    check_every: int = option(of(AD3, "check_every"), 5, "iterations between two looks for a certificate")
    # Measured: a fifth fewer projections than with 0, and as many certificates.
    idle: float = option(of(AD3, "idle"), 1e-3, "AD3 solves a factor again where an input has moved by more than this")
    node_iterations: int = option(
        of(AD3, "node_iterations"), 20, "iterations at every node of branch and bound but the root"
    )
    max_nodes: int = option(of(AD3, "max_nodes"), 100, "most nodes of branch and bound, with method = 'exact'")
    step: float = option(of(Subgradient, "step"), 0.1, "the first step size, with method = 'subgradient'")
    bp_iterations: int = option(
        of(BeliefPropagation, "max_iterations"), 20, "most iterations of belief propagation, which gives marginals"
    )
    bp_tolerance: float = option(
        of(BeliefPropagation, "tolerance"), 1e-3, "belief propagation ends where no message changes by more than this"
    )
    relax_gain: float = option(of(Relax, "gain"), 1e-4, "least gain of a factor to be let in, with method = 'relax'")
    relax_rounds: int = option(of(Relax, "max_rounds"), 1, "how often factors are let in, with method = 'relax'")
    temperature: float = option(
        Number(0, 1e6), 0.0, "scores are divided by it before they become probabilities; 0: fitted on dev, else 1/beta"
    )
    curve: tuple[float, ...] = option(
        Probabilities(),
        (),
        "what chosen arcs with log-odds -4, -3, … deserve; fitted on dev with the temperature",
    )
    time_limit: float = option(
        Number(0, above=True), math.inf, "most seconds a sentence; the best tree so far is taken"
    )


@dataclass(frozen=True, kw_only=True)
class Training(checked):
    """How weights are learned."""

    section: ClassVar[str] = "training"
    epochs: int = option(Integer(1, 100_000), 10, "passes over the treebank")
    patience: int = option(Integer(0, 100_000), 0, "stop after so many epochs without a better dev LAS; 0: never")
    max_step: float = option(Number(0, 1e6, above=True), 0.01, "most that one sentence moves a weight (MIRA's C)")
    head_cost: float = option(Number(0, 1e4), 1.0, "cost of a wrong head")
    label_cost: float = option(Number(0, 1e4), 1.0, "cost of a wrong label on the right head")
    batch: int = option(Integer(1, 100_000), 1, "sentences that learn from the same weights, side by side on threads")
    loss: Loss = option(
        Choice(Loss), Loss.FAMILY, "what is made small: family is that of beta and gamma, the others go through beliefs"
    )
    beta: float = option(
        Number(0, above=True), math.inf, "inverse temperature of the loss: inf learns from the best tree, 1 from all"
    )
    gamma: float = option(
        Number(0, 1e4), 1.0, "how much costs count; (beta, gamma) is (inf, 1) MIRA, (inf, 0) perceptron, (1, 0) CRF"
    )
    temperature_start: float = option(
        Number(0, 1e6, above=True), 0.1, "temperature of the annealed risk at first, with loss = 'risk' or 'l2-risk'"
    )
    temperature_end: float = option(Number(0, 1e6, above=True), 1e-4, "and at last; it falls in a straight line")
    risk_share: float = option(Number(0, 1), 0.5, "last part of training that is for the risk, with loss = 'l2-risk'")
    optimizer: Optimizer = option(
        Choice(Optimizer), Optimizer.AUTOMATIC, "automatic finds its own step and averages weights; adagrad has a rate"
    )
    rate: float = option(Number(0, 1e6, above=True), 0.02, "learning rate, with optimizer = 'adagrad'")
    regularization: float = option(
        Number(0, 1e9), 0.0, "lambda of the squared weights, against the sum of all losses, with optimizer = 'adagrad'"
    )
    threshold: float = option(
        Number(0, 1), 1e-3, "pruner.threshold while learning, if that is smaller: more candidates, more to learn from"
    )
    seed: int = option(Integer(0), 1, "of the order of sentences")
    features: Features = option(Choice(Features), Features.COMPLETE, "which features get a weight")
    num_buckets: int = option(Integer(1, 2**40), 4_194_304, "weights in all, with features = 'buckets'")
    max_weights: int = option(Integer(1, 2**28), 4_000_000, "most weights in the model file: the largest are kept")


@dataclass(frozen=True, kw_only=True)
class Data(checked):
    """Files of a training run; paths are relative to the folder the command runs in."""

    section: ClassVar[str] = "data"
    train: tuple[str, ...] = option(Texts("treebank files"), (), "treebanks to learn from")
    dev: tuple[str, ...] = option(Texts("treebank files"), (), "treebanks to choose the best epoch on")
    output: str = option(Text("the path of a model directory"), "", "where the model goes")


@dataclass(frozen=True, kw_only=True)
class Config(Configuration):
    """Everything that a training run depends on, the treebanks' contents aside.

    Examples
    --------
    >>> config = Config.preset("second").override({"training.epochs": "5"})
    >>> [part.value for part in config.model.parts], config.training.epochs
    (['sibling', 'grand'], 5)
    >>> Config.parse(config.to_toml()) == config
    True
    """

    package: ClassVar[str] = "ramify.parsing"
    model: Model = dataclasses.field(default_factory=Model)
    pruner: Pruner = dataclasses.field(default_factory=Pruner)
    inference: Inference = dataclasses.field(default_factory=Inference)
    training: Training = dataclasses.field(default_factory=Training)
    data: Data = dataclasses.field(default_factory=Data)

    @property
    def temperature(self) -> float:
        """What scores are divided by: if it was not fitted, that of the loss they were learned by."""
        if self.inference.temperature > 0:
            return self.inference.temperature
        likelihood = self.training.loss is Loss.FAMILY and math.isfinite(self.training.beta)
        return 1.0 / self.training.beta if likelihood else 1.0


def preset_names() -> list[str]:
    """Return the names that `Config.preset` takes."""
    return Config.preset_names()
