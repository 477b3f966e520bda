"""Structured prediction with factor graphs: dependency parsing first, on a fast C++ engine."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from ramify.drawable import set_drawing as _set_drawing
from ramify.learn.registry import declare as _declare

if _TYPE_CHECKING:
    from ramify import viz
    from ramify._core import build_facts
    from ramify.compression import Compressor
    from ramify.data import Sentence, read, write
    from ramify.graph import FactorGraph
    from ramify.parsing import Parser
    from ramify.pipeline import Doc, Pipeline, load
    from ramify.segmentation import Segmenter
    from ramify.tagging import SequenceLabeller, Tagger

    __version__: str

__all__ = [
    "Compressor",
    "Doc",
    "FactorGraph",
    "Parser",
    "Pipeline",
    "Segmenter",
    "Sentence",
    "SequenceLabeller",
    "Summarizer",
    "Tagger",
    "__version__",
    "build_facts",
    "load",
    "read",
    "viz",
    "write",
]

_LAZY = {
    "Compressor": "ramify.compression",
    "Doc": "ramify.pipeline",
    "FactorGraph": "ramify.graph",
    "Parser": "ramify.parsing",
    "Pipeline": "ramify.pipeline",
    "Segmenter": "ramify.segmentation",
    "Sentence": "ramify.data",
    "SequenceLabeller": "ramify.tagging",
    "Summarizer": "ramify.summarization",
    "Tagger": "ramify.tagging",
    "build_facts": "ramify._core",
    "load": "ramify.pipeline",
    "read": "ramify.data",
    "write": "ramify.data",
}
_PACKAGES = (
    "compression",
    "data",
    "distributed",
    "errors",
    "evaluation",
    "factors",
    "graph_files",
    "inference",
    "learn",
    "logic",
    "parsing",
    "pipeline",
    "search",
    "segmentation",
    "summarization",
    "tagging",
    "trees",
    "viz",
)

_declare(
    tasks={
        "parse": "ramify.parsing.task:TASK",
        "tag": "ramify.tagging.task:TASK",
        "segment": "ramify.segmentation.task:TASK",
        "pipeline": "ramify.pipeline.task:TASK",
        "compress": "ramify.pipeline.compression:TASK",
        "summarize": "ramify.summarization.task:TASK",
    },
    kinds={
        "parser": "ramify.parsing:Parser",
        "tagger": "ramify.tagging:Tagger",
        "segmenter": "ramify.segmentation:Segmenter",
        "pipeline": "ramify.pipeline:Pipeline",
        "compressor": "ramify.compression:Compressor",
        "summarizer": "ramify.summarization:Summarizer",
        "sequence labeller": "ramify.tagging:SequenceLabeller",
    },
)
_set_drawing(lambda: _import_module("ramify.viz"))


def __getattr__(name: str) -> object:
    """Import what the package offers when it is first asked for: no use needs all of it."""
    if name == "__version__":
        value: object = _import_module("importlib.metadata").version("ramify")
    elif name in _LAZY:
        value = getattr(_import_module(_LAZY[name]), name)
    elif name in _PACKAGES:
        value = _import_module(f"ramify.{name}")
    else:
        raise AttributeError(f"module 'ramify' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return what users look for; the rest is machinery."""
    return sorted({*__all__, *_PACKAGES, "__doc__", "__file__", "__name__", "__path__", "__spec__"})
