"""Listen, answer, and stop in good order: uvicorn with a limit on how long clients may take."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from starlette.types import ASGIApp

    from ramify.serve.options import ServeOptions

__all__ = ["listen", "make_server"]


def listen(options: ServeOptions) -> tuple[socket.socket, int]:
    """Open the socket; return it and its port, which the system chose if 0 was asked for."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio switches Nagle's algorithm off only if the protocol is named; else an answer waits 40 ms for the client's
    # delayed acknowledgement between its headers and its body.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((options.host.strip("[]"), options.port))
    except OSError as error:
        sock.close()
        raise InvalidInputError(f"Cannot listen at {options.host}:{options.port}: {error.strerror}.") from None
    return sock, int(sock.getsockname()[1])


def make_server(app: ASGIApp, options: ServeOptions, *, started: Callable[[], None]) -> uvicorn.Server:
    """Make a server whose ``run(sockets=[…])`` answers until SIGTERM or SIGINT; what was accepted is finished first.

    Parameters
    ----------
    app : the application
    options : of the server
    started : called when requests are answered
    """
    config = uvicorn.Config(
        app,
        http=_protocol(options.body_time_limit),
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=options.max_connections,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=int(options.time_limit) + 1,
        h11_max_incomplete_event_size=64 << 10,
    )
    return _Server(config, started)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._say_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._say_started()


def _protocol(seconds: float) -> type[H11Protocol]:
    class Impatient(H11Protocol):
        """HTTP for clients that send the headers of every request in time; others lose their connection."""

        _limit: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """Begin to wait for the end of headers, or stop when they have come."""
            if self.conn.their_state is not h11.IDLE:
                self._stop()
            elif self._limit is None:
                self._limit = self.loop.call_later(seconds, self.transport.close)

        def _stop(self) -> None:
            if self._limit is not None:
                self._limit.cancel()
                self._limit = None

    return Impatient
