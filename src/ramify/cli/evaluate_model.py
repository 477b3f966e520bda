"""``ramify evaluate MODEL TREEBANK`` lets a model annotate a treebank and scores the result."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.data import Sentence
    from ramify.evaluation import ChunkScores
    from ramify.parsing import Parser
    from ramify.pipeline import Pipeline
    from ramify.tagging import Tagger

__all__ = ["given_to", "is_model", "load_evaluated", "predicted", "tagger_scores"]

_MOST_LABELS = 100  # of which each has a line of its own


def is_model(name: str) -> bool:
    """Tell whether an argument names a model: a directory or a zip of one, a part of a pipeline, or a language."""
    path = Path(name)
    if path.is_file():
        return path.suffix.lower() == ".zip"
    if path.is_dir() or path.parent.suffix.lower() == ".zip":
        return True
    from ramify.pipeline import find_built_in

    return find_built_in(name) is not None


def load_evaluated(name: str) -> Parser | Pipeline | Tagger:
    """Read a model that can be scored on a treebank."""
    from ramify.parsing import Parser
    from ramify.pipeline import Pipeline, load
    from ramify.tagging import Tagger

    model = load(Path(name) if Path(name).exists() else name)
    if isinstance(model, (Parser, Pipeline, Tagger)):
        return model
    raise InvalidInputError(
        f"ramify evaluate expects a pipeline, a parser or a tagger; {name} is a {type(model).__name__.lower()}. "
        "Evaluate its pipeline."
    )


def predicted(model: Parser | Pipeline, gold: list[Sentence], *, gold_tokens: bool, threads: int) -> Iterator[Sentence]:
    """Return what a model makes of the words of a treebank, or of its raw text."""
    from ramify.parsing import Parser
    from ramify.segmentation import raw_text

    if isinstance(model, Parser):
        results = model.pipe(gold, threads=threads)
    elif gold_tokens:
        results = model.annotate(gold, threads=threads)
    else:
        results = model.stream([raw_text(gold)], threads=threads)
    return (result.sentence for result in results)


def given_to(model: Parser | Pipeline | Tagger, *, gold_tokens: bool) -> str:
    """Return a remark on what the model got from the treebank."""
    from ramify.pipeline import Pipeline

    if not isinstance(model, Pipeline):
        return "The model was given the words and all columns of the treebank, and filled in its own."
    if gold_tokens:
        return "The model was given the sentences and words of the treebank; tags and trees are its own."
    return "The model was given raw text; --gold-tokens gives it the sentences and words of the treebank."


def tagger_scores(tagger: Tagger, treebank: str, threads: int) -> ChunkScores:
    """Score a tagger. If there are very many labels, such as those of lemmas, they get no rows of their own."""
    scores = tagger.evaluate(treebank, threads=threads)
    return scores if len(tagger.labels) <= _MOST_LABELS else dataclasses.replace(scores, by_type={})
