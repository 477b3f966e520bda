"""Inference methods over factor graphs."""

import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray

import ramify._core.graph


class Ad3Status(enum.Enum):
    CERTIFIED = 0

    CONVERGED = 1

    ITERATION_LIMIT = 2

    TIME_LIMIT = 3

    INFEASIBLE = 4

    CUT_OFF = 5

class Ad3State:
    def __init__(self) -> None: ...

    @property
    def penalty(self) -> float: ...

    @penalty.setter
    def penalty(self, arg: float, /) -> None: ...

    def duals(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def num_coords(self) -> int: ...

class Ad3Result:
    @property
    def status(self) -> Ad3Status: ...

    def marginals(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def part_marginals(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def assignment(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def value(self) -> float: ...

    @property
    def bound(self) -> float: ...

    @property
    def relaxed_value(self) -> float: ...

    @property
    def primal_residual(self) -> float: ...

    @property
    def dual_residual(self) -> float: ...

    @property
    def iterations(self) -> int: ...

    @property
    def projections(self) -> int: ...

    @property
    def conflict_group(self) -> int: ...

    @property
    def conflict_factor(self) -> int: ...

    @property
    def conflict_variable(self) -> int: ...

class Ad3Options:
    def __init__(self, *, max_iterations: int, tolerance: float, penalty: float, adapt_penalty: bool, relaxation: float, quadratic: float, check_every: int, time_limit: float, cutoff: float) -> None: ...

def solve_ad3(graph: ramify._core.graph.FactorGraph, unary: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: Ad3Options, start: Ad3State) -> tuple[Ad3Result, Ad3State]: ...

def solve_exact(graph: ramify._core.graph.FactorGraph, unary: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: Ad3Options, node_iterations: int, max_nodes: int, start: Ad3State) -> tuple[Ad3Result, int, Ad3State]: ...

def solve_subgradient(graph: ramify._core.graph.FactorGraph, unary: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_iterations: int, step: float, check_every: int, time_limit: float, start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Ad3Result, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

def sparsemap_vjp(graph: ramify._core.graph.FactorGraph, unary: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], gamma: float, state: Ad3State, grad_marginals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], grad_part_marginals: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...
