"""Who is refused: forged names, foreign pages, missing tokens, bodies that are too large or too slow."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from ramify.serve.guard import CONTENT_SECURITY_POLICY

JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{}", "localhost:{}0"]
)
def test_forged_hosts(guarded, host):
    host = host.format(guarded.port)
    assert guarded.get("/health", host=host).status == 421
    assert guarded.post(guarded.path, guarded.body, host=host).status == 421


@pytest.mark.parametrize("host", ["127.0.0.1:{}", "LOCALHOST:{}", "[::1]:{}"])
def test_own_names(guarded, host):
    assert guarded.post(guarded.path, guarded.body, host=host.format(guarded.port)).status == 200


def test_two_hosts_or_none(guarded):
    for extra in (b"Host: evil.example\r\n", b""):
        own = f"Host: 127.0.0.1:{guarded.port}\r\n".encode() if extra else b""
        with socket.create_connection(("127.0.0.1", guarded.port)) as sock:
            sock.sendall(b"GET /health HTTP/1.1\r\n" + own + extra + b"\r\n")
            assert sock.recv(1000).split()[1] in (b"400", b"421")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{}"])
def test_foreign_origins(guarded, origin):
    headers = {"Origin": origin.format(guarded.port)}
    assert guarded.get("/health", headers=headers).status == 403
    assert guarded.post(guarded.path, guarded.body, headers).status == 403


def test_own_origin_and_other_pages(guarded):
    own = guarded.post(guarded.path, guarded.body, {"Origin": f"http://127.0.0.1:{guarded.port}"})
    assert (own.status, own.headers["Access-Control-Allow-Origin"]) == (200, None)
    assert guarded.post(guarded.path, guarded.body, {"Sec-Fetch-Site": "cross-site"}).status == 403
    assert guarded.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status == 200  # a link leads there
    assert guarded.post(guarded.path, guarded.body, {"Sec-Fetch-Site": "same-origin"}).status == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_forms_of_other_pages(guarded, kind):
    """Browsers send these without asking first, so they are no JSON, whatever they hold."""
    answer = guarded.ask("POST", guarded.path, json.dumps(guarded.body).encode(), {"Content-Type": kind})
    assert answer.status == 400


def test_headers(guarded):
    for path in ("/", "/health", "/nowhere", "/start.js", "/annotate.js"):
        answer = guarded.get(path)
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


def test_large_bodies(guarded):
    size = guarded.service.options.max_body
    assert guarded.ask("POST", guarded.path, b"x" * (size + 1), JSON).status == 413
    connection = http.client.HTTPConnection("127.0.0.1", guarded.port, timeout=5)
    chunks = (b"x" * 10_000 for _ in range(size // 10_000 + 1))
    connection.request("POST", guarded.path, chunks, JSON, encode_chunked=True)
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (413, f"A body has at most {size} bytes.".encode())
    connection.close()


def test_chunked_bodies(guarded):
    chunks = [b"%x\r\n%b\r\n" % (1, bytes([byte])) for byte in json.dumps(guarded.body).encode()] + [b"0\r\n\r\n"]
    headers = JSON | {"Transfer-Encoding": "chunked"}
    assert guarded.ask("POST", guarded.path, b"".join(chunks), headers).status == 200
    for wrong in (b"zz\r\nx\r\n0\r\n\r\n", b"-1\r\nx\r\n"):
        assert guarded.ask("POST", guarded.path, wrong, headers).status == 400


@pytest.mark.parametrize("length", ["-1", "1x", "0x10", "1\r\nContent-Length: 2", "3\r\nTransfer-Encoding: chunked"])
def test_lengths_that_are_none(guarded, length):
    with socket.create_connection(("127.0.0.1", guarded.port)) as sock:
        head = f"POST {guarded.path} HTTP/1.1\r\nHost: 127.0.0.1:{guarded.port}\r\nContent-Length: {length}\r\n\r\n"
        sock.sendall(head.encode())
        assert sock.recv(1000).split()[1] == b"400"


def drip(sock, content):
    """Send a byte at a time until the server has had enough; return its answer."""
    sock.settimeout(0.05)
    end = time.monotonic() + 20
    for i in range(len(content)):
        assert time.monotonic() < end
        try:
            sock.sendall(content[i : i + 1])
            if (answer := sock.recv(1000)) or not answer:
                return answer
        except TimeoutError:
            continue
        except OSError:
            return b""
    return pytest.fail("the server waits for ever")


def test_slow_clients(guarded):
    """Headers, the headers of a second request, and a body come a byte at a time; others are answered meanwhile."""
    here = ("127.0.0.1", guarded.port)
    host = f"Host: 127.0.0.1:{guarded.port}\r\n"
    get, post = f"GET /health HTTP/1.1\r\n{host}", f"POST {guarded.path} HTTP/1.1\r\n{host}"
    with ThreadPoolExecutor() as pool, contextlib.ExitStack() as stack:
        head, second, body, silent = (stack.enter_context(socket.create_connection(here, 10)) for _ in range(4))
        second.sendall(f"{get}\r\n".encode())
        answered = b""
        while not answered.endswith(b"ok\n"):
            answered += second.recv(1000)
        body.sendall(f"{post}Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n".encode())
        begun = time.monotonic()
        slow = [pool.submit(drip, sock, get.encode() + b"X: " + 500 * b"x") for sock in (head, second)]
        slow.append(pool.submit(drip, body, 999 * b" "))
        assert guarded.post(guarded.path, guarded.body).status == 200
        assert time.monotonic() - begun < guarded.service.options.body_time_limit  # did not wait for the slow ones
        answers = [each.result() for each in slow]
        assert [answers[0], answers[1], answers[2].split()[1]] == [b"", b"", b"408"]
        assert silent.recv(1000) == b""


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/..%2fpyproject.toml",
        "/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/static/../../app.py",
        "/start.html",
        "/link.conllu",
        "/some%3Cb%3E.conllu",
        "/some%3Cb%3E.conllu.journal",
        "/file:///etc/passwd",
    ],
)
def test_no_path_names_a_file(guarded, path):
    assert guarded.get(path).status == 404


def test_no_web_sockets(guarded):
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "eA==",
    }
    for origin in ("https://evil.example", f"http://127.0.0.1:{guarded.port}"):
        assert guarded.get("/", headers=headers | {"Origin": origin}).status != 101
