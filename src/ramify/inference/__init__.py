"""Inference methods: each is a frozen set of options with one verb, and all return a `Result`."""

from ramify.inference.exact import Exact
from ramify.inference.explanation import Conflict, explain_infeasibility
from ramify.inference.programs import ILP, LP
from ramify.inference.result import Result, Status

__all__ = ["ILP", "LP", "Conflict", "Exact", "Result", "Status", "explain_infeasibility"]
