"""The endpoints of the annotation page."""

from __future__ import annotations

import shutil

import pytest

from ramify.serve.annotate import ASKED
from support.annotation import annotating


@pytest.fixture
def page(samples, tmp_path, english, client):
    """A client of an annotation page, and the file."""
    path = tmp_path / "some<b>.conllu"
    shutil.copy(samples / "ewt-sample-200.conllu", path)
    with annotating(path, english.parser) as (port, app, _):
        yield type(client)(port, app.service, app.routes), path


def test_a_decision_is_in_the_journal_when_the_answer_comes(page):
    client, path = page
    facts = client.post("/api/annotate/facts", {}).json
    assert (facts["file"], facts["count"], facts["orders"]) == ("some<b>.conllu", 200, ["file", "least-sure"])
    view = client.post("/api/annotate/act", {"number": 0, "action": {"do": "head", "word": 1, "head": 2}}).json
    assert view["words"][0]["head"] == 2
    assert "head of word 1" in path.with_name(path.name + ".journal").read_text()
    assert client.post("/api/annotate/undo", {}).json["words"][0]["head"] == 3
    assert client.post("/api/annotate/undo", {}).json == {"nothing": True}
    assert client.post("/api/annotate/redo", {}).json["words"][0]["head"] == 2
    assert client.post("/api/annotate/save", {}).json == {"written": True}
    assert b"1\tFrom\tfrom\tADP\tIN\t_\t2\t" in path.read_bytes()


def test_every_endpoint_answers(page):
    client, _ = page
    more = {"action": {"do": "accept"}, "order": "least-sure", "query": "upos:VERB", "number": 1, "word": 3}
    for name, asked in ASKED.items():
        given = {field.name: more[field.name] for field in asked.fields if field.required}
        answer = client.post(f"/api/annotate/{name}", given)
        assert (name, answer.status) == (name, 200), answer.text
        assert client.post(f"/api/annotate/{name}", given | {"nonsense": 1}).status == 400
    assert client.post("/api/annotate/progress", {}).json["done"] == 1
    assert [client.get(path).status for path in ("/", "/annotate.js", "/annotate.css", "/health")] == [200] * 4


def test_the_guard_is_there(page):
    client, path = page
    body = {"number": 0, "action": {"do": "accept"}}
    content = path.with_name(path.name + ".journal").read_bytes()
    assert client.post("/api/annotate/act", body, host="evil.example").status == 421
    assert client.post("/api/annotate/act", body, host="127.0.0.1:1").status == 421
    assert client.post("/api/annotate/act", body, headers={"Origin": "http://evil.example"}).status == 403
    form = {"Content-Type": "text/plain"}
    assert client.ask("POST", "/api/annotate/act", b"{}", form).status == 400
    assert client.ask("POST", "/api/annotate/act", b"x" * 200_000, {"Content-Type": "application/json"}).status == 413
    for name in ("/../" + path.name, "/" + path.name, "/%2e%2e/" + path.name):
        assert client.get(name).status == 404
    assert path.with_name(path.name + ".journal").read_bytes() == content


def test_changes_by_others_are_said(page):
    client, path = page
    path.write_bytes(path.read_bytes() + b"\n")
    answer = client.post("/api/annotate/act", {"number": 0, "action": {"do": "accept"}})
    assert answer.status == 409
    assert "changed by someone else" in answer.json["error"]
    path.write_bytes(path.read_bytes()[:-1])  # so that closing finds the file as it was


def test_wrong_requests(page):
    client, _ = page
    answer = client.post("/api/annotate/act", {"number": 0, "action": {"do": "<script>"}})
    assert (answer.status, answer.headers["Content-Type"]) == (400, "application/json")
    assert (
        client.post("/api/annotate/act", {"number": 0, "action": "x"})
        .json["error"]
        .startswith("action expects an object")
    )
    assert client.post("/api/annotate/view", {"number": 1000}).status == 400
