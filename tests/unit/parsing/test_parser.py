"""Parsing from Python: results, streams, threads, odd sentences."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import ramify
from ramify import Parser
from ramify.data import Sentence, read
from ramify.errors import InvalidInputError
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Relax, Subgradient
from ramify.parsing import ModelState


@pytest.fixture(scope="module")
def sentences(sample):
    return list(read(sample))


def test_results_say_how_they_ended(parser, sentences):
    result = parser.parse(sentences[0])
    assert result.found
    assert result.heads.shape == (len(sentences[0]),)
    assert np.count_nonzero(result.heads == 0) == 1
    assert len(result.labels) == len(sentences[0])
    assert set(result.labels) <= set(parser.labels)
    assert result.certified
    assert math.isclose(result.value, result.bound, abs_tol=1e-6)
    assert result.iterations <= parser.config.inference.max_iterations
    assert "certified" in repr(result)


def test_sentences_stay_as_they_are(parser, sentences):
    blank = sentences[0].copy()
    blank.heads = [-1] * len(blank)
    blank.deprels = ["_"] * len(blank)
    before = blank.copy()
    result = parser.parse(blank)
    assert blank == before
    assert result.sentence.forms == blank.forms
    assert result.sentence.misc == blank.misc
    assert result.sentence.comments == blank.comments


def test_heads_of_the_input_do_not_matter(parser, sentences):
    blank = sentences[5].copy()
    blank.heads = [-1] * len(blank)
    blank.deprels = ["_"] * len(blank)
    flat = sentences[5].copy()
    flat.heads = [0] + [1] * (len(flat) - 1)
    assert parser.parse(flat).sentence == parser.parse(blank).sentence


def test_one_thread_equals_four(parser, sentences):
    one, four = parser.parse(sentences, threads=1), parser.parse(sentences, threads=4)
    assert [a.sentence for a in one] == [b.sentence for b in four]
    assert [a.value for a in one] == [b.value for b in four]


@pytest.mark.parametrize("batch_size", [1, 7, 1000])
def test_pipes_keep_order(parser, sentences, batch_size):
    piped = parser.pipe(iter(sentences), batch_size=batch_size, threads=2)
    assert [a.sentence for a in piped] == [b.sentence for b in parser.parse(sentences)]


def test_pipes_do_not_read_ahead_more_than_a_batch(parser, sentences):
    taken = itertools.count()
    endless = (sentences[0] for _ in taken)
    for _ in zip(range(10), parser.pipe(endless, batch_size=4), strict=False):
        pass
    assert next(taken) == 12


def test_pipes_can_fill_in_the_sentences_themselves(parser, sentences):
    mine = [sentence.copy() for sentence in sentences[:5]]
    for sentence in mine:
        sentence.heads = [-1] * len(sentence)
    results = list(parser.pipe(mine, copy=False))
    assert all(result.sentence is sentence for result, sentence in zip(results, mine, strict=True))
    assert (mine[0].heads >= 0).all()


def test_words_and_tags_never_seen(parser):
    strange = Sentence(
        ["Ärger", "☃", "x" * 5000, "日本"], upos=["ZZZ", "_", "NOUN", "_"], feats=["_", "A=|=B", "_", "_"]
    )
    result = parser.parse(strange)
    assert np.count_nonzero(result.heads == 0) == 1


def test_one_word(parser):
    assert parser.parse(Sentence(["Hi"])).heads.tolist() == [0]


def test_no_sentences(parser):
    assert parser.parse([]) == []
    assert list(parser.pipe([])) == []


def test_conllx(parser, samples):
    sentences = list(read(samples / "treebanks" / "da_cdt-sample.conll"))
    for sentence, result in zip(sentences, parser.parse(sentences), strict=True):
        assert result.sentence.format == "conllx"
        assert result.sentence.forms == sentence.forms


def test_multiword_tokens_and_empty_nodes_survive(parser, samples):
    for sentence in read(samples / "treebanks" / "en_ewt-sample.conllu"):
        parsed = parser.parse(sentence).sentence
        assert parsed.multiword_tokens == sentence.multiword_tokens
        assert parsed.empty_nodes == sentence.empty_nodes


@pytest.mark.parametrize("wrong", ["a sentence", ["a", "sentence"], [1]])
def test_only_sentences_are_parsed(parser, wrong):
    with pytest.raises(InvalidInputError, match="Parser expects sentences"):
        parser.parse(wrong)


def test_arguments_are_checked(parser, sentences):
    with pytest.raises(InvalidInputError, match="threads expects"):
        parser.parse(sentences, threads=-1)
    with pytest.raises(InvalidInputError, match="batch_size to be a whole number, 1 or more; got 0"):
        parser.pipe(sentences, batch_size=0)


def test_the_package_offers_the_parser():
    assert ramify.Parser is Parser
    with pytest.raises(AttributeError, match="no attribute 'Oracle'"):
        _ = ramify.Oracle


def test_repr_tells_the_parts(parser):
    assert repr(parser).startswith("<Parser: arc, sibling, grand; ")


# -- methods of ramify.inference ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (AD3(max_iterations=77, penalty=0.25), {"method": "ad3", "max_iterations": 77, "penalty": 0.25}),
        (AD3(exact=True, max_nodes=9), {"method": "exact", "max_nodes": 9}),
        (BeliefPropagation(max_iterations=7), {"method": "belief-propagation", "bp_iterations": 7}),
        (Relax(gain=0.5, max_rounds=3), {"method": "relax", "relax_gain": 0.5, "relax_rounds": 3}),
        (Subgradient(max_iterations=5), {"method": "subgradient", "max_iterations": 5}),
        (LP(time_limit=3.0), {"method": "lp", "time_limit": 3.0}),
        (ILP(), {"method": "ilp"}),
    ],
)
def test_inference_methods(parser, method, expected):
    changed = parser.with_options(inference=method)
    found = changed.config.inference
    assert {name: getattr(found, name) for name in expected} == expected
    assert (found.temperature, found.curve) == (parser.config.inference.temperature, parser.config.inference.curve)
    assert found.temperature > 0  # it was fitted on dev


def test_inference_methods_everywhere(parser, sample, tmp_path):
    method = AD3(max_iterations=77)
    parser.save(tmp_path / "model")
    loaded = Parser.load(tmp_path / "model", inference=method, options={"inference.tolerance": 0.5})
    assert (loaded.config.inference.max_iterations, loaded.config.inference.tolerance) == (77, 0.5)
    options = {"training.epochs": 1, "pruner.bits": 10, "model.parts": ["sibling"], "pruner.lengths": False}
    trained = Parser.train(sample, preset="first", inference=method, options=options)
    assert trained.config.inference.max_iterations == 77
    assert [part.value for part in trained.config.model.parts] == ["sibling"]
    with pytest.raises(InvalidInputError, match=r"A parser expects as its method AD3, .*; got 'ad3'"):
        parser.with_options(inference="ad3")
    with pytest.raises(InvalidInputError, match=r"training.epochs expects a whole number, 1 to 100000; got 2\.5"):
        Parser.train(sample, options={"training.epochs": 2.5})


def test_a_model_is_built_once(parser, tmp_path, monkeypatch):
    parser.save(tmp_path / "model")
    built = []
    build = ModelState.build
    monkeypatch.setattr(ModelState, "build", lambda state: built.append(state) or build(state))
    Parser.load(tmp_path / "model", options={"inference.tolerance": 0.5}, inference=AD3())
    assert len(built) == 1
