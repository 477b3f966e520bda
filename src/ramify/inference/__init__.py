"""Inference methods: each is a frozen set of options with one verb, and all return a `Result`."""

from ramify.inference.backward import backward
from ramify.inference.belief_propagation import (
    BeliefPropagation,
    BeliefPropagationState,
    Counting,
    Product,
    Schedule,
)
from ramify.inference.relax import Relax, RelaxState
from ramify.inference.result import Result, Status

__all__ = [
    "BeliefPropagation",
    "BeliefPropagationState",
    "Counting",
    "Product",
    "Relax",
    "RelaxState",
    "Result",
    "Schedule",
    "Status",
    "backward",
]
