"""Who is refused: forged names, foreign pages, missing tokens, bodies that are too large or too slow."""

from __future__ import annotations

import base64
import http.client
import socket
import time

import pytest

from ramify.serve.guard import CONTENT_SECURITY_POLICY


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{}", "localhost:{}0"]
)
def test_forged_hosts(client, host):
    assert client.get("/models", host=host.format(client.port)).status == 421


@pytest.mark.parametrize("host", ["127.0.0.1:{}", "LOCALHOST:{}", "[::1]:{}"])
def test_own_names(client, host):
    assert client.get("/models", host=host.format(client.port)).status == 200


def test_two_hosts_or_none(client):
    for extra in (b"Host: evil.example\r\n", b""):
        own = f"Host: 127.0.0.1:{client.port}\r\n".encode() if extra else b""
        with socket.create_connection(("127.0.0.1", client.port)) as sock:
            sock.sendall(b"GET /models HTTP/1.1\r\n" + own + extra + b"\r\n")
            assert sock.recv(1000).split()[1] in (b"400", b"421")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{}"])
def test_foreign_origins(client, origin):
    headers = {"Origin": origin.format(client.port)}
    assert client.get("/models", headers=headers).status == 403
    assert client.post("/api/parse", {"text": "x"}, headers).status == 403


def test_own_origin_and_other_pages(client):
    answer = client.get("/models", headers={"Origin": f"http://127.0.0.1:{client.port}"})
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (200, None)
    assert client.get("/models", headers={"Sec-Fetch-Site": "cross-site"}).status == 403
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status == 200  # a link leads there
    assert client.get("/models", headers={"Sec-Fetch-Site": "same-origin"}).status == 200


def test_headers(client):
    for path in ("/", "/models", "/nowhere", "/start.js"):
        answer = client.get(path)
        assert answer.headers["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Access-Control-Allow-Origin"] is None
        assert answer.headers["Server"] is None
    assert "unsafe" not in CONTENT_SECURITY_POLICY


def test_named_origins(english, serve_again):
    with serve_again([english], origins=("https://friend.example",)) as client:
        headers = {"Origin": "https://friend.example"}
        answer = client.get("/models", headers=headers)
        assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (200, "https://friend.example")
        answer = client.ask("OPTIONS", "/api/parse", headers=headers | {"Access-Control-Request-Method": "POST"})
        assert (answer.status, answer.headers["Access-Control-Allow-Methods"]) == (204, "GET, POST")
        assert client.get("/models", headers={"Origin": "https://friend.example.evil"}).status == 403


def test_tokens(english, serve_again):
    token = "0123456789abcdef"
    with serve_again([english], token=token) as client:
        answer = client.get("/models")
        assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, 'Basic realm="ramify", charset="UTF-8"')
        basic = base64.b64encode(f"anna:{token}".encode()).decode()
        for given, status in {
            f"Bearer {token}": 200,
            f"Basic {basic}": 200,
            "Bearer 0123456789abcdeX": 401,
            "Bearer ": 401,
            "Basic !": 401,
            f"Digest {token}": 401,
        }.items():
            assert client.get("/models", headers={"Authorization": given}).status == status, given
        assert client.get("/health").status == client.get("/ready").status == 200


def test_large_bodies(client):
    size = client.service.options.max_body
    assert client.ask("POST", "/process", b"x" * (size + 1)).status == 413
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=5)
    connection.request("POST", "/process", (b"x" * 10_000 for _ in range(size // 10_000 + 1)), encode_chunked=True)
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (413, f"A body has at most {size} bytes.".encode())
    connection.close()


@pytest.mark.parametrize("length", ["-1", "1x", "0x10", "1\r\nContent-Length: 2"])
def test_lengths_that_are_none(client, length):
    with socket.create_connection(("127.0.0.1", client.port)) as sock:
        head = f"POST /process HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nContent-Length: {length}\r\n\r\n"
        sock.sendall(head.encode())
        assert sock.recv(1000).split()[1] == b"400"


def test_slow_clients(client):
    """One that never ends its headers, one that never ends its body; others are answered meanwhile."""
    with (
        socket.create_connection(("127.0.0.1", client.port), 10) as head,
        socket.create_connection(("127.0.0.1", client.port), 10) as body,
    ):
        head.sendall(b"GET /models HTTP/1.1\r\nHost:")
        body.sendall(
            f"POST /process HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nContent-Length: 9\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n\r\ndata".encode()
        )
        begun = time.monotonic()
        assert client.get("/models").status == 200
        assert time.monotonic() - begun < client.service.options.body_time_limit  # did not wait for the slow ones
        assert body.recv(1000).split()[1] == b"408"
        assert head.recv(1000) == b""


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/..%2fpyproject.toml",
        "/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/static/../../app.py",
        "/start.html",
    ],
)
def test_no_path_names_a_file(client, path):
    assert client.get(path).status == 404


def test_no_web_sockets(client):
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "eA==",
    }
    for origin in ("https://evil.example", f"http://127.0.0.1:{client.port}"):
        assert client.get("/", headers=headers | {"Origin": origin}).status != 101
