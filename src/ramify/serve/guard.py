"""Checks that every request has to pass before any other code sees it: where it comes from, its token, and its size.

A page on the web can make a browser send requests to this machine. The header Host is checked to prevent DNS rebinding,
and the header Origin to refuse requests from web pages of other origins.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ramify.serve.options import ServeOptions

__all__ = ["CONTENT_SECURITY_POLICY", "Guard"]

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_WITHOUT_TOKEN = ("/health", "/ready")


class Guard:
    """Refuse what does not come from here or has no token, limit bodies, and set the headers of answers.

    Parameters
    ----------
    app : what answers the others
    options : of the server
    """

    def __init__(self, app: ASGIApp, options: ServeOptions) -> None:
        self._app = app
        self._options = options
        self._origins = {*options.origins, *(f"http://{host}" for host in options.hosts)}
        self._origins |= {f"https://{host}" for host in options.allowed_hosts}  # a proxy may speak TLS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as ASGI wants it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no WebSockets
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        foreign = origin if origin in self._options.origins else None

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                _complete(MutableHeaders(scope=message), foreign)
            await send(message)

        refused = self._refusal(scope, headers)
        if refused is not None:
            await refused(scope, receive, sending)
            return
        await self._app(scope, self._limited(receive), sending)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Return an answer that says why there is none."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._options.hosts:
            return _closing("This server does not answer under this name. See ramify serve --allow-host.", 421)
        if len(origins) > 1 or (origins and origins[0] not in self._origins):
            return _closing("Pages of this origin may not use this server. See ramify serve --origin.", 403)
        if headers.get("sec-fetch-site") == "cross-site" and not origins and scope["path"] != "/":
            return _closing("Other pages may link to the start page only.", 403)
        if origins and scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            return Response(status_code=204)  # CORS: the headers of the answer say what may be sent
        if self._options.token and scope["path"] not in _WITHOUT_TOKEN and not self._has_token(headers):
            answer = _closing("A token is needed: Authorization: Bearer TOKEN.", 401)
            answer.headers["WWW-Authenticate"] = 'Basic realm="ramify", charset="UTF-8"'
            return answer
        lengths = headers.getlist("content-length")
        if lengths and (len(lengths) > 1 or not lengths[0].isdigit()):
            return _closing("The length of the body is not a number.", 400)
        if lengths and int(lengths[0]) > self._options.max_body:
            return _closing(self._most_bytes(), 413)
        return None

    def _most_bytes(self) -> str:
        return f"A body has at most {self._options.max_body} bytes."

    def _has_token(self, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "basic":  # a browser asks its user for name and password; any name will do
            try:
                given = base64.b64decode(given, validate=True).decode().partition(":")[2]
            except (binascii.Error, UnicodeDecodeError):
                return False
        elif kind.lower() != "bearer":
            return False
        return hmac.compare_digest(given.encode(), (self._options.token or "").encode())

    def _limited(self, receive: Receive) -> Receive:
        """Give the body on as long as it is not too large, and not too slow."""
        left = self._options.max_body
        deadline = asyncio.get_running_loop().time() + self._options.body_time_limit
        complete = False

        async def limited() -> Message:
            nonlocal left, complete
            if complete:  # what comes now is the end of the connection
                return await receive()
            patience = deadline - asyncio.get_running_loop().time()
            try:
                message = await asyncio.wait_for(receive(), max(0.0, patience))
            except asyncio.TimeoutError:
                late = f"The body has to arrive within {self._options.body_time_limit:g} seconds."
                raise HTTPException(408, late, {"Connection": "close"}) from None
            if message["type"] == "http.request":
                left -= len(message.get("body", b""))
                complete = not message.get("more_body", False)
                if left < 0:
                    raise HTTPException(413, self._most_bytes(), {"Connection": "close"})
            return message

        return limited


def _closing(message: str, status: int) -> Response:
    """Answer, and close the connection: what the client goes on sending is not read."""
    return PlainTextResponse(message + "\n", status, {"Connection": "close"})


def _complete(headers: MutableHeaders, foreign: str | None) -> None:
    for name, value in _HEADERS.items():
        headers.setdefault(name, value)
    headers.append("Vary", "Origin")
    if foreign is not None:
        headers["Access-Control-Allow-Origin"] = foreign
        headers["Access-Control-Allow-Methods"] = "GET, POST"
        headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
        headers["Cross-Origin-Resource-Policy"] = "cross-origin"
