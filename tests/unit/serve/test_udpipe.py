"""What clients of UDPipe send, and what they get."""

from __future__ import annotations

import email.mime.multipart
import email.mime.nonmultipart
import json
from urllib.parse import urlencode

import pytest

from ramify.segmentation import raw_text

TEXT = "Stars fell. I saw it."
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def form(client, **parameters):
    return client.ask("POST", "/process", urlencode(parameters).encode(), FORM)


def test_models(client):
    answer = client.get("/models").json
    assert answer == {"models": {"en": ["tokenizer", "tagger", "parser"], "parser": ["parser"]}, "default_model": "en"}


def test_text_to_trees(client, english):
    answer = form(client, data=TEXT, tokenizer="", tagger="", parser="", model="en")
    assert answer.status == 200
    assert answer.json == {"model": "en", "acknowledgements": [], "result": english.model(TEXT).to_conllu()}
    query = urlencode({"data": TEXT, "tokenizer": "", "tagger": "", "parser": ""})
    assert client.get(f"/process?{query}").json == answer.json


def test_multipart(client):
    """As udpipe2_client.py builds it."""
    message = email.mime.multipart.MIMEMultipart("form-data")
    for name, value in {"data": TEXT + " Čau.", "tokenizer": "", "output": "horizontal"}.items():
        part = email.mime.nonmultipart.MIMENonMultipart("text", "plain")
        part.add_header("Content-Disposition", f'form-data; name="{name}"')
        part.add_header("Content-Transfer-Encoding", "8bit")
        part.set_payload(value, charset="utf-8")
        message.attach(part)
    body = message.as_bytes().split(b"\n\n", maxsplit=1)[1].replace(b"\n", b"\r\n")
    answer = client.ask("POST", "/process", body, {"Content-Type": message["Content-Type"]})
    assert answer.json["result"] == "Stars fell .\nI saw it .\nČau .\n"


def test_each_step_alone(client):
    tokens = form(client, data=TEXT, tokenizer="").json["result"]
    assert "1\tStars\t_\t_\t_\t_\t_\t_\t_\t_\n" in tokens
    tagged = form(client, data=tokens, tagger="").json["result"]
    assert "1\tStars\tstar\tNOUN\tNNS\tNumber=Plur\t_\t_\t_\t_\n" in tagged
    parsed = form(client, data=tagged, parser="", model="parser").json["result"]
    assert parsed == form(client, data=TEXT, tokenizer="", tagger="", parser="").json["result"]
    assert form(client, data=tokens, input="conllu").json["result"] == tokens


def test_formats(client):
    assert form(client, data="Stars fell\nI saw it", tokenizer="presegmented", output="vertical").json["result"] == (
        "Stars\nfell\n\nI\nsaw\nit\n\n"
    )
    assert form(client, data="I saw\nit\n", input="vertical", output="horizontal").json[
        "result"
    ] == "I saw it\n".replace("I saw", "I\u00a0saw")
    assert form(client, data="I saw it .", input="horizontal", output="plaintext").json["result"] == "I saw it .\n"


def test_long_texts_come_in_pieces(client, english):
    text = " ".join(f"Star {i} fell on it." for i in range(100))
    answer = form(client, data=text, tokenizer="", output="horizontal")
    assert answer.headers["Transfer-Encoding"] == "chunked"
    sentences = list(english.model.segmenter.segment(text))
    assert json.loads(answer.body)["result"].count("\n") == len(sentences) > 64
    assert raw_text(sentences).strip() == text


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"tokenizer": ""}, "The parameter data is missing"),
        ({"data": "x", "model": "<b>"}, "There is no model '<b>'; the models are en, parser."),
        ({"data": "x", "output": "epe"}, "output expects one of conllu, horizontal, vertical, plaintext; got 'epe'."),
        ({"data": "x", "input": "epe"}, "input expects one of generic_tokenizer,"),
        ({"data": "x", "foo": ""}, "There is no parameter 'foo'; the parameters are data, model,"),
        (
            {"data": "x", "tokenizer": "", "model": "parser"},
            "The model 'parser' is a parser and takes tagged sentences",
        ),
        ({"data": "1\tx"}, "expected 10 columns"),
    ],
)
def test_errors(client, parameters, message):
    answer = form(client, **parameters)
    assert (answer.status, answer.headers["Content-Type"]) == (400, "text/plain; charset=utf-8")
    assert message in answer.text


def test_bodies_that_are_no_forms(client):
    assert "must be a form" in client.ask("POST", "/process", b"{}", {"Content-Type": "application/json"}).text
    assert "not a form in UTF-8" in client.ask("POST", "/process", b"\xff", FORM).text
    for kind in ("multipart/form-data", "multipart/form-data; boundary=x"):
        assert "named parts" in client.ask("POST", "/process", b"x", {"Content-Type": kind}).text
