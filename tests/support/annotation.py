"""An annotation page that is served while a test runs."""

from __future__ import annotations

import contextlib
import dataclasses
import threading

from ramify.annotation import Session
from ramify.serve.annotate import make_annotation_app
from ramify.serve.options import ServeOptions
from ramify.serve.server import listen, make_server


@contextlib.contextmanager
def annotating(path, parser, **options):
    """Serve a session; give its port, the application and the session."""
    asked = ServeOptions(port=0, max_body=100_000)
    sock, port = listen(asked)
    session = Session(path, parser, **options)
    app = make_annotation_app(session, dataclasses.replace(asked, port=port))
    ready = threading.Event()
    server = make_server(app, asked, started=ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        assert ready.wait(20)
        yield port, app, session
    finally:
        server.should_exit = True
        thread.join(20)
        sock.close()
        assert not thread.is_alive()
