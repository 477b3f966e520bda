"""A server that runs while a test runs."""

from __future__ import annotations

import contextlib
import dataclasses
import threading

from ramify.serve.server import listen, make_server


@contextlib.contextmanager
def running(asked, make):
    """Serve the application that `make` makes of the options; give its port and the application.

    The options ask for any port; `make` gets them with the one that is used.
    """
    sock, port = listen(asked)
    app = make(dataclasses.replace(asked, port=port))
    ready = threading.Event()
    server = make_server(app, asked, started=ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        assert ready.wait(20)
        yield port, app
    finally:
        server.should_exit = True
        thread.join(20)
        sock.close()
        assert not thread.is_alive()
