"""Inference methods: each is a frozen set of options with one verb, and all return a `Result`."""

from ramify.inference.ad3 import AD3
from ramify.inference.exact import Exact
from ramify.inference.explanation import Conflict, explain_infeasibility
from ramify.inference.programs import ILP, LP
from ramify.inference.result import Result, Status
from ramify.inference.sparsemap import SparseMAP
from ramify.inference.subgradient import Subgradient

__all__ = [
    "AD3",
    "ILP",
    "LP",
    "Conflict",
    "Exact",
    "Result",
    "SparseMAP",
    "Status",
    "Subgradient",
    "explain_infeasibility",
]
