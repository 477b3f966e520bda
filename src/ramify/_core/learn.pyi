"""Losses, optimizers and weights: the learner of all tasks."""

from collections.abc import Sequence
import enum
from typing import Annotated, Any

import numpy
import numpy.typing
from numpy.typing import NDArray


def feature_keys(template: int, columns: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]: ...

MOST_TEMPLATES: int = 4096

class LossKind(enum.Enum):
    FAMILY = 0

    L2 = 1

    RISK = 2

    L2_RISK = 3

class Loss:
    def __init__(self, kind: LossKind, beta: float, gamma: float) -> None: ...

    @property
    def needs_best(self) -> bool: ...

    @property
    def temperature(self) -> float: ...

    def value(self, reached: float, gold_score: float) -> float: ...

class Method(enum.Enum):
    AUTOMATIC = 0

    ADAGRAD = 1

    SGD = 2

class Optimizer:
    def __init__(self, method: Method, rate: float, decay: float, damping: float, averaged: bool) -> None: ...

DAMPING: float = 0.001

class GroupSize(enum.Enum):
    ONE = 0

    LOG2 = 1

    SQRT = 2

class GroupSet:
    def __init__(self, groups: Sequence[Sequence[int]], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: GroupSize, strength: float, budget: int) -> None: ...

class Regularizer:
    def __init__(self, l1: float, l2: float, rows: float, sets: Sequence[GroupSet], budget: int, every: int) -> None: ...

class FeatureSet(enum.Enum):
    COMPLETE = 0

    SUPPORTED = 1

    BUCKETS = 2

class Learner:
    def __init__(self, loss: Loss, optimizer: Optimizer, regularizer: Regularizer, features: FeatureSet, num_buckets: int, batch: int) -> None: ...

    @property
    def time(self) -> float: ...

    @property
    def num_weights(self) -> int: ...

    @property
    def most_weights(self) -> int: ...

    def set_budgets(self, budgets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def support(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def scores(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], averaged: bool, widths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def weights(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], averaged: bool) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def update(self, examples: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], losses: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], widths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    def end_epoch(self) -> None: ...

    def set_num_examples(self, number: int) -> None: ...

    def template_norms(self, averaged: bool) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def drop_template(self, template: int) -> None: ...

    def state(self) -> dict[str, numpy.typing.NDArray[Any]]: ...

    def restore(self, state: dict[str, numpy.typing.NDArray[Any]]) -> None: ...

    def freeze(self, max_weights: int, min_weight: float) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int16], dict(shape=(None,))], float]: ...

class FrozenWeights:
    def __init__(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, num_buckets: int) -> None: ...

    def scores(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], widths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
