"""Inference methods: each is a frozen set of options with one verb, and all return a `Result`."""

from ramify.inference.ad3 import AD3
from ramify.inference.result import Result, Status
from ramify.inference.sparsemap import SparseMAP
from ramify.inference.subgradient import Subgradient

__all__ = ["AD3", "Result", "SparseMAP", "Status", "Subgradient"]
