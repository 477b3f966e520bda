"""Variables and groups of factors."""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

import ramify._core.factors


class FactorGraph:
    def __init__(self, num_states: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], groups: tuple[ramify._core.factors.FactorGroup, ...], variables: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    def num_states(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    @property
    def num_groups(self) -> int: ...

    def group(self, group: int) -> ramify._core.factors.FactorGroup: ...

    def variables(self, group: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def num_coords(self) -> int: ...

    @property
    def num_slots(self) -> int: ...

    @property
    def num_edges(self) -> int: ...

    @property
    def num_factors(self) -> int: ...

    @property
    def num_parts(self) -> int: ...

    def score(self, unary: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], parts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float: ...
