"""The configuration of a parser: one typed value, read from TOML, from presets and from the command line."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from ramify._core import parsing as _core
from ramify.errors import InvalidInputError
from ramify.inference import AD3, BeliefPropagation, Relax, Subgradient
from ramify.learn import selection
from ramify.learn.configuration import Configuration, Data, FamilyPasses
from ramify.neural.options import Encoder, Fitting, Network
from ramify.options import (
    Choice,
    Flag,
    FlagOrAuto,
    Integer,
    Name,
    Number,
    Probabilities,
    Several,
    Texts,
    checked,
    of,
    option,
)

__all__ = [
    "Config",
    "Data",
    "Encoder",
    "Features",
    "Fitting",
    "Inference",
    "Loss",
    "Method",
    "Model",
    "Network",
    "Optimizer",
    "Part",
    "Pruner",
    "Scoring",
    "Select",
    "Training",
    "Tree",
    "check",
    "preset_names",
]


class Part(str, Enum):
    """Parts of a tree besides its arcs that can be scored: the kinds that the C++ core registers."""

    _ignore_ = "members kind"
    members = vars()
    for kind in _core.part_kinds():
        members[kind.replace("-", "_").upper()] = kind


#: Where the scores of parts come from.
Scoring = Literal["linear", "neural", "auto"]
#: Allowed trees, or a weaker constraint on arcs; the parser then turns the arcs that were found into a tree.
Tree = Literal["nonprojective", "projective", "flow", "exactly-one", "no-two-cycle", "at-most-one", "not-two"]


class Method(str, Enum):
    """Method that finds the best tree. A model of arcs alone is always solved exactly."""

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


#: Features that get a weight.
Features = Literal["complete", "supported", "buckets"]
#: Loss that training minimizes.
Loss = Literal["family", "l2", "risk", "l2-risk"]
#: Optimizer that turns gradients into updates of the weights.
Optimizer = Literal["automatic", "adagrad"]

_TEMPLATES = Texts(
    "'standard', 'pool', 'KIND: standard', 'KIND: pool' or 'KIND: TEMPLATE', such as 'arc: h.p m.p dist'",
    problem=_core.problem_with_template,
)


@dataclass(frozen=True, kw_only=True)
class Model(checked):
    """Options of the model: which parts are scored, and which trees are allowed."""

    scorer: Scoring = option(
        Name(Scoring),
        "linear",
        "Where the scores of parts come from. linear: weights of hashed features; neural: a network, see [network]. "
        "A network scores any-sibling and grand besides arcs. auto: both are trained, and the one that is better on "
        "dev is kept.",
    )
    parts: tuple[Part, ...] = option(Several(Part), (), "Kinds of parts that are scored besides single arcs.")
    tree: Tree = option(
        Name(Tree),
        "nonprojective",
        "Allowed trees: nonprojective or projective. The other values are weaker constraints on arcs; the "
        "parser then turns the arcs that were found into a tree.",
    )
    single_root: bool | str = option(
        FlagOrAuto(),
        "auto",
        "Whether exactly one word of a sentence has head 0. auto: true if this holds for 99% of the training "
        "sentences.",
    )
    templates: tuple[str, ...] = option(
        _TEMPLATES,
        ("standard",),
        "Feature templates that the model computes. standard: a table made by hand; pool: several times as many, from "
        "which [select] chooses. A model whose templates were selected contains the list of those that were kept.",
    )
    without: tuple[str, ...] = option(
        Texts("groups of feature templates", _core.template_groups),
        (),
        "Groups of feature templates that are left out.",
    )
    frequent: int = option(
        Integer(1), 5, "A word form is used as a feature if it occurs at least this often in the training data."
    )


@dataclass(frozen=True, kw_only=True)
class Pruner(checked):
    """Options of the pruner: a small first-order model that keeps a few candidate heads for each word."""

    threshold: float = option(
        Number(0, 1),
        3e-3,
        "Pruning threshold: a head is kept if its probability is at least this fraction of that of the most "
        "probable head.",
    )
    max_heads: int = option(Integer(1, 10_000), 10, "Maximum number of candidate heads per word.")
    lengths: bool = option(
        Flag(), True, "Drop arcs that are longer than every training arc between words with the same tags."
    )
    bits: int = option(Integer(8, 26), 20, "The pruner has 2^bits weights.")
    epochs: int = option(Integer(1, 1000), 2, "Number of passes over the training data.")
    rate: float = option(
        Number(0, 100, above=True), 0.1, "Learning rate of the first epoch; epoch n uses the rate divided by n."
    )


@dataclass(frozen=True, kw_only=True)
class Inference(checked):
    """Options of inference, which finds the best tree."""

    method: Method = option(
        Choice(Method),
        Method.EXACT,
        "Method that finds the best tree if the model has parts besides arcs. A model of arcs alone is always "
        "solved exactly.",
    )
    max_iterations: int = option(of(AD3, "max_iterations"), 50, "Maximum number of iterations per sentence.")
    tolerance: float = option(of(AD3, "tolerance"), 1e-4, "AD3 stops when its residuals are at most this large.")
    penalty: float = option(of(AD3, "penalty"), 2.0, "Initial step size of AD3.")
    adapt_penalty: bool = option(
        of(AD3, "adapt_penalty"), True, "Whether AD3 adapts its step size to keep its two residuals at a similar size."
    )
    relaxation: float = option(of(AD3, "relaxation"), 1.6, "Over-relaxation of AD3; 1 turns it off.")
    acceleration: int = option(
        of(AD3, "acceleration"), 5, "Number of previous steps from which AD3 extrapolates; 0 turns extrapolation off."
    )
    check_every: int = option(
        of(AD3, "check_every"), 5, "Number of iterations between two checks for a certificate of optimality."
    )
    # Measured: a fifth fewer projections than with 0, and as many certificates.
    idle: float = option(
        of(AD3, "idle"), 1e-3, "AD3 solves a factor again only if one of its inputs has changed by more than this."
    )
    node_iterations: int = option(
        of(AD3, "node_iterations"), 20, "Number of iterations at every node of branch and bound except the root."
    )
    max_nodes: int = option(
        of(AD3, "max_nodes"), 100, "Maximum number of nodes of branch and bound, with method = 'exact'."
    )
    step: float = option(of(Subgradient, "step"), 0.1, "Initial step size, with method = 'subgradient'.")
    bp_iterations: int = option(
        of(BeliefPropagation, "max_iterations"),
        20,
        "Maximum number of iterations of belief propagation, which computes marginals.",
    )
    bp_tolerance: float = option(
        of(BeliefPropagation, "tolerance"), 1e-3, "Belief propagation stops when no message changes by more than this."
    )
    relax_gain: float = option(
        of(Relax, "gain"), 1e-4, "A factor is added if it gains at least this much, with method = 'relax'."
    )
    relax_rounds: int = option(
        of(Relax, "max_rounds"), 1, "Number of rounds in which factors are added, with method = 'relax'."
    )
    temperature: float = option(
        Number(0, 1e6),
        0.0,
        "Scores are divided by this number before they are turned into probabilities. 0: it is fitted on the "
        "dev data; without dev data, it is 1/beta.",
    )
    curve: tuple[float, ...] = option(
        Probabilities(),
        (),
        "Calibrated probabilities of predicted arcs whose log-odds are -4, -3, …; fitted on the dev data with "
        "the temperature.",
    )
    time_limit: float = option(
        Number(0, above=True),
        math.inf,
        "Time limit per sentence in seconds; when it is reached, the best tree found so far is returned.",
    )
    keep_tags: bool = option(
        Flag(), False, "Whether a network that predicts tags leaves the tags of sentences that have some as they are."
    )


@dataclass(frozen=True, kw_only=True)
class Training(FamilyPasses):
    """Options of training."""

    max_step: float = option(
        Number(0, 1e6, above=True), 0.01, "Maximum step size of the update for one sentence (C in MIRA)."
    )
    head_cost: float = option(Number(0, 1e4), 1.0, "Cost of a wrong head.")
    label_cost: float = option(Number(0, 1e4), 1.0, "Cost of a wrong label on a correct head.")
    loss: Loss = option(
        Name(Loss),
        "family",
        "Loss to minimize. family is the loss defined by beta and gamma; l2, risk and l2-risk are computed "
        "from beliefs and differentiated through belief propagation.",
    )
    temperature_start: float = option(
        Number(0, 1e6, above=True),
        0.1,
        "Temperature of the annealed risk at the start of training, with loss = 'risk' or 'l2-risk'.",
    )
    temperature_end: float = option(
        Number(0, 1e6, above=True),
        1e-4,
        "Temperature of the annealed risk at the end of training; it decreases linearly.",
    )
    risk_share: float = option(
        Number(0, 1), 0.5, "Fraction of training, at its end, that minimizes the risk, with loss = 'l2-risk'."
    )
    optimizer: Optimizer = option(
        Name(Optimizer),
        "automatic",
        "automatic chooses its own step size and averages the weights; adagrad uses a learning rate.",
    )
    rate: float = option(Number(0, 1e6, above=True), 0.02, "Learning rate, with optimizer = 'adagrad'.")
    regularization: float = option(
        Number(0, 1e9), 0.0, "Strength of L2, relative to the sum of all losses, with optimizer = 'adagrad'."
    )
    threshold: float = option(
        Number(0, 1),
        1e-3,
        "Pruning threshold during training, if it is smaller than pruner.threshold. A smaller threshold keeps "
        "more candidate heads to learn from.",
    )
    features: Features = option(
        Name(Features),
        "complete",
        "Features that get a weight. complete: all that an update changes; supported: only those that occur "
        "in gold trees; buckets: all features share a fixed number of weights.",
    )
    num_buckets: int = option(Integer(1, 2**40), 4_194_304, "Total number of weights, with features = 'buckets'.")


@dataclass(frozen=True, kw_only=True)
class Select(selection.Select):
    """Options of the selection of templates before training."""

    pool: tuple[str, ...] = option(
        _TEMPLATES,
        ("pool",),
        "Templates from which the selection chooses, as in model.templates. Kinds of parts that are not named here "
        "keep all of their model.templates.",
    )

    frozen: bool = option(
        Flag(),
        False,
        "Whether training afterwards only learns the features that had a weight after the selection, as it always "
        "does with lasso; otherwise it learns all features of the selected templates.",
    )
    by_kind: bool = option(
        Flag(),
        True,
        "Whether each kind of parts has a share of the templates, as large as in the standard table; otherwise all "
        "kinds compete.",
    )

    def check(self) -> None:
        """Refuse options that contradict each other, and those that only taggers have."""
        by_penalty = self.regularizer != "information-gain"
        if self.regularizer == "label-group":
            raise InvalidInputError(
                "select.regularizer expects groups that parsers have: 'label-group' is for taggers. Use 'group'."
            )
        if self.one_stage and (self.path or self.megabytes or not by_penalty):
            raise InvalidInputError(
                "select.one-stage expects one budget and a penalty: leave out select.path, select.megabytes and "
                "information-gain."
            )
        if self.megabytes and not by_penalty:
            raise InvalidInputError(
                "select.megabytes expects a penalty, whose model can be measured; information-gain learns no model."
            )


@dataclass(frozen=True, kw_only=True)
class Config(Configuration):
    """All options of a training run; with the contents of the treebanks, they determine its result.

    Examples
    --------
    >>> config = Config.preset("second").override({"training.epochs": "5"})
    >>> [part.value for part in config.model.parts], config.training.epochs
    (['sibling', 'grand'], 5)
    >>> Config.parse(config.to_toml()) == config
    True
    """

    model: Model = dataclasses.field(default_factory=Model)
    pruner: Pruner = dataclasses.field(default_factory=Pruner)
    inference: Inference = dataclasses.field(default_factory=Inference)
    training: Training = dataclasses.field(default_factory=Training)
    select: Select = dataclasses.field(default_factory=Select)
    network: Network = dataclasses.field(default_factory=Network)
    encoder: Encoder = dataclasses.field(default_factory=Encoder)
    fitting: Fitting = dataclasses.field(default_factory=Fitting)
    data: Data = dataclasses.field(default_factory=Data)

    @property
    def is_neural(self) -> bool:
        """Whether a network scores the parts."""
        return self.model.scorer == "neural"

    @property
    def temperature(self) -> float:
        """The temperature by which scores are divided: the fitted one, or else that of the training loss."""
        if self.inference.temperature > 0:
            return self.inference.temperature
        if self.is_neural:
            return 1.0
        likelihood = self.training.loss == "family" and math.isfinite(self.training.beta)
        return 1.0 / self.training.beta if likelihood else 1.0


def check(config: Config) -> None:
    """Refuse options that contradict each other."""
    if not config.is_neural:
        if config.encoder.path:
            raise InvalidInputError(f"encoder.path expects model.scorer = 'neural'; got {config.model.scorer!r}.")
        return
    others = [part.value for part in config.model.parts if part.value not in ("any-sibling", "grand")]
    if others:
        raise InvalidInputError(
            f"model.parts expects 'any-sibling' and 'grand' with model.scorer = 'neural'; got {others[0]!r}."
        )
    if config.model.parts and not config.network.rank:
        raise InvalidInputError(
            "network.rank expects 1 or more for the parts any-sibling and grand; got 0. Or set model.parts to []."
        )
    network = config.network
    if not (network.word_size or network.character_size or network.tag_size or config.encoder.path):
        raise InvalidInputError(
            "network expects an input: set network.word-size, network.character-size or network.tag-size above 0, "
            "or encoder.path to a folder."
        )
    if config.select.active:
        raise InvalidInputError("select expects templates of features; model.scorer = 'neural' has none.")


def preset_names() -> list[str]:
    """Return the names that `Config.preset` takes."""
    return Config.preset_names()
