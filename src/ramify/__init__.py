"""Structured prediction with factor graphs: dependency parsing first, on a fast C++ engine."""

from importlib.metadata import version

from ramify._core import build_facts
from ramify.graph import FactorGraph

__version__ = version("ramify")
__all__ = ["FactorGraph", "__version__", "build_facts"]
