"""The component for spaCy: the trees of the pipeline on spaCy's tokens."""

from __future__ import annotations

import importlib
import re

import pytest

spacy = pytest.importorskip("spacy")

import ramify.spacy  # noqa: E402
from ramify.errors import InvalidInputError  # noqa: E402

TEXT = "Dogs bark loudly. She saw the cat, didn't she?\n\n  He left. "


@pytest.fixture
def make(pipeline_model):
    def made(**config):
        nlp = spacy.blank("en")
        nlp.add_pipe("ramify", config={"model": str(pipeline_model)} | config)
        return nlp

    return made


def test_heads_labels_and_tags_are_those_of_the_pipeline(make, nlp):
    doc = make(probabilities=True)(TEXT)
    assert doc.text == TEXT
    assert len(list(doc.sents)) >= 2
    assert any(token.is_space for token in doc)
    for sentence in doc.sents:
        words = [token for token in sentence if not token.is_space]
        misc = ["_" if word.whitespace_ else "SpaceAfter=No" for word in words]
        given = ramify.Sentence([word.text for word in words], misc=misc)
        wanted = nlp.parse([given], marginals=True).sentences[0]
        for word, expected in zip(words, wanted, strict=True):
            head = word if expected.is_root else words[expected.head.id - 1]
            assert word.head == word._.ramify_head == head
            assert word._.ramify_label == expected.deprel
            assert word.dep_ == ("ROOT" if expected.is_root else expected.deprel)
            assert word.pos_ == word._.ramify_tag == expected.upos
            assert word.lemma_ == ("" if expected.lemma == "_" else expected.lemma)
            i = words.index(word) + 1
            assert word._.ramify_probability == float(wanted.marginals[wanted.heads[i - 1], i])


def test_sentences_that_the_document_has_stay(make):
    nlp = make()
    nlp.add_pipe("sentencizer", first=True)
    doc = nlp("One two. Three; four five")
    assert [sentence.text for sentence in doc.sents] == ["One two.", "Three; four five"]


def test_extensions_alone_change_nothing_else(make):
    doc = make(overwrite=False)("Dogs bark.")
    assert not doc.has_annotation("DEP")
    assert doc[0].pos_ == ""
    assert doc[0]._.ramify_head is not None
    assert doc[0]._.ramify_probability is None


def test_streams_blank_texts_and_saved_documents(make):
    nlp = make()
    texts = ["Dogs bark.", "", "  \n ", "\nShe saw it."]
    docs = list(nlp.pipe(texts, batch_size=2))
    assert [doc.text for doc in docs] == texts
    assert [token.head.i for token in docs[3]] == [token.head.i for token in nlp(texts[3])]
    again = spacy.tokens.Doc(nlp.vocab).from_bytes(docs[0].to_bytes())
    assert again._.ramify == docs[0]._.ramify
    assert again.to_json() == docs[0].to_json()


def test_a_sentence_without_a_tree_has_no_labels(make):
    doc = make()(" ".join(["word"] * 2001))
    assert {token.dep_ for token in doc} == {""}
    assert doc[5]._.ramify_head is None


def test_other_models_are_refused(make, model):
    with pytest.raises(InvalidInputError, match="component ramify of spaCy expects a pipeline"):
        make(model=str(model))


def test_the_entry_point_is_declared(pytestconfig):
    project = (pytestconfig.rootpath / "pyproject.toml").read_text(encoding="utf-8")
    module, name = re.search(r'spacy_factories\][^\n]*\nramify = "([\w.]+):(\w+)"', project).groups()
    assert getattr(importlib.import_module(module), name) is ramify.spacy.make_component
