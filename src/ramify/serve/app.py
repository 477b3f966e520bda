"""The application: which path is answered by what."""

from __future__ import annotations

import contextlib
import functools
import time
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ramify.serve import udpipe
from ramify.serve.api import ENDPOINTS, Endpoint, answer
from ramify.serve.guard import Guard
from ramify.serve.openapi import describe
from ramify.serve.service import Service, answer_error, json_body

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ramify.serve.models import ServedModel
    from ramify.serve.options import ServeOptions

    Handler = Callable[[Request], Awaitable[Response]]

__all__ = ["App", "handling", "make_app", "static_routes"]

_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def make_app(models: Sequence[ServedModel], options: ServeOptions) -> App:
    """Make the application.

    Parameters
    ----------
    models : at least one
    options : of the server
    """
    service = Service(models, options)
    routes = [
        Route("/health", _plain(lambda: PlainTextResponse("ok\n"))),
        Route("/ready", _plain(lambda: PlainTextResponse(*(("stopping\n", 503) if service.draining else ("ok\n",))))),
        Route("/metrics", _plain(lambda: PlainTextResponse(service.metrics.text(lambda: len(service.jobs))))),
        Route("/openapi.json", _plain(lambda: JSONResponse(describe(ENDPOINTS)))),
        Route("/models", _plain(lambda: udpipe.models(service))),
        Route("/process", handling(lambda request: udpipe.process(request, service)), methods=["GET", "POST"]),
        *(Route(f"/api/{each.name}", handling(_json(each, service)), methods=["POST"]) for each in ENDPOINTS),
        *static_routes({"/": "start.html", "/start.js": "start.js", "/start.css": "start.css"}),
    ]

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        service.close()

    app = Starlette(routes=routes, lifespan=lifespan)
    return App(Guard(app, options), service, routes)


def static_routes(paths: dict[str, str]) -> list[Route]:
    """Serve files of this package, which are read now: no path of a request ever names a file.

    Parameters
    ----------
    paths : names of files by path
    """
    folder = files("ramify.serve") / "static"
    routes = []
    for path, name in paths.items():
        content, kind = (folder / name).read_bytes(), _KINDS[name[name.rindex(".") :]]
        routes.append(Route(path, _plain(functools.partial(Response, content, media_type=kind))))
    return routes


def _plain(make: Callable[[], Response]) -> Handler:
    async def handler(_: Request) -> Response:
        return make()

    return handler


def _json(endpoint: Endpoint, service: Service) -> Handler:
    async def handler(request: Request) -> Response:
        return JSONResponse(await answer(endpoint, await json_body(request), service))

    return handler


def handling(inner: Handler) -> Handler:
    """Turn errors of a handler into answers.

    Parameters
    ----------
    inner : the handler
    """

    async def handler(request: Request) -> Response:
        try:
            return await inner(request)
        except (ValueError, RuntimeError) as error:  # all errors of ramify are one of these
            return await answer_error(request, error)

    return handler


class App:
    """The whole application; it counts requests and their seconds.

    Attributes
    ----------
    service : what answers
    routes : which paths there are
    """

    def __init__(self, app: ASGIApp, service: Service, routes: Sequence[Route]) -> None:
        self._app = app
        self.service = service
        self.routes = tuple(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI wants it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = time.monotonic()
        status = 500
        known = {route.path for route in self.routes}
        path = scope["path"] if scope["path"] in known else "other"  # as many counters as there are paths, no more

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            self.service.metrics.requests.add(1, path, str(status))
            self.service.metrics.seconds.observe(time.monotonic() - begun)
