from __future__ import annotations

import contextlib
import http.client
import json
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ramify.serve.app import make_app
from ramify.serve.models import ServedModel
from ramify.serve.options import ServeOptions
from support.annotation import annotating
from support.serving import running


@dataclass
class Answer:
    status: int
    headers: Any
    body: bytes

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)


class Client:
    """What a client on the network sees; headers can be forged."""

    def __init__(self, port, service=None, routes=()):
        self.port = port
        self.service = service
        self.service_routes = routes

    def ask(self, method, path, body=None, headers=None, host=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", host or f"127.0.0.1:{self.port}")
            for name, value in (headers or {}).items():
                connection.putheader(name, value)
            if body is not None and "Transfer-Encoding" not in (headers or {}):
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, value, headers=None, **more):
        return self.ask(
            "POST", path, json.dumps(value).encode(), {"Content-Type": "application/json"} | (headers or {}), **more
        )


@contextlib.contextmanager
def serving(models, **options):
    with running(ServeOptions(port=0, **options), partial(make_app, models)) as (port, app):
        yield Client(port, app.service, app.routes)


@pytest.fixture(scope="session")
def english():
    return ServedModel.load("en", "en", threads=1, max_words=60)


@pytest.fixture(scope="session")
def parser(english):
    return ServedModel("parser", english.parser, max_words=60)


@pytest.fixture(scope="session")
def client(english, parser):
    with serving([english, parser], max_body=100_000, body_time_limit=1) as found:
        yield found


@pytest.fixture(scope="session")
def annotating_client(english, tmp_path_factory):
    """A client of an annotation page; the file has a link beside it."""
    folder = tmp_path_factory.mktemp("annotated")
    path = folder / "some<b>.conllu"
    shutil.copy(Path(__file__).parents[2] / "data" / "ewt-sample-200.conllu", path)
    (folder / "link.conllu").symlink_to(path)
    with annotating(path, english.parser, patience=1) as (port, app, _):
        yield Client(port, app.service, app.routes)


@pytest.fixture(scope="session", params=["serve", "annotate"])
def guarded(request):
    """Clients of both servers, with the path of an endpoint that takes JSON, and a body for it."""
    found = request.getfixturevalue("client" if request.param == "serve" else "annotating_client")
    found.path, found.body = ("/api/parse", {"text": "x"}) if request.param == "serve" else ("/api/annotate/facts", {})
    return found


@pytest.fixture(scope="session")
def serve_again():
    return serving
