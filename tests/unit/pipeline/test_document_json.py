"""Documents as JSON: everything survives, the schema holds, and what is damaged is named."""

from __future__ import annotations

import copy
import importlib.resources
import json

import pytest

from ramify import viz
from ramify.data import EmptyNode, MultiwordToken, Sentence, read
from ramify.data.ranks import ranks_of_scores, set_rank
from ramify.errors import InvalidInputError, MissingModelError
from ramify.parsing import ParseStatus
from ramify.pipeline import Doc

TEXT = "  I like it.\n\nYou don't like them !  "


@pytest.fixture(scope="module")
def schema():
    return json.loads((importlib.resources.files("ramify.pipeline") / "document.schema.json").read_text("utf-8"))


def check(schema, value):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(value, schema)


def odd_sentence():
    return Sentence(
        ["_", "do", "n't", "\x9b"],
        upos=["X", "AUX", "PART", "_"],
        feats=["_", "Mood=Ind", "_", "_"],
        heads=[2, 0, 2, 0],
        deprels=["x", "root", "y", "root"],
        deps=["2:x", "0:root", "2:y", "_"],
        misc=["SpaceAfter=No", "_", "_", "_"],
        comments=["# sent_id = odd", "#anything"],
        multiword_tokens=[MultiwordToken(2, 3, "don't", misc="SpacesAfter=\\n")],
        empty_nodes=[EmptyNode(0, 1, "gone"), EmptyNode(4, 1, lemma="x", deps="2:conj")],
        multiple_roots=True,
    )


@pytest.mark.parametrize("probabilities", [False, True])
def test_documents_come_back(nlp, schema, probabilities):
    doc = nlp(TEXT)
    value = json.loads(json.dumps(doc.to_json(probabilities=probabilities)))
    check(schema, value)
    again = Doc.from_json(value)
    assert again.to_json(probabilities=probabilities) == value
    assert again.to_conllu() == doc.to_conllu()
    assert (again.text, again.language, repr(again)) == (doc.text, doc.language, repr(doc))
    assert [(t.start, t.end, t.whitespace) for t in again] == [(t.start, t.end, t.whitespace) for t in doc]
    if probabilities:
        assert [token.prob for token in again] == [token.prob for token in doc]
    else:
        with pytest.raises(MissingModelError, match="need the model that made it"):
            again[0].prob  # noqa: B018
    with pytest.raises(MissingModelError, match=r"Call doc\.attach"):
        again.sentences[0].k_best(2)


def test_sentences_without_trees_come_back(nlp, schema):
    value = nlp(TEXT, max_words=1).to_json()
    check(schema, value)
    assert value["sentences"][0]["status"] == "too-long"
    assert Doc.from_json(value).sentences[0].status is ParseStatus.TOO_LONG
    assert Doc.from_json(value).to_json() == value


def test_treebanks_come_back(sample, schema):
    sentences = [*list(read(sample))[:20], odd_sentence()]
    value = json.loads("".join(viz.write_drawings(iter(sentences), "json")))
    check(schema, value)
    assert value == viz.to_json(sentences)
    again = Doc.from_json(value)
    assert [sentence.sentence for sentence in again.sentences] == sentences
    whole = again.to_json()
    assert whole["sentences"] == value["sentences"]
    assert [whole["text"][s["start"] : s["end"]] for s in value["sentences"]] == [s["text"] for s in value["sentences"]]


def test_ranked_trees_share_their_place(schema):
    sentences = [Sentence(["a", "b"], heads=[0, 1], deprels=["root", "x"]) for _ in range(3)]
    for sentence, rank in zip(sentences, ranks_of_scores([2.0, 1.0]), strict=False):
        set_rank(sentence, rank)
    value = viz.to_json(sentences)
    check(schema, value)
    assert [sentence["start"] for sentence in value["sentences"]] == [0, 0, 4]
    assert [sentence.get("tree", {}).get("rank") for sentence in value["sentences"]] == [1, 2, None]


def _damage(value, path, new):
    *steps, last = path
    for step in steps:
        value = value[step]
    value[last] = new


@pytest.mark.parametrize(
    ("path", "new", "wanted"),
    [
        (("version",), 2, "expects version 1 of its format; got version 2"),
        (("version",), True, "a whole number as document.version; got True"),
        (("sentences",), None, "a list as document.sentences; got None"),
        (("language",), 3, "a string as document.language; got 3"),
        (("sentences", 0), [], r"an object as sentences\[0\]; got \[\]"),
        (("sentences", 0, "words"), [], r"at least one word as sentences\[0\].words"),
        (("sentences", 0, "words", 1, "head"), 99, r"0 to \d+ as sentences\[0\].words\[1\].head; got 99"),
        (("sentences", 0, "words", 1, "head"), "x", r"a whole number as sentences\[0\].words\[1\].head; got 'x'"),
        (("sentences", 0, "words", 1, "form"), "a\tb", r"cannot make a sentence of sentences\[0\]"),
        (("sentences", 0, "words", 1, "form"), None, r"a string as sentences\[0\].words\[1\].form"),
        (("sentences", 0, "words", 1, "end"), 10**9, r"0 to \d+ as sentences\[0\].words\[1\].end"),
        (("sentences", 0, "words", 1, "start"), None, r"characters of the text"),
        (("sentences", 0, "words", 1, "probability"), 1.5, r"a number from 0 to 1"),
        (("sentences", 0, "status"), "fine", "'infeasible' or 'too-long'"),
        (("sentences", 0, "comments"), ["no comment"], "cannot make a sentence"),
        (("sentences", 0, "comments"), [3], r"a string as sentences\[0\].comments\[0\]; got 3"),
        (("sentences", 0, "multiword_tokens"), [{"first": 1, "last": 99, "form": "x"}], "cannot make a sentence"),
        (("sentences", 0, "multiword_tokens"), [{"first": 1, "form": "x"}], r"multiword_tokens\[0\].last"),
        (("sentences", 0, "empty_nodes"), [{"after": 99, "index": 1, "form": "x"}], "cannot make a sentence"),
    ],
)
def test_damage_is_named(nlp, path, new, wanted):
    value = copy.deepcopy(nlp(TEXT).to_json(probabilities=True))
    _damage(value, path, new)
    with pytest.raises(InvalidInputError, match=wanted):
        Doc.from_json(value)


@pytest.mark.parametrize("value", [None, [], "text", {}, {"version": 1}])
def test_other_values_are_no_documents(value):
    with pytest.raises(InvalidInputError, match=r"Doc\.from_json expects"):
        Doc.from_json(value)
