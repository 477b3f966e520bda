"""Probes, counts, the description, overload, and stopping."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import jsonschema
import pytest

from ramify.serve.api import ENDPOINTS

TEXT = "Stars fell."


def test_probes(client):
    assert (client.get("/health").text, client.get("/ready").text) == ("ok\n", "ok\n")
    client.service.draining = True
    try:
        assert client.get("/ready").status == 503
    finally:
        client.service.draining = False


def test_counts(client):
    def read():
        text = client.get("/metrics").text
        for line in text.splitlines():
            assert re.fullmatch(r'# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"\\]*"(,\w+="[^"\\]*")*\})? [-+.e\d]+', line), line
        return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))

    before = read()
    assert client.post("/api/parse", {"text": TEXT}).status == 200
    client.get("/" + "x" * 20)
    after = read()
    key = 'ramify_requests_total{path="/api/parse",status="200"}'
    assert float(after[key]) - float(before.get(key, 0)) == 1
    assert float(after["ramify_words_total"]) - float(before.get("ramify_words_total", 0)) == 3
    assert not any("xxx" in name for name in after)
    assert int(after["process_resident_memory_bytes"]) > 1 << 20


def test_the_description_is_true(client):
    """Every path in it answers as it says, and no other path does."""
    spec = client.get("/openapi.json").json
    routes = {route.path: route.methods - {"HEAD"} for route in client.service_routes}
    described = {path: {method.upper() for method in methods} for path, methods in spec["paths"].items()}
    assert described == {path: methods for path, methods in routes.items() if not path.startswith("/start.")}
    fields = {
        "text": TEXT,
        "word": 1,
        "gold": "1\tHi\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
        "system": "1\tHi\t_\tX\t_\t_\t0\troot\t_\t_\n\n",
    }
    for endpoint in ENDPOINTS:
        operation = spec["paths"][f"/api/{endpoint.name}"]["post"]
        shape = operation["requestBody"]["content"]["application/json"]["schema"]
        jsonschema.Draft202012Validator.check_schema(shape)
        request = {name: fields[name] for name in shape["required"]}
        jsonschema.validate(request, shape)
        answer = client.post(f"/api/{endpoint.name}", request)
        assert answer.status == 200, answer.text
        jsonschema.validate(answer.json, operation["responses"]["200"]["content"]["application/json"]["schema"])
        wrong = request | {"nonsense": 1}
        assert not jsonschema.Draft202012Validator(shape).is_valid(wrong)
        assert client.post(f"/api/{endpoint.name}", wrong).status == 400
    for path, methods in spec["paths"].items():
        for kind in methods.get("get", {}).get("responses", {}).get("200", {}).get("content", {}):
            answer = client.get(path + ("?data=" if path == "/process" else ""))
            assert path == "/process" or answer.headers["Content-Type"].startswith(kind)


def test_requests_at_once_are_answered_alike(client):
    wanted = client.post("/api/parse", {"text": TEXT, "marginals": True}).json
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(client.post, "/api/parse", {"text": TEXT, "marginals": True}) for _ in range(24)]
        assert all(future.result().json == wanted for future in asked)


def test_overload(english, serve_again):
    with serve_again([english], queue=1) as client:
        go_on = threading.Event()
        usual = english.annotate
        english.annotate = lambda given, steps: (go_on.wait(5), usual(given, steps))[1]
        try:
            with ThreadPoolExecutor(6) as pool:
                asked = [pool.submit(client.post, "/api/parse", {"text": TEXT}) for _ in range(6)]
                while sum(future.done() for future in asked) < 4:
                    time.sleep(0.01)
                go_on.set()
                answers = [future.result() for future in asked]
        finally:
            del english.annotate
        statuses = sorted(answer.status for answer in answers)
        assert set(statuses) == {200, 429}
        assert statuses.count(429) >= 4  # one is worked on, one waits
        refused = next(answer for answer in answers if answer.status == 429)
        assert int(refused.headers["Retry-After"]) >= 1
        assert "1 requests are already waiting" in refused.json["error"]


def test_errors_of_the_server_keep_their_words_to_themselves(client, english):
    def fail(given, steps):
        raise RuntimeError("secret")

    english.annotate = fail
    try:
        answer = client.post("/api/parse", {"text": TEXT})
    finally:
        del english.annotate
    assert (answer.status, "secret" in answer.text) == (500, False)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_sigterm_drains():
    process = subprocess.Popen(
        [sys.executable, "-m", "ramify", "serve", "en", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"RAMIFY_TOKEN": ""},
    )
    try:
        port = int(re.search(r"http://127\.0\.0\.1:(\d+)", process.stderr.readline())[1])
        body = ("data=" + "Stars+fell+on+Alabama.+" * 300 + "&tokenizer=&tagger=&parser=").encode()
        with socket.create_connection(("127.0.0.1", port), 20) as sock:
            head = f"POST /process HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body)}\r\n"
            sock.sendall(head.encode() + b"Content-Type: application/x-www-form-urlencoded\r\n\r\n" + body)
            answer = sock.recv(1000)
            process.send_signal(signal.SIGTERM)
            while not answer.endswith(b"0\r\n\r\n"):
                piece = sock.recv(1 << 16)
                assert piece, "the answer is cut"
                answer += piece
        assert answer.startswith(b"HTTP/1.1 200")
        assert process.wait(20) in (-signal.SIGTERM, 128 + signal.SIGTERM)
    finally:
        process.kill()
        process.communicate()
