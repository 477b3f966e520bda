"""Inference methods: each is a frozen set of options with one verb, and all return a `Result`."""

from ramify.inference.result import Result, Status

__all__ = ["Result", "Status"]
