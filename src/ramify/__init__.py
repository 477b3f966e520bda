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
    from ramify.pipeline import Doc, Pipeline, load

__version__ = version("ramify")
__all__ = ["Doc", "FactorGraph", "Parser", "Pipeline", "__version__", "build_facts", "load", "viz"]

_LAZY = {"Parser": "ramify.parsing", "Doc": "ramify.pipeline", "Pipeline": "ramify.pipeline", "load": "ramify.pipeline"}

set_drawing(lambda: import_module("ramify.viz"))


def __getattr__(name: str) -> object:
    """Import models and pictures when they are first asked for: most uses of the engine do without."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    if name == "viz":
        return import_module("ramify.viz")
    raise AttributeError(f"module 'ramify' has no attribute {name!r}")
