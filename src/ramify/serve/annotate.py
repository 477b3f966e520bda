"""The annotation page over HTTP: one session, one annotator, and an endpoint for everything the page asks for."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from ramify.annotation.journal import ChangedFileError
from ramify.annotation.queue import ORDERS, order, progress, search
from ramify.serve.app import App, handling, static_routes
from ramify.serve.fields import Field, check
from ramify.serve.guard import Guard
from ramify.serve.service import Service, json_body

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from ramify.annotation import Session
    from ramify.annotation.background import BackgroundTraining
    from ramify.serve.options import ServeOptions

__all__ = ["ASKED", "Asked", "make_annotation_app"]

_LARGEST = 1 << 30
_NUMBER = Field("number", int, "Number of the sentence, from 0.", least=0, most=_LARGEST, required=True)
_WORD = Field("word", int, "Number of the word, from 1.", least=1, most=_LARGEST, required=True)


@dataclass(frozen=True)
class Asked:
    """Something that the page asks for, under ``/annotate/``.

    Attributes
    ----------
    text : what it does
    fields : of the request
    answer : makes the answer
    """

    text: str
    fields: tuple[Field, ...]
    answer: Callable[[Session, dict[str, Any]], Any]


def _facts(session: Session, _: dict[str, Any]) -> dict[str, Any]:
    document = session.document
    return {
        "file": document.path.name,
        "journal": document.journal.name,
        "format": document.format,
        "count": len(session),
        "labels": sorted(session.reparser.parser.labels),
        "tags": sorted(session.reparser.parser.tags),
        "others": session.others.names,
        "orders": [kind for kind in ORDERS if kind != "disagreement" or session.others.names],
        "states": {i: marks.state for i, marks in enumerate(document.marks) if marks.state},
    }


ASKED = {
    "facts": Asked("The file, the labels of the parser, and which sentences are done.", (), _facts),
    "view": Asked("Everything that is shown of a sentence.", (_NUMBER,), lambda s, g: s.view(g["number"])),
    "act": Asked(
        "Carries out a decision; when the answer comes, it is on the disk.",
        (_NUMBER, Field("action", dict, "What to do: do names it, the other fields say more.", required=True)),
        lambda s, g: s.act(g["number"], g["action"]),
    ),
    "preview": Asked(
        "What a decision would change besides the word that it is about; nothing happens.",
        (_NUMBER, Field("action", dict, "What would be done.", required=True)),
        lambda s, g: {"moves": s.preview(g["number"], g["action"])},
    ),
    "undo": Asked("Takes the last step back.", (), lambda s, _: s.undo() or {"nothing": True}),
    "redo": Asked("Repeats the last step that was taken back.", (), lambda s, _: s.redo() or {"nothing": True}),
    "save": Asked("Writes the file.", (), lambda s, _: {"written": s.save()}),
    "heads": Asked(
        "Heads that a word could have, with probability and price.",
        (_NUMBER, _WORD),
        lambda s, g: {"heads": s.heads(g["number"], g["word"])},
    ),
    "labels": Asked(
        "Labels that an arc could have, with price.",
        (_NUMBER, _WORD),
        lambda s, g: {"labels": s.labels(g["number"], g["word"])},
    ),
    "explain": Asked(
        "Why the parser gives a word its head, and not another one.",
        (_NUMBER, _WORD, Field("against", int, "The other head.", least=0, most=_LARGEST)),
        lambda s, g: {"text": s.explain(g["number"], g["word"], g.get("against"))},
    ),
    "k-best": Asked(
        "The best trees under the decisions.",
        (_NUMBER, Field("k", int, "How many trees.", least=1, most=20)),
        lambda s, g: {"trees": s.k_best(g["number"], g.get("k", 5))},
    ),
    "order": Asked(
        "The numbers of all sentences in an order.",
        (Field("order", str, "Which order.", choices=ORDERS, required=True),),
        lambda s, g: {"order": order(s, g["order"])},
    ),
    "progress": Asked("How much is done, and how many heads are probably wrong.", (), lambda s, _: progress(s)),
    "search": Asked(
        "Words that match a query.",
        (Field("query", str, "Such as form:walk upos:VERB label:obj p<0.5.", required=True),),
        lambda s, g: {"found": search(s, g["query"])},
    ),
}


def _state(training: BackgroundTraining) -> dict[str, Any]:
    return {"running": training.running, "used": training.num_used, "report": training.report}


def make_annotation_app(session: Session, options: ServeOptions, training: BackgroundTraining | None = None) -> App:
    """Make the application.

    Parameters
    ----------
    session : what is annotated; the application closes it when it ends
    options : of the server
    training : a model that is trained in the background on what is done
    """
    service = Service([], options)

    def endpoint(asked: Asked) -> Callable[[Request], Any]:
        async def handler(request: Request) -> Response:
            given = check(await json_body(request), asked.fields)

            def work() -> Any:
                if training is None:
                    return asked.answer(session, given)
                training.step(session)
                answer = asked.answer(session, given)
                return answer | {"training": _state(training)} if asked is ASKED["progress"] else answer

            try:
                return JSONResponse(await service.alone(work))
            except ChangedFileError as error:
                return JSONResponse({"error": str(error)}, 409)

        return handling(handler)

    async def health(_: Request) -> Response:
        return PlainTextResponse("ok\n")

    routes = [
        *(Route(f"/api/annotate/{name}", endpoint(asked), methods=["POST"]) for name, asked in ASKED.items()),
        Route("/health", health),
        *static_routes(
            {
                "/": "annotate.html",
                "/annotate.js": "annotate.js",
                "/annotate.css": "annotate.css",
                "/icon.svg": "icon.svg",
            }
        ),
    ]

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        session.scan.start()
        yield
        service.close()
        if training is not None:
            training.close()
        session.close()

    return App(Guard(Starlette(routes=routes, lifespan=lifespan), options), service, routes)
