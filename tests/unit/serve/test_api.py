"""The JSON endpoints, against the library."""

from __future__ import annotations

import numpy as np
import pytest

TEXT = "I saw the man with a telescope. Stars fell."


def test_parse(client, english):
    assert client.post("/api/parse", {"text": TEXT}).json == english.model(TEXT).to_json()
    found = client.post("/api/parse", {"text": TEXT, "marginals": True}).json
    doc = english.model(TEXT, marginals=True)
    for sentence, wanted in zip(found["sentences"], doc.sentences, strict=True):
        marginals = np.zeros((len(wanted) + 1, len(wanted)))
        for word in sentence["words"]:
            assert word["heads"][0]["probability"] == max(head["probability"] for head in word["heads"])
            for head in word["heads"]:
                marginals[head["head"], word["id"] - 1] = head["probability"]
        assert marginals == pytest.approx(wanted.marginals[:, 1:], abs=2e-3)


def test_constraints(client):
    constraints = [{"word": 5, "head": 2}, {"word": 1, "label": "obj"}, {"sentence": 2, "word": 1, "root": True}]
    first, second = client.post("/api/parse", {"text": TEXT, "constraints": constraints}).json["sentences"]
    assert (first["words"][4]["head"], first["words"][0]["deprel"], second["words"][0]["head"]) == (2, "obj", 0)
    conflict = [{"word": 1, "head": 2}, {"word": 1, "not_head": 2}]
    found = client.post("/api/parse", {"text": TEXT, "constraints": conflict}).json["sentences"][0]
    assert (found["status"], sorted(found["conflict"])) == ("infeasible", ["word 1: Head=2", "word 1: NotHead=2"])


def test_tags_can_stay(client):
    rows = "1\tfish\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tfish\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"
    found = client.post("/api/parse", {"text": rows, "input": "conllu", "keep_tags": True, "model": "parser"}).json
    assert [word["upos"] for word in found["sentences"][0]["words"]] == ["NOUN", "VERB"]


def test_k_best(client, english):
    found = client.post("/api/k-best", {"text": TEXT, "k": 3}).json
    for sentence, wanted in zip(found["sentences"], english.model.k_best(TEXT, 3), strict=True):
        assert [tree["heads"] for tree in sentence["trees"]] == [tree.heads.tolist() for tree in wanted]
        assert [tree["score"] for tree in sentence["trees"]] == pytest.approx([tree.value for tree in wanted])


def test_explain(client, english):
    found = client.post("/api/explain", {"text": TEXT, "word": 5, "against": 2}).json
    assert found["difference"] == pytest.approx(english.model.explain(TEXT, 5, 2).difference)
    answer = client.post("/api/explain", {"text": TEXT, "word": 5, "sentence": 3})
    assert (answer.status, answer.json) == (400, {"error": "There are 2 sentences; sentence is 3."})


def test_evaluate(client, english):
    gold = english.model("Stars fell.").to_conllu()
    assert client.post("/api/evaluate", {"gold": gold, "system": gold}).json["LAS"]["f1"] == 1


def test_draw(client, english):
    found = client.post("/api/draw", {"text": "Stars <b>fell</b>."}).json["drawings"]
    assert found[0].startswith("<svg")
    assert "<b>" not in found[0]
    assert client.post("/api/draw", {"text": "Stars fell.", "format": "table"}).json["drawings"][0].count("\n") >= 3


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "The body must be a JSON object; got list."),
        ({}, "The field text is missing."),
        ({"text": 3}, "text expects a string; got '3'."),
        (
            {"text": "x", "x": 1},
            "There is no field 'x'; the fields are text, input, model, keep_tags,",
        ),
        ({"text": "x", "marginals": 1}, "marginals expects true or false; got '1'."),
        ({"text": "x", "input": "pdf"}, "input expects one of text, lines,"),
        ({"text": "x", "constraints": [{"word": 1}]}, "A constraint must be an object such as"),
        ({"text": "x", "constraints": [{"word": 9, "head": 1}]}, "a word of the sentence, 1 to 1"),
        ({"text": "x", "constraints": [{"sentence": 2, "word": 1, "head": 0}]}, "There are 1 sentences;"),
        ({"text": "x", "constraints": [{"word": 1, "label": "<script>"}]}, "a label that the model has"),
        ({"text": "x\ud800"}, "UTF-8"),
    ],
)
def test_errors(client, value, message):
    answer = client.post("/api/parse", value)
    assert answer.status == 400, answer.text
    assert message in answer.json["error"]


def test_limits_of_numbers(client):
    for k in (0, 101, True, "3"):
        assert "k expects a whole number, 1 to 100" in client.post("/api/k-best", {"text": "x", "k": k}).json["error"]


def test_bodies_that_are_no_json(client):
    for body in (b"{", b"\xff", b"[" * 50_000):
        answer = client.ask("POST", "/api/parse", body, {"Content-Type": "application/json"})
        assert (answer.status, "not JSON" in answer.json["error"]) == (400, True)
    answer = client.ask("POST", "/api/parse", b"{}", {"Content-Type": "text/plain"})
    assert (answer.status, "Content-Type: application/json" in answer.json["error"]) == (400, True)


def test_long_sentences_have_no_tree(client):
    found = client.post("/api/parse", {"text": " ".join(["star"] * 61), "input": "horizontal"}).json
    assert found["sentences"][0]["status"] == "too-long"
