"""Options of the server, checked once."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass

from ramify.errors import InvalidInputError

__all__ = ["ServeOptions", "is_loopback"]

_LEAST_TOKEN = 16


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """How the server answers, and whom.

    Attributes
    ----------
    host, port : address to listen at; other addresses than those of this machine need a token
    token : what clients send as ``Authorization: Bearer TOKEN``, or as the password that a browser asks for
    allowed_hosts : further values of the header Host, with port, such as those that a proxy passes on
    origins : web pages elsewhere that may use the service (CORS), such as ``https://example.org``
    threads : of the engine, for one batch
    queue : how many requests may wait; further ones are refused with status 429
    max_body : bytes of a request's body
    max_words : longer sentences get no tree
    time_limit : seconds until a request is refused with status 503
    body_time_limit : seconds in which a client has to send its headers, and again its body
    max_connections : connections at a time
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    threads: int = 1
    queue: int = 64
    max_body: int = 4 << 20
    max_words: int = 500
    time_limit: float = 30.0
    body_time_limit: float = 10.0
    max_connections: int = 256

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and self.token is None:
            raise InvalidInputError(
                f"A server at {self.host} needs a token, because other machines can reach that address. Give one "
                "in the environment variable RAMIFY_TOKEN."
            )
        if self.token is not None and (len(self.token) < _LEAST_TOKEN or not self.token.isascii()):
            raise InvalidInputError(
                f"A token must have {_LEAST_TOKEN} ASCII characters or more; make one with: openssl rand -hex 16"
            )
        if not 0 <= self.port <= 65535:
            raise InvalidInputError(f"The port must be a number from 0 to 65535; got {self.port}.")
        for name in ("queue", "max_body", "max_words", "time_limit", "body_time_limit", "max_connections"):
            if not getattr(self, name) > 0:
                raise InvalidInputError(f"ServeOptions expects {name} above 0; got {getattr(self, name)}.")
        for origin in self.origins:
            if not origin.startswith(("http://", "https://")) or origin.count("/") != 2:
                raise InvalidInputError(
                    f"An origin must look like https://example.org, without a path; got {origin!r}."
                )

    @property
    def hosts(self) -> frozenset[str]:
        """All values of the header Host that are answered."""
        names = {"127.0.0.1", "localhost", "[::1]", f"[{self.host}]" if ":" in self.host else self.host}
        own = {f"{name}:{self.port}" for name in names} | (names if self.port == 80 else set())
        return frozenset(host.lower() for host in (*own, *self.allowed_hosts))
