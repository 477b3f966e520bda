"""The JSON endpoints: parse, k-best trees, explanations, evaluation, drawings."""

from __future__ import annotations

import io
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ramify import data, evaluation
from ramify.errors import InvalidInputError
from ramify.serve.fields import Field, check
from ramify.serve.models import INPUTS, Given, ServedModel, Steps, read_constraint

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from ramify.parsing import ParseResult
    from ramify.pipeline import Doc
    from ramify.serve.service import Service

__all__ = ["ENDPOINTS", "Endpoint", "answer"]

_CONSTRAINT = {
    "type": "object",
    "properties": {
        "sentence": {"type": "integer", "minimum": 1, "description": "Number of the sentence; 1 if not given."},
        "word": {"type": "integer", "minimum": 1, "description": "Number of the word."},
        "head": {"type": "integer", "minimum": 0, "description": "Its head; 0 is the root."},
        "not_head": {"type": "integer", "minimum": 0, "description": "Word that is not its head."},
        "label": {"type": "string", "description": "Label of its arc."},
        "root": {"const": True, "description": "Whether it is the only root."},
    },
    "required": ["word"],
}
_TEXT = Field("text", str, "The text or the sentences.", required=True)
_SOURCE = (
    _TEXT,
    Field("input", str, "Format of text. The default is text.", choices=INPUTS),
    Field("model", str, "Name of a model; the first one if not given."),
    Field("keep_tags", bool, "Whether the tags of the input stay, so that only trees are made."),
    Field("constraints", list, "Constraints on the trees.", items=_CONSTRAINT),
)
_LEAST_PROBABILITY = 0.001


@dataclass(frozen=True)
class Endpoint:
    """A path under ``/api/``.

    Attributes
    ----------
    name : the last part of the path
    text : what it does
    fields : of the request
    answer : makes the answer
    result : JSON schema of the answer
    """

    name: str
    text: str
    fields: tuple[Field, ...]
    answer: Callable[[dict[str, Any], Service], Awaitable[dict[str, Any]]]
    result: dict[str, Any]


def _read(given: dict[str, Any], model: ServedModel) -> list[Given]:
    constraints: dict[int, list[Any]] = defaultdict(list)
    for value in given.get("constraints", ()):
        sentence, constraint = read_constraint(value)
        constraints[sentence].append(constraint)
    sentences = list(model.read(given["text"], given.get("input", "text")))
    beyond = [number for number in constraints if not 1 <= number <= len(sentences)]
    if beyond:
        raise InvalidInputError(f"There are {len(sentences)} sentences; got a constraint on sentence {beyond[0]}.")
    return [Given(sentence, tuple(constraints[i])) for i, sentence in enumerate(sentences, 1)]


async def _annotated(
    given: dict[str, Any], service: Service, finish: Callable[[Doc, list[ParseResult]], Any], *, marginals: bool = False
) -> Any:
    model = service.model(given.get("model"))
    steps = Steps(tag=not given.get("keep_tags", False), marginals=marginals)
    read = lambda: _read(given, model)  # noqa: E731
    return await service.annotate(model, steps, read, lambda results: finish(model.document(results), list(results)))


async def _parse(given: dict[str, Any], service: Service) -> dict[str, Any]:
    wanted = given.get("marginals", False)

    def finish(doc: Doc, results: list[ParseResult]) -> dict[str, Any]:
        found = doc.to_json(probabilities=wanted)
        for sentence, result in zip(found["sentences"], results, strict=True):
            if result.conflict:
                sentence["conflict"] = [str(constraint) for constraint in result.conflict]
            if wanted and result.found:
                _add_heads(sentence["words"], result)
        return found

    return dict(await _annotated(given, service, finish, marginals=wanted))


def _add_heads(words: Iterable[dict[str, Any]], result: ParseResult) -> None:
    """Let every word list its heads, likely ones first."""
    marginals = result.marginals
    if marginals is None:
        return
    for modifier, word in enumerate(words, 1):
        column = marginals[:, modifier]
        likely = sorted((h for h in range(len(column)) if column[h] >= _LEAST_PROBABILITY), key=lambda h: -column[h])
        word["heads"] = [{"head": h, "probability": round(float(column[h]), 6)} for h in likely]


async def _k_best(given: dict[str, Any], service: Service) -> dict[str, Any]:
    k = given.get("k", 5)
    model = service.model(given.get("model"))

    def work() -> dict[str, Any]:
        items = _read(given, model)
        tagged = model.annotate(items, Steps(tag=not given.get("keep_tags", False), parse=False))
        sentences = [result.sentence for result in tagged]
        results = model.parser.parse(sentences, k=k, constraints=[item.constraints for item in items])
        return {"sentences": [_trees(result) for result in results]}

    return dict(await service.alone(work))


def _trees(result: ParseResult) -> dict[str, Any]:
    trees = [{"heads": tree.heads.tolist(), "labels": tree.labels, "score": tree.value} for tree in result.k_best]
    return {"forms": result.sentence.forms, "trees": trees}


async def _explain(given: dict[str, Any], service: Service) -> dict[str, Any]:
    model = service.model(given.get("model"))

    def work() -> dict[str, Any]:
        items = _read(given, model)
        number = given.get("sentence", 1)
        if number > len(items):
            raise InvalidInputError(f"There are {len(items)} sentences; sentence is {number}.")
        item = items[number - 1]
        model.annotate([item], Steps(tag=not given.get("keep_tags", False), parse=False))
        found = model.parser.explain(
            item.sentence, given["word"], given.get("against"), label=given.get("label"), constraints=item.constraints
        )
        return found.to_dict()

    return dict(await service.alone(work))


async def _evaluate(given: dict[str, Any], service: Service) -> dict[str, Any]:
    def work() -> dict[str, Any]:
        gold, system = (
            list(data.read(io.StringIO(given[name]), format="conllu", multiple_roots=True))
            for name in ("gold", "system")
        )
        return {name: score.to_dict() for name, score in evaluation.evaluate(gold, system).items()}

    return dict(await service.alone(work))


async def _draw(given: dict[str, Any], service: Service) -> dict[str, Any]:
    marginals = given.get("marginals", False)

    def finish(doc: Doc, _: list[ParseResult]) -> dict[str, Any]:
        if given.get("format", "svg") == "table":
            return {"drawings": [sentence.table() for sentence in doc.sentences]}
        return {"drawings": [sentence.svg(probabilities=marginals) for sentence in doc.sentences]}

    return dict(await _annotated(given, service, finish, marginals=marginals))


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_ARRAY = {"type": "array"}
_MARGINALS = Field("marginals", bool, "Whether probabilities of arcs are computed.")
ENDPOINTS = (
    Endpoint(
        "parse",
        "Tags and parses text, or sentences, under constraints; with marginals, every word lists its likely heads.",
        (*_SOURCE, _MARGINALS),
        _parse,
        _object(version={"type": "integer"}, text={"type": "string"}, sentences=_ARRAY),
    ),
    Endpoint(
        "k-best",
        "Gives the k best trees of every sentence, best first.",
        (*_SOURCE, Field("k", int, "How many trees; the default is 5.", least=1, most=100)),
        _k_best,
        _object(sentences=_ARRAY),
    ),
    Endpoint(
        "explain",
        "Says why a word has its head, and not another one.",
        (
            *_SOURCE,
            Field("sentence", int, "Number of the sentence; 1 if not given.", least=1, most=1 << 30),
            Field("word", int, "Number of the word.", least=1, most=1 << 30, required=True),
            Field("against", int, "The other head; 0 is the root.", least=0, most=1 << 30),
            Field("label", str, "The other label."),
        ),
        _explain,
        {"type": "object"},
    ),
    Endpoint(
        "evaluate",
        "Scores a treebank in CoNLL-U against another one by the metrics of CoNLL 2018.",
        (
            Field("gold", str, "The right sentences, in CoNLL-U.", required=True),
            Field("system", str, "The sentences to score, in CoNLL-U.", required=True),
        ),
        _evaluate,
        _object(LAS={"type": "object"}),
    ),
    Endpoint(
        "draw",
        "Parses, and draws the trees.",
        (
            *_SOURCE,
            _MARGINALS,
            Field("format", str, "Format of the drawings; svg if not given.", choices=("svg", "table")),
        ),
        _draw,
        _object(drawings=_ARRAY),
    ),
)


def answer(endpoint: Endpoint, value: object, service: Service) -> Awaitable[dict[str, Any]]:
    """Check a request and answer it."""
    return endpoint.answer(check(value, endpoint.fields), service)
