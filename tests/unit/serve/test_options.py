"""Options of the server."""

from __future__ import annotations

import pytest

from ramify.errors import InvalidInputError
from ramify.serve.options import ServeOptions, is_loopback


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"host": "0.0.0.0"}, r"server at 0\.0\.0\.0 needs a token"),
        ({"token": "short"}, "16 ASCII characters or more"),
        ({"port": 70_000}, "The port must be a number from 0 to 65535; got 70000"),
        ({"queue": 0}, "queue above 0; got 0"),
        ({"origins": ("example.org",)}, "look like https://example"),
        ({"origins": ("https://example.org/",)}, "without a path"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(InvalidInputError, match=message):
        ServeOptions(**options)


def test_addresses_of_this_machine():
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "example.org")))


def test_names():
    assert ServeOptions(port=1).hosts == {"127.0.0.1:1", "localhost:1", "[::1]:1"}
    assert "localhost" in ServeOptions(port=80).hosts
    public = ServeOptions(host="::", token="x" * 16, port=2, allowed_hosts=("Parser.example.org",))
    assert {"[::]:2", "parser.example.org"} < public.hosts
