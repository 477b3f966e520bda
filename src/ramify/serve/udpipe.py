"""The REST service of UDPipe: ``/models`` and ``/process``, so that its clients work with ramify."""

from __future__ import annotations

import email.parser
import email.policy
import itertools
import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.responses import JSONResponse, Response, StreamingResponse

from ramify.errors import InvalidInputError
from ramify.serve.models import OUTPUTS, Given, ServedModel, Steps, written

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.requests import Request

    from ramify import data
    from ramify.serve.service import Service

__all__ = ["PARAMETERS", "models", "process"]

_INPUTS = {
    "generic_tokenizer": "text",
    "presegmented": "lines",
    "horizontal": "horizontal",
    "vertical": "vertical",
    "conllu": "conllu",
}
PARAMETERS = {
    "data": "The text or the sentences.",
    "model": "Name of a model; the first one if not given.",
    "tokenizer": "If it is given, data is text to be split; the value presegmented means one sentence on each line.",
    "input": f"Format of data without a tokenizer: {', '.join(_INPUTS)}. The default is conllu.",
    "tagger": "If it is given, words are tagged.",
    "parser": "If it is given, sentences are parsed.",
    "output": f"Format of the result: {', '.join(OUTPUTS)}. The default is conllu.",
}
_SENTENCES_AT_ONCE = 32
_MOST_FIELDS = 100


def models(service: Service) -> Response:
    """Answer ``GET /models``."""
    names = {model.name: model.steps for model in service.models.values()}
    return JSONResponse({"models": names, "default_model": service.default})


async def process(request: Request, service: Service) -> Response:
    """Answer ``GET /process`` and ``POST /process``; a long text is answered in pieces as they are ready."""
    given = await _parameters(request)
    model = service.model(given.get("model"))
    steps = Steps(tag="tagger" in given, parse="parser" in given)
    output = given.get("output", "conllu").partition("=")[0] or "conllu"
    if output not in OUTPUTS:
        raise InvalidInputError(f"output expects one of {', '.join(OUTPUTS)}; got {output!r}.")
    if not given.get("data"):
        raise InvalidInputError("The parameter data is missing: the text or the sentences.")
    sentences = model.read(given["data"], _format(given, model))
    pieces = _pieces(service, model, steps, sentences, output)
    head = {"model": model.name, "acknowledgements": []}
    first, done = await anext(pieces)
    if done:
        return JSONResponse(head | {"result": first})
    return StreamingResponse(_streamed(json.dumps(head), first, pieces), media_type="application/json")


def _format(given: dict[str, str], model: ServedModel) -> str:
    if "tokenizer" in given:
        return "lines" if "presegmented" in given["tokenizer"].split(";") else "text"
    name = given.get("input", "conllu").partition("=")[0] or "conllu"
    if name not in _INPUTS:
        raise InvalidInputError(f"input expects one of {', '.join(_INPUTS)}; got {name!r}.")
    return _INPUTS[name]


async def _pieces(
    service: Service, model: ServedModel, steps: Steps, sentences: Iterator[data.Sentence], output: str
) -> AsyncIterator[tuple[str, bool]]:
    """Yield the result piece by piece, and whether the piece is the last one."""
    done = False

    def read() -> list[Given]:
        nonlocal done
        found = [Given(sentence) for sentence in itertools.islice(sentences, _SENTENCES_AT_ONCE)]
        done = len(found) < _SENTENCES_AT_ONCE
        return found

    while not done:
        finish = lambda results: written((result.sentence for result in results), output)  # noqa: E731
        yield await service.annotate(model, steps, read, finish), done


async def _streamed(head: str, first: str, pieces: AsyncIterator[tuple[str, bool]]) -> AsyncIterator[str]:
    yield head[:-1] + ', "result": "' + json.dumps(first)[1:-1]
    async for piece, _ in pieces:
        yield json.dumps(piece)[1:-1]
    yield '"}'


async def _parameters(request: Request) -> dict[str, str]:
    """Return the parameters of the address and of the body, whichever way a client sends them."""
    found = dict(request.query_params)
    if request.method == "POST":
        body = await request.body()
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/x-www-form-urlencoded":
            try:
                found |= dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
            except ValueError as error:
                raise InvalidInputError(f"The body is not a form in UTF-8: {error}.") from None
        elif kind == "multipart/form-data":
            found |= _multipart(request.headers["content-type"], body)
        elif body:
            raise InvalidInputError(
                "The body must be a form: application/x-www-form-urlencoded or multipart/form-data; "
                f"got {kind[:100] or 'no Content-Type'!r}."
            )
    unknown = sorted(set(found) - set(PARAMETERS))
    if unknown:
        raise InvalidInputError(
            f"There is no parameter {unknown[0][:100]!r}; the parameters are {', '.join(PARAMETERS)}."
        )
    return found


def _multipart(content_type: str, body: bytes) -> dict[str, str]:
    head = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1")
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    found = {}
    for part in message.iter_parts() if message.is_multipart() else ():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            try:
                found[name] = content.decode()
            except UnicodeDecodeError:
                raise InvalidInputError(f"The part {name[:100]!r} of the form is not UTF-8.") from None
    if not found:
        raise InvalidInputError("The body must have named parts, as multipart/form-data has.")
    return found
