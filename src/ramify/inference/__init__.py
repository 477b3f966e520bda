"""Inference methods: each is a frozen set of options with one verb, and all return a `Result`."""

from ramify.inference.ad3 import AD3
from ramify.inference.backward import backward
from ramify.inference.belief_propagation import (
    BeliefPropagation,
    BeliefPropagationState,
    Counting,
    Product,
    Schedule,
)
from ramify.inference.exact import Exact
from ramify.inference.explanation import Conflict, explain_infeasibility
from ramify.inference.programs import ILP, LP
from ramify.inference.relax import Relax, RelaxState
from ramify.inference.result import Result, Status
from ramify.inference.sparsemap import SparseMAP
from ramify.inference.subgradient import Subgradient

__all__ = [
    "AD3",
    "ILP",
    "LP",
    "BeliefPropagation",
    "BeliefPropagationState",
    "Conflict",
    "Counting",
    "Exact",
    "Product",
    "Relax",
    "RelaxState",
    "Result",
    "Schedule",
    "SparseMAP",
    "Status",
    "Subgradient",
    "backward",
    "explain_infeasibility",
]
