"""Inference over factor graphs."""

import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray

import ramify._core.graph


class Order(enum.Enum):
    PARALLEL = 0

    SEQUENTIAL = 1

    RESIDUAL = 2

class BeliefPropagation:
    def __init__(self, graph: ramify._core.graph.FactorGraph, unary: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counting: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], active: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], messages: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], maximise: bool, order: Order, damping: float, tolerance: float, max_iterations: int, fixed: bool, checkpoint: int, record: bool) -> None: ...

    def run(self, keep_tape: bool) -> None: ...

    @property
    def iterations(self) -> int: ...

    @property
    def residual(self) -> float: ...

    @property
    def converged(self) -> bool: ...

    @property
    def diverged(self) -> bool: ...

    @property
    def feasible(self) -> bool: ...

    @property
    def tape_size(self) -> int: ...

    def messages(self) -> NDArray[numpy.float64]: ...

    def relax(self, epsilon: float, max_rounds: int) -> tuple[int, float, bool, Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]: ...

    def answer(self) -> tuple[bool, float, Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

    def decode(self) -> tuple[bool, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

    def backward(self, grad_marginals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], grad_part_marginals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], grad_log_partition: float) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

def separate(graph: ramify._core.graph.FactorGraph, beliefs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], epsilon: float, active: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, float, Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]: ...

def is_acyclic(graph: ramify._core.graph.FactorGraph, active: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], unary: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bool: ...

def concave_counting(graph: ramify._core.graph.FactorGraph, active: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...
