"""Arc-factored parsers of an experiment, whose templates are selected from a pool at several budgets."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ramify.parsing import Config, Parser
from ramify.reproduce.trials import epochs_of, sentences_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ramify.data import Sentence
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Scale

__all__ = ["ArcStudy"]

_PRESET = "first"
_TABLE = {"model.templates": "arc: standard"}  # none of labels: there is only one
_LABEL = "dep"


@dataclass(frozen=True)
class ArcStudy:
    """Trains parsers of arcs without labels: with all templates, or with those that one selection leaves.

    With ``select.path`` among the options, the selection is one run through all budgets. The parser of the first budget
    comes with it; the others are trained with the templates that it lists.

    Attributes
    ----------
    options : of the parser
    """

    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def __name__(self) -> str:
        config = Config.preset(_PRESET).override({**_TABLE, **self.options})
        return f"{type(self).__name__} {config.to_toml()}"

    def __call__(self, bank: Treebank, scale: Scale) -> dict[str, Any]:
        """Return a point for each budget, and what the selection cost, for JSON."""
        train = _unlabelled(bank.train, scale.train, scale.max_words)
        test = _unlabelled(bank.test, scale.test, scale.max_words)
        options = {**_TABLE, **self.options, **epochs_of(scale)}
        point, parser = _trained(train, test, options)
        selection = parser.facts.get("selection", {"path": [], "pool": len(point["templates"]), "peak": 0})
        points = [point]
        plain = {name: value for name, value in options.items() if not name.startswith("select.")}
        for step in selection["path"][1:]:
            listed = {**plain, "model.templates": ",".join(step["templates"])}
            points.append(_trained(train, test, listed)[0])
        for step, one in zip(selection["path"], points, strict=False):
            one["budget"] = step["budget"]
        return {"points": points, "pool": selection["pool"], "peak": selection["peak"]}


def _unlabelled(paths: Sequence[Path], most: int, max_words: int) -> list[Sentence]:
    """Return sentences whose arcs all have the same label."""
    sentences = sentences_of(paths, most, max_words)
    for sentence in sentences:
        sentence.deprels = [_LABEL] * len(sentence)
    return sentences


def _trained(
    train: Sequence[Sentence], test: Sequence[Sentence], options: Mapping[str, str]
) -> tuple[dict[str, Any], Parser]:
    """Return what was measured of a parser, and the parser."""
    began = time.thread_time()
    parser = Parser.train(train=train, preset=_PRESET, options=dict(options), progress=False)
    trained = time.thread_time()
    results = parser.parse(test, decoder="map")
    parsed = time.thread_time()
    counts = [
        [int((gold.heads == result.heads).sum()), len(gold), len(gold)]
        for gold, result in zip(test, results, strict=True)
    ]
    point = {
        "budget": 0,
        "templates": [name for name, *_ in parser.facts["templates"]],
        "weights": parser.facts["weights"],
        "seconds": trained - began,
        "words a second": sum(map(len, test)) / (parsed - trained),
        "counts": counts,
    }
    return point, parser
