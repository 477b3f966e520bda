"""The description of the service as OpenAPI, made of the tables that the service itself uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify import __version__
from ramify.serve.fields import schema
from ramify.serve.udpipe import PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.serve.api import Endpoint

__all__ = ["PLAIN", "describe"]

# Paths without parameters: what they give, and the type of the answer.
PLAIN = {
    "/": ("A page with a text box, which parses and draws while one types.", "text/html"),
    "/models": ("The models, and what each can do.", "application/json"),
    "/health": ("Whether the server is alive.", "text/plain"),
    "/ready": ("Whether the server takes requests; 503 when it stops.", "text/plain"),
    "/metrics": ("Counts for Prometheus.", "text/plain"),
    "/openapi.json": ("This description.", "application/json"),
}
_PROCESSED = {
    "type": "object",
    "properties": {"model": {"type": "string"}, "acknowledgements": {"type": "array"}, "result": {"type": "string"}},
    "required": ["model", "acknowledgements", "result"],
}
_ERRORS = {
    "400": {"description": "The request is wrong; the answer says what was expected."},
    "413": {"description": "The body is too large."},
    "429": {"description": "Too many requests wait; the header Retry-After says when to come back."},
    "503": {"description": "The request took too long, or the server stops; see Retry-After."},
}


def describe(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """Return the description.

    Parameters
    ----------
    endpoints : those under ``/api/``
    """
    paths: dict[str, Any] = {
        path: {"get": {"summary": text, "responses": {"200": _content(text, kind)}}}
        for path, (text, kind) in PLAIN.items()
    }
    form = {
        "type": "object",
        "properties": {name: {"type": "string", "description": text} for name, text in PARAMETERS.items()},
        "required": ["data"],
        "additionalProperties": False,
    }
    processed = {"200": _content("The result, as UDPipe gives it.", "application/json", _PROCESSED)} | _ERRORS
    query = [
        {"name": name, "in": "query", "required": name == "data", "description": text, "schema": {"type": "string"}}
        for name, text in PARAMETERS.items()
    ]
    kinds = ("application/x-www-form-urlencoded", "multipart/form-data")
    summary = "Tokenizes, tags and parses, as the service of UDPipe does."
    paths["/process"] = {
        "get": {"summary": summary, "parameters": query, "responses": processed},
        "post": {
            "summary": summary,
            "requestBody": {"required": True, "content": {kind: {"schema": form} for kind in kinds}},
            "responses": processed,
        },
    }
    for endpoint in endpoints:
        body = {"required": True, "content": {"application/json": {"schema": schema(endpoint.fields)}}}
        responses = {"200": _content(endpoint.text, "application/json", endpoint.result)} | _ERRORS
        paths[f"/api/{endpoint.name}"] = {
            "post": {"summary": endpoint.text, "requestBody": body, "responses": responses}
        }
    return {"openapi": "3.1.0", "info": {"title": "ramify", "version": __version__}, "paths": paths}


def _content(text: str, kind: str, shape: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"description": text, "content": {kind: {"schema": shape or {}}}}
