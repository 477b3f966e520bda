"""Pipelines and documents cross process borders and give the same answers there."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import ramify
from ramify.errors import InvalidInputError, MissingModelError
from ramify.parsing import Head
from support.processes import words_and_heads

pytestmark = pytest.mark.engine

TEXT = "  I like it. You don't!\n\nIt is  what it is."
PROTOCOLS = [2, 3, 4, 5]


def again(value, protocol=5):
    return pickle.loads(pickle.dumps(value, protocol))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_pipelines(nlp, protocol):
    other = again(nlp, protocol)
    assert other.card == nlp.card
    assert other.facts == nlp.facts
    assert other(TEXT, marginals=True).to_json(probabilities=True) == nlp(TEXT).to_json(probabilities=True)


def test_copies_of_pipelines_share_their_components(nlp):
    for other in (copy.copy(nlp), copy.deepcopy(nlp)):
        assert other is not nlp
        assert other.parser is nlp.parser
        assert other.taggers["upos"] is nlp.taggers["upos"]
        assert other(TEXT).to_conllu() == nlp(TEXT).to_conllu()
    shallow = copy.deepcopy(nlp)
    shallow.taggers.clear()
    assert nlp.taggers


def test_options_of_inference_are_kept(pipeline_model):
    nlp = ramify.load(pipeline_model, options={"parser.inference.method": "exact"})
    assert again(nlp).parser.config == nlp.parser.config


def test_other_processes(nlp):
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(words_and_heads, nlp, TEXT).result() == words_and_heads(nlp, TEXT)
        (doc,) = pool.map(nlp, [TEXT])
    assert doc.to_conllu() == nlp(TEXT).to_conllu()


def test_joblib(nlp):
    joblib = pytest.importorskip("joblib")
    docs = joblib.Parallel(n_jobs=2, prefer="threads")(joblib.delayed(nlp)(text) for text in [TEXT, "Hi."])
    assert [doc.text for doc in docs] == [TEXT, "Hi."]
    assert joblib.hash(nlp) == joblib.hash(again(nlp))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_documents(nlp, protocol):
    doc = nlp(TEXT, marginals=True)
    other = again(doc, protocol)
    assert other.to_json(probabilities=True) == doc.to_json(probabilities=True)
    assert other.text == doc.text
    assert other.language == "en"
    np.testing.assert_array_equal(other.sentences[1].marginals, doc.sentences[1].marginals)
    assert other.sentences[0].status is doc.sentences[0].status
    assert other.svg() == doc.svg()


def test_views_of_one_document_stay_together(nlp):
    doc = nlp(TEXT)
    token, sentence, span, whole = again((doc[4], doc.sentences[1], doc[4:6], doc))
    assert token == whole[4] == span[0] == sentence[0]
    assert token.head.form == doc[4].head.form
    assert [t.form for t in token.sentence] == [t.form for t in doc.sentences[1]]
    assert again(doc[0]).doc.text == TEXT


def test_probabilities_that_are_known_are_kept(nlp):
    doc = nlp(TEXT)
    known = doc[0].prob
    other = again(doc)
    assert other[0].prob == known
    with pytest.raises(MissingModelError, match=r"Probabilities .* need the model .* doc\.attach\(nlp\)"):
        _ = other[-1].prob
    assert getattr(other.sentences[-1], "marginals", None) is None
    assert other.table()


def test_a_document_gets_its_model_back(nlp):
    doc = nlp("I like it.")
    other = again(doc)
    for ask in (lambda s: s.k_best(2), lambda s: s.explain(1), lambda s: s[0].k_best(2), lambda s: s[0].explain()):
        with pytest.raises(MissingModelError, match="this document has none"):
            ask(other.sentences[0])
    for model in (nlp, nlp.parser):
        attached = again(doc).attach(model)
        assert attached[0].prob == nlp("I like it.")[0].prob
        assert [t.value for t in attached.sentences[0].k_best(3)] == [t.value for t in doc.sentences[0].k_best(3)]
        assert attached[0].explain().difference == doc[0].explain().difference
    with pytest.raises(InvalidInputError, match=r"Doc\.attach expects a Pipeline or a Parser; got str"):
        other.attach("en")


def test_copies_of_documents_keep_the_model(nlp):
    doc = nlp(TEXT)
    for other in (copy.copy(doc), copy.deepcopy(doc)):
        assert other is not doc
        assert other.to_conllu() == doc.to_conllu()
        assert len(other.sentences[0].k_best(2)) == 2
    deep = copy.deepcopy(doc)
    deep.sentences[0].sentence.heads[:] = -1
    assert doc[0].head is not None
    token = copy.deepcopy(doc[3])
    assert token.doc is not doc
    assert token.prob == doc[3].prob


def test_constraints_are_kept(nlp):
    doc = again(nlp("I like it.", constraints=[Head(1, 3)]))
    assert doc.sentences[0].constraints == (Head(1, 3),)
    assert doc[0].head.form == "it"
