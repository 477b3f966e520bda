"""Pipelines whose parser has a network that predicts the tags, too."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

import ramify
from ramify.data import read
from ramify.errors import InvalidInputError
from ramify.parsing import Head
from ramify.pipeline import Pipeline, PipelineConfig
from support.networks import OWN_TAGS, SMALL, random_parser

TEXT = "I saw it. She did not."


@pytest.fixture(scope="module")
def nlp(sample):
    english = ramify.load("en")
    parser = random_parser(sample, OWN_TAGS)
    return Pipeline(english.segmenter, {"lemma": english.taggers["lemma"]}, parser, language="en")


def test_tags_come_from_the_network(nlp):
    doc = nlp(TEXT)
    alone = nlp.parser.parse([result.sentence for result in nlp.annotate(doc_sentences(nlp))])
    for sentence, result in zip(doc.sentences, alone, strict=True):
        assert [token.upos for token in sentence] == list(result.sentence.upos)
        assert [token.head for token in sentence] == result.heads.tolist()
        assert all(token.lemma != "_" for token in sentence)


def doc_sentences(nlp):
    return list(nlp.segmenter.segment(TEXT).sentences)


def test_constraints_see_tags(nlp):
    seen = []

    def constraints(sentence):
        seen.append(sentence.upos)
        return [Head(1, 2)]

    doc = nlp(TEXT, constraints=constraints)
    assert [sentence[0].head for sentence in doc.sentences] == [2, 2]
    assert all("_" not in tags for tags in seen)


def test_it_survives_files(nlp, tmp_path):
    nlp.save(tmp_path / "nlp.zip")
    other = Pipeline.load(tmp_path / "nlp.zip")
    assert other.components == ("segmenter", "lemma", "parser")
    assert other(TEXT).to_conllu() == nlp(TEXT).to_conllu()


def test_other_parsers_need_tags(nlp, parser):
    with pytest.raises(InvalidInputError, match="Pipeline expects taggers of upos"):
        Pipeline(nlp.segmenter, dict(nlp.taggers), parser)


@pytest.mark.skipif(find_spec("torch") is None, reason="networks are trained with PyTorch: pip install 'ramify[neural]'")
def test_a_pipeline_trains_one_network(treebank_folder, tmp_path):
    options = {f"parser.{name}": value for name, value in (SMALL | OWN_TAGS).items()}
    options |= {"parser.training.epochs": 1, "parser.inference.temperature": 1.0, "parser.fitting.device": "cpu"}
    options |= {"segmenter.training.epochs": 1, "lemma.training.epochs": 1}
    config = PipelineConfig.preset("neural").override(options)
    trained = Pipeline.train(treebank_folder, config=config, output=tmp_path / "model")
    assert trained.components == ("segmenter", "lemma", "parser")
    assert {"UPOS", "XPOS", "UFeats", "Lemmas", "LAS"} <= set(trained.facts["gold-tokens"])
    assert "folds" not in trained.facts["training"]
    words = next(iter(read(next(treebank_folder.glob("*train.conllu")))))
    assert trained.parse([list(words.forms)]).sentences[0][0].upos != "_"
