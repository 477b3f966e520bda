"""Structured prediction with factor graphs: dependency parsing first, on a fast C++ engine."""

from importlib.metadata import version

__version__ = version("ramify")
__all__ = ["__version__"]
