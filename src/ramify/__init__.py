"""Structured prediction with factor graphs: dependency parsing first, on a fast C++ engine."""

from importlib.metadata import version
from typing import TYPE_CHECKING

from ramify._core import build_facts
from ramify.graph import FactorGraph

if TYPE_CHECKING:
    from ramify.parsing import Parser

__version__ = version("ramify")
__all__ = ["FactorGraph", "Parser", "__version__", "build_facts"]


def __getattr__(name: str) -> object:
    """Import the parser when it is first asked for: most uses of the engine do without."""
    if name == "Parser":
        from ramify.parsing import Parser

        return Parser
    raise AttributeError(f"module 'ramify' has no attribute {name!r}")
