"""The socket that the server listens at."""

from __future__ import annotations

import asyncio
import socket

import pytest

from ramify.serve.options import ServeOptions
from ramify.serve.server import listen


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_answers_do_not_wait_for_acknowledgements(host):
    """asyncio switches Nagle's algorithm off for the connections of this socket."""
    try:
        sock, port = listen(ServeOptions(host=host, port=0))
    except OSError:
        pytest.skip(f"this machine has no {host}")

    async def flag():
        seen = asyncio.get_running_loop().create_future()

        def connected(reader, writer):
            accepted = writer.get_extra_info("socket")
            seen.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(connected, sock=sock):
            _, writer = await asyncio.open_connection(host, port)
            result = await asyncio.wait_for(seen, 10)
            writer.close()
            await writer.wait_closed()
        return result

    assert asyncio.run(flag()) != 0
