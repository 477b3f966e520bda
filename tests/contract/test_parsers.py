"""What every parser promises, wherever the scores of its parts come from: weights of features, or a network."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

from oracles.trees import all_trees
from ramify import Parser
from ramify.data import Sentence, read
from ramify.errors import InvalidInputError
from ramify.inference import AD3
from ramify.parsing import Head, Label, NotHead, Root
from support.networks import OWN_TAGS, random_parser

UNPRUNED = {"pruner.threshold": 0.0, "pruner.max-heads": 100, "pruner.lengths": False}
FIRST = {"model.parts": "", "network.rank": 0}


@pytest.fixture(scope="module", params=["linear", "neural", "neural first order", "neural with own tags"])
def parser(request, sample):
    if request.param == "linear":
        return request.getfixturevalue("linear")
    more = {"neural first order": FIRST, "neural with own tags": OWN_TAGS}
    return random_parser(sample, more.get(request.param))


@pytest.fixture(scope="module")
def linear(sample):
    options = {"training.epochs": "1", "pruner.bits": "14", "pruner.epochs": "1", "model.parts": "any-sibling,grand"}
    return Parser.train(train=list(read(sample))[:60], preset="first", options=options)


@pytest.fixture(scope="module")
def sentences(sample):
    return [sentence for sentence in read(sample) if 3 <= len(sentence) <= 12][:12]


def labels_of(result):
    return [str(label) for label in result.labels]


def test_the_value_is_the_sum_of_the_parts(parser, sentences):
    for result in parser.parse(sentences):
        value = parser.score(result.sentence, result.heads.tolist(), labels_of(result))
        assert value == pytest.approx(result.value, abs=1e-6)


def test_the_best_tree_of_all_is_found(parser, sentences):
    free = parser.with_options(UNPRUNED)
    for sentence in [s for s in sentences if len(s) == 3 or len(s) == 4][:3]:
        n = len(sentence)
        best = -math.inf
        for heads in all_trees(n, True):
            known = [Head(m, int(heads[m])) for m in range(1, n + 1)]
            forced = free.parse(sentence, constraints=known)
            np.testing.assert_array_equal(forced.heads, heads[1:])
            best = max(best, forced.value)
        result = free.parse(sentence)
        assert result.certified
        assert result.value == pytest.approx(best, abs=1e-6)
        assert result.bound == pytest.approx(best, abs=1e-4)


def test_threads_and_batches_change_nothing(parser, sentences):
    together = parser.parse(sentences, threads=2, marginals=True)
    for sentence, result in zip(sentences, together, strict=True):
        alone = parser.parse(sentence, marginals=True)
        np.testing.assert_array_equal(alone.heads, result.heads)
        assert alone.labels == result.labels
        np.testing.assert_array_equal(alone.marginals, result.marginals)


def test_constraints_hold(parser, sentences):
    for sentence in sentences:
        result = parser.parse(sentence)
        word = len(sentence)
        head = next(h for h in range(1, word) if h != result.heads[word - 1])
        assert parser.parse(sentence, constraints=[Head(word, head)]).heads[word - 1] == head
        assert (
            parser.parse(sentence, constraints=[NotHead(word, int(result.heads[word - 1]))]).heads[word - 1]
            != (result.heads[word - 1])
        )
        assert parser.parse(sentence, constraints=[Root(1)]).heads[0] == 0
        other = next(label for label in parser.labels if label != result.labels[0])
        assert parser.parse(sentence, constraints=[Label(1, other)]).labels[0] == other


def test_constraints_without_a_tree_are_named(parser, sentences):
    result = parser.parse(sentences[0], constraints=[Head(1, 2), Head(2, 1)])
    assert not result.found
    assert len(result.conflict) == 2


def test_the_best_trees_come_in_order(parser, sentences):
    for result in parser.parse(sentences[:5], k=4):
        values = [tree.value for tree in result.k_best]
        assert values == sorted(values, reverse=True)
        assert values[0] == pytest.approx(result.value)
        assert len({tuple(tree.heads.tolist()) for tree in result.k_best}) == len(values)


def test_heads_of_a_word_share_one(parser, sentences):
    for result in parser.parse(sentences, marginals=True):
        np.testing.assert_allclose(result.marginals[:, 1:].sum(0), 1.0, atol=1e-3)
    trees = parser.parse(sentences, decoder="mbr")
    assert all((result.heads == 0).sum() == 1 for result in trees)


def test_projective_trees_are_projective(parser, sentences):
    for result in parser.parse(sentences, projective=True):
        for m, h in enumerate(result.heads.tolist(), 1):
            inside = range(min(m, h) + 1, max(m, h))
            assert all(min(m, h) <= result.heads[w - 1] <= max(m, h) for w in inside)


def test_any_method_solves_the_graph(parser, sentences):
    for sentence in sentences[:4]:
        graph = parser.factor_graph(sentence)
        result = parser.parse(sentence)
        solved = graph.graph.solve(AD3(max_iterations=2000), graph.scores)
        assert solved.bound + graph.constant >= result.value - 1e-4


def test_explanations_add_up(parser, sentences):
    sentence = sentences[1]
    found = parser.explain(sentence, 2)
    assert found.rival is not None
    assert sum(found.by_kind().values()) == pytest.approx(found.difference, abs=1e-6)
    for part in found.chosen.parts:
        assert part.score == pytest.approx(sum(feature.weight for feature in part.features), abs=1e-9)
    assert found.text()


def test_models_survive_files_and_pickles(parser, sentences, tmp_path):
    parser.save(tmp_path / "model.zip")
    expected = parser.parse(sentences)
    for other in (Parser.load(tmp_path / "model.zip"), pickle.loads(pickle.dumps(parser))):
        for a, b in zip(other.parse(sentences), expected, strict=True):
            np.testing.assert_array_equal(a.heads, b.heads)
            assert a.value == b.value
    assert str(len(parser.labels)) in repr(parser)


def test_own_tags_are_written_and_the_given_ones_ignored(sample, sentences):
    parser = random_parser(sample, OWN_TAGS)
    bare = [Sentence(list(sentence.forms)) for sentence in sentences]
    for a, b in zip(parser.parse(bare), parser.parse(sentences), strict=True):
        np.testing.assert_array_equal(a.heads, b.heads)
        assert a.sentence.upos == b.sentence.upos
        assert "_" not in a.sentence.upos
    parser.tag(bare)
    assert bare[0].upos == parser.parse(sentences[0]).sentence.upos


def test_parsers_that_read_tags_do_not_predict_them(linear, sentences):
    with pytest.raises(InvalidInputError, match=r"Parser\.tag expects a parser whose network predicts tags"):
        linear.tag(sentences)


def test_long_sentences_and_none(parser):
    assert parser.parse([]) == []
    long = Sentence(["word"] * 120, upos=["NOUN"] * 120)
    assert len(parser.parse(long, time_limit=0.2).heads) == 120
    assert not parser.parse(long, max_words=100).found
