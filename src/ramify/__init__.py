"""Structured prediction with factor graphs: dependency parsing first, on a fast C++ engine."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

from ramify._core import build_facts
from ramify.drawable import set_drawing
from ramify.graph import FactorGraph

if TYPE_CHECKING:
    from ramify import viz
    from ramify.parsing import Parser

__version__ = version("ramify")
__all__ = ["FactorGraph", "Parser", "__version__", "build_facts", "viz"]

set_drawing(lambda: import_module("ramify.viz"))


def __getattr__(name: str) -> object:
    """Import the parser and the pictures when they are first asked for: most uses of the engine do without."""
    if name == "Parser":
        from ramify.parsing import Parser

        return Parser
    if name == "viz":
        return import_module("ramify.viz")
    raise AttributeError(f"module 'ramify' has no attribute {name!r}")
