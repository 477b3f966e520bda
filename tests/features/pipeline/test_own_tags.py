"""Pipelines whose parser has a network that predicts the tags, too."""

from __future__ import annotations

import pickle
from importlib.util import find_spec

import pytest

import ramify
from ramify.data import read
from ramify.errors import InvalidInputError, ModelError
from ramify.learn.containers import checksum
from ramify.neural.tags import Advice
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
        assert sentence.heads.tolist() == result.heads.tolist()
        assert all(token.lemma != "_" for token in sentence)


def doc_sentences(nlp):
    return list(nlp.segmenter.segment(TEXT).sentences)


def test_constraints_see_tags(nlp):
    seen = []

    def constraints(sentence):
        seen.append(sentence.upos)
        return [Head(1, 2)]

    doc = nlp(TEXT, constraints=constraints)
    assert [sentence.heads[0] for sentence in doc.sentences] == [2, 2]
    assert all("_" not in tags for tags in seen)


def test_it_survives_files(nlp, tmp_path):
    nlp.save(tmp_path / "nlp.zip")
    other = Pipeline.load(tmp_path / "nlp.zip")
    assert other.components == ("segmenter", "lemma", "parser")
    assert other(TEXT).to_conllu() == nlp(TEXT).to_conllu()


@pytest.fixture(scope="module")
def advised(nlp):
    english = ramify.load("en")
    taggers = {name: english.taggers[name] for name in ("upos", "xpos", "lemma")}
    return Pipeline(nlp.segmenter, taggers, nlp.parser, language="en", tag_weight=20.0)


def test_taggers_advise_the_network(nlp, advised):
    sentences = doc_sentences(nlp)
    expected = [advised.taggers["upos"].tag(sentence).labels for sentence in sentences]
    tags = [result.sentence.upos for result in advised.annotate(sentences)]
    assert tags == expected  # the weight is large, so that the network has little to say
    assert tags != [result.sentence.upos for result in nlp.annotate(sentences)]
    doc = advised(TEXT)
    assert [tuple(token.upos for token in sentence) for sentence in doc.sentences] == tags


def test_a_pipeline_with_advice_survives_files(nlp, advised, tmp_path):
    advised.save(tmp_path / "nlp.zip")
    for other in (Pipeline.load(tmp_path / "nlp.zip"), pickle.loads(pickle.dumps(advised))):
        assert other.components == ("segmenter", "upos", "xpos", "lemma", "parser")
        assert other(TEXT).to_conllu() == advised(TEXT).to_conllu()
        assert other.parser.config.inference.keep_tags
        assert "advised by taggers with weight 20" in other.card
    assert "advised" not in nlp.card


def test_tags_are_kept_or_replaced(nlp, advised):
    sentence = doc_sentences(nlp)[0]
    network = nlp.parser.parse(sentence).sentence.upos
    assert advised.parser.parse(sentence).sentence.upos == network  # there were none
    sentence.upos = ["X"] * len(sentence)
    assert advised.parser.parse(sentence).sentence.upos == ("X",) * len(sentence)
    assert nlp.parser.parse(sentence).sentence.upos == network


def test_advice_that_does_not_fit_is_refused(nlp):
    english = ramify.load("en").taggers
    with pytest.raises(InvalidInputError, match=r"tag_weight above 0 if, and only if.*got 0\.0 for \['upos'\]"):
        Pipeline(nlp.segmenter, {"upos": english["upos"]}, nlp.parser)
    with pytest.raises(InvalidInputError, match=r"tag_weight above 0 if, and only if.*got 0\.5 for \[\]"):
        Pipeline(nlp.segmenter, dict(nlp.taggers), nlp.parser, tag_weight=0.5)
    with pytest.raises(InvalidInputError, match="read forms alone; that of feats reads form, upos"):
        Pipeline(nlp.segmenter, {"feats": english["feats"]}, nlp.parser, tag_weight=0.5)
    with pytest.raises(InvalidInputError, match=r"Parser\.tag expects advice on upos, xpos or feats"):
        nlp.parser.tag(doc_sentences(nlp), advice={"upos": Advice(("X",), [], 1.0)})


@pytest.mark.parametrize("weight", ["-1.0", "1e9", "nan", "true", '"much"', "1"])
def test_odd_weights_in_files_are_refused(advised, tmp_path, weight):
    advised.save(tmp_path / "nlp")
    file = tmp_path / "nlp" / "pipeline.toml"
    changed = file.read_text(encoding="utf-8").replace("tag-weight = 20.0", f"tag-weight = {weight}")
    file.write_text(changed, encoding="utf-8")
    sums = tmp_path / "nlp" / "SHA256SUMS"
    lines = [line for line in sums.read_text().splitlines(keepends=True) if "pipeline.toml" not in line]
    sums.write_text("".join([f"{checksum(changed.encode())}  pipeline.toml\n", *lines]))
    with pytest.raises(ModelError, match="tag-weight: expected a number from 0 to 100"):
        Pipeline.load(tmp_path / "nlp")


def test_options_of_advice():
    config = PipelineConfig.preset("neural")
    assert config.tag_weight == 0.5
    assert config.override({"tag-weight": "0.25"}).tag_weight == 0.25
    assert config.to_toml() != config.override({"tag-weight": 0.0}).to_toml()
    with pytest.raises(InvalidInputError, match="tag-weight expects a number at least 0 and at most 100"):
        config.override({"tag-weight": "-1"})


def test_other_parsers_need_tags(nlp, parser):
    with pytest.raises(InvalidInputError, match="Pipeline expects taggers of upos"):
        Pipeline(nlp.segmenter, dict(nlp.taggers), parser)


@pytest.mark.skipif(
    find_spec("torch") is None, reason="networks are trained with PyTorch: pip install 'ramify[neural]'"
)
def test_a_pipeline_trains_one_network(treebank_folder, tmp_path):
    options = {f"parser.{name}": value for name, value in (SMALL | OWN_TAGS).items()}
    options |= {"parser.training.epochs": 1, "parser.inference.temperature": 1.0, "parser.fitting.device": "cpu"}
    options |= {f"{name}.training.epochs": 1 for name in ("segmenter", "upos", "xpos", "lemma")}
    options |= {"parser.model.parts": ""}
    config = PipelineConfig.preset("neural").override(options)
    trained = Pipeline.train(treebank_folder, config=config, output=tmp_path / "model")
    assert trained.components == ("segmenter", "upos", "xpos", "lemma", "parser")
    alone = Pipeline.train(treebank_folder, config=config.override({"tag-weight": 0.0}), output=tmp_path / "alone")
    assert alone.components == ("segmenter", "lemma", "parser")
    assert {"UPOS", "XPOS", "UFeats", "Lemmas", "LAS"} <= set(trained.facts["gold-tokens"])
    assert "folds" not in trained.facts["training"]
    words = next(iter(read(next(treebank_folder.glob("*train.conllu")))))
    assert trained.parse([list(words.forms)]).sentences[0][0].upos != "_"
