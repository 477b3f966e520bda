"""The dependency parser."""

from collections.abc import Sequence
import enum
from typing import Annotated, Any

import numpy
import numpy.typing
from numpy.typing import NDArray

import ramify._core
import ramify._core.graph
import ramify._core.inference
import ramify._core.learn


def part_kinds() -> list[str]: ...

def template_groups() -> list[str]: ...

class PartChoice:
    def __init__(self, kinds: Sequence[str]) -> None: ...

class FeatureFact:
    @property
    def group(self) -> str: ...

    @property
    def pattern(self) -> str: ...

    @property
    def values(self) -> str: ...

    @property
    def key(self) -> int: ...

    @property
    def weight(self) -> float: ...

class Part:
    @property
    def kind(self) -> str: ...

    @property
    def letters(self) -> str: ...

    @property
    def wording(self) -> str: ...

    @property
    def has_label(self) -> bool: ...

    @property
    def label(self) -> int: ...

    @property
    def side(self) -> str: ...

    @property
    def count(self) -> int | None: ...

    @property
    def roles(self) -> list[int]: ...

class ParseRequest:
    def __init__(self, marginals: bool, k: int, mbr: bool, projective: bool, time_limit: float, max_words: int) -> None: ...

    @property
    def marginals(self) -> bool: ...

    @property
    def k(self) -> int: ...

    @property
    def mbr(self) -> bool: ...

    @property
    def projective(self) -> bool: ...

    @property
    def time_limit(self) -> float: ...

    @property
    def max_words(self) -> int: ...

class ConstraintKind(enum.Enum):
    HEAD = 0

    NOT_HEAD = 1

    LABEL = 2

class Constraint:
    def __init__(self, kind: ConstraintKind, word: int, value: int) -> None: ...

class EpochStats:
    @property
    def words(self) -> int: ...

    @property
    def right_heads(self) -> int: ...

    @property
    def right_labels(self) -> int: ...

    @property
    def sentences(self) -> int: ...

    @property
    def certified(self) -> int: ...

    @property
    def updates(self) -> int: ...

    @property
    def loss(self) -> float: ...

class PruneStats:
    @property
    def words(self) -> int: ...

    @property
    def arcs(self) -> int: ...

    @property
    def kept(self) -> int: ...

class DevScores:
    @property
    def words(self) -> int: ...

    @property
    def right_heads(self) -> int: ...

    @property
    def right_labelled(self) -> int: ...

    @property
    def sentences(self) -> int: ...

    @property
    def certified(self) -> int: ...

class Tree:
    def heads(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def labels(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def value(self) -> float: ...

class ParseStatus(enum.Enum):
    PARSED = 0

    INFEASIBLE = 1

    TOO_LONG = 2

class Parse:
    @property
    def status(self) -> ParseStatus: ...

    @property
    def tree(self) -> Tree: ...

    @property
    def bound(self) -> float: ...

    @property
    def certified(self) -> bool: ...

    @property
    def iterations(self) -> int: ...

    def arc_heads(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def arc_modifiers(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def arc_marginals(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def k_best(self) -> list[Tree]: ...

    @property
    def conflict(self) -> list[int]: ...

class TreeKind(enum.Enum):
    NONPROJECTIVE = 0

    PROJECTIVE = 1

    FLOW = 2

    EXACTLY_ONE = 3

    NO_TWO_CYCLE = 4

    AT_MOST_ONE = 5

    NOT_TWO = 6

class Factorization(enum.Enum):
    TIGHT = 0

    LOOSE = 1

    APART = 2

class Method(enum.Enum):
    AD3 = 0

    EXACT = 1

    BELIEF_PROPAGATION = 2

    RELAX = 3

    DYNAMIC_PROGRAM = 4

    SUBGRADIENT = 5

class ModelOptions:
    def __init__(self, *, parts: PartChoice, tree: TreeKind, single_root: bool, threshold: float, max_heads: int, use_lengths: bool, ad3: ramify._core.inference.Ad3Options, method: Method, node_iterations: int, max_nodes: int, subgradient_step: float, bp_iterations: int, bp_tolerance: float, relax_gain: float, relax_rounds: int, temperature: float, curve: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], without: Sequence[str], empty: Sequence[str]) -> None: ...

class TrainerOptions:
    def __init__(self, loss: ramify._core.learn.Loss, optimizer: ramify._core.learn.Optimizer, regularizer: ramify._core.learn.Regularizer, feature_set: ramify._core.learn.FeatureSet, num_buckets: int, batch: int, head_cost: float, label_cost: float, num_threads: int, epochs: int, hottest: float, coldest: float, risk_share: float, threshold: float) -> None: ...

class SentenceProblem:
    def heads(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def modifiers(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def part_scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def constant(self) -> float: ...

    @property
    def graph(self) -> ramify._core.graph.FactorGraph: ...

class Vocabulary:
    def __init__(self) -> None: ...

    def count(self, sentences: Sequence[ramify._core.Sentence]) -> None: ...

    def settle(self, frequent: int) -> None: ...

    def restore(self, tags: Sequence[str], frequent_forms: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def tags(self) -> list[str]: ...

    def frequent_forms(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

class TagPairs:
    def __init__(self, num_tags: int, num_labels: int, longest: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], allowed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def longest(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def allowed(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

def count_pairs(vocabulary: Vocabulary, labels: Sequence[str], sentences: Sequence[ramify._core.Sentence]) -> TagPairs: ...

class ParserModel:
    def __init__(self, options: ModelOptions, vocabulary: Vocabulary, labels: Sequence[str], pairs: TagPairs, pruner_weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def pruner_weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def set_weights(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, num_buckets: int) -> None: ...

    def problem(self, sentence: ramify._core.Sentence, loose: Factorization, projective: bool) -> SentenceProblem: ...

    def parse(self, sentences: Sequence[ramify._core.Sentence], request: ParseRequest, constraints: Sequence[Sequence[Constraint]], num_threads: int) -> list[Parse]: ...

    def score(self, sentence: ramify._core.Sentence, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float: ...

    def parts(self, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[Part]: ...

    def explain(self, sentence: ramify._core.Sentence, parts: Sequence[Part]) -> list[list[FeatureFact]]: ...

class Trainer:
    def __init__(self, model: ParserModel, options: TrainerOptions, train: Sequence[ramify._core.Sentence], dev: Sequence[ramify._core.Sentence]) -> None: ...

    def train_pruner(self, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rate: float) -> float: ...

    def prune(self) -> PruneStats: ...

    def run(self, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> EpochStats: ...

    def evaluate(self) -> DevScores: ...

    def loss_and_gradient(self, sentence: int) -> tuple[float, Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]: ...

    @property
    def num_weights(self) -> int: ...

    @property
    def most_weights(self) -> int: ...

    def template_norms(self, averaged: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def set_budgets(self, budgets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def state(self) -> dict[str, numpy.typing.NDArray[Any]]: ...

    def restore(self, state: dict[str, numpy.typing.NDArray[Any]]) -> None: ...

    def freeze(self, max_weights: int) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int16], dict(shape=(None,))], float]: ...
