"""What a caller may ask for besides the best tree: constraints, probabilities, further trees, other trees."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import numpy as np
import pytest

from ramify import Parser
from ramify.data import Sentence, read
from ramify.errors import InvalidInputError
from ramify.parsing import Head, Label, NotHead, ParseResult, ParseStatus, Root
from ramify.trees.projectivity import is_projective

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def sentences(sample):
    return [sentence for sentence in read(sample) if len(sentence) >= 6][:40]


@pytest.fixture(scope="module")
def several_roots(sample):
    """A parser that may give several roots."""
    return Parser.train(
        train=sample,
        preset="first",
        options={"training.epochs": "1", "model.single-root": "false", "pruner.bits": "16"},
    )


# -- constraints -------------------------------------------------------------------------------------------------------


def test_heads_are_honoured(parser, sentences):
    """Any tree can be forced, arc by arc, also one that the pruner would never leave."""
    rng = np.random.default_rng(1)
    for sentence in sentences:
        order = rng.permutation(len(sentence)) + 1
        heads = {int(order[0]): 0} | {int(word): int(rng.choice(order[:i])) for i, word in enumerate(order) if i}
        result = parser.parse(sentence, constraints=[Head(word, head) for word, head in heads.items()])
        assert dict(enumerate(result.heads.tolist(), 1)) == heads


def test_one_head_and_the_rest_follows(parser, sentences):
    rng = np.random.default_rng(2)
    for sentence in sentences:
        word = int(rng.integers(1, len(sentence) + 1))
        free = parser.parse(sentence)
        taken = int(free.heads[word - 1])
        forbidden = parser.parse(sentence, constraints=[NotHead(word, taken)])
        assert forbidden.heads[word - 1] != taken
        assert forbidden.found


def test_labels_are_honoured(parser, sentences):
    for i, sentence in enumerate(sentences):
        label = parser.labels[i % len(parser.labels)]
        assert parser.parse(sentence, constraints=[Label(3, label)]).labels[2] == label


def test_roots_are_honoured(parser, several_roots, sentences):
    for sentence in sentences:
        for model in (parser, several_roots):
            heads = model.parse(sentence, constraints=[Root(2)]).heads
            assert np.flatnonzero(heads == 0).tolist() == [1]


def test_constraints_go_with_their_sentences(parser, sentences):
    constraints = [[] if i % 3 else [Root(1)] for i in range(len(sentences))]
    expected = [parser.parse(s, constraints=c).sentence for s, c in zip(sentences, constraints, strict=True)]
    assert [r.sentence for r in parser.parse(sentences, constraints=constraints, threads=3)] == expected
    assert [r.sentence for r in parser.pipe(sentences, constraints=iter(constraints), batch_size=7)] == expected


@pytest.mark.parametrize(
    ("constraints", "conflict"),
    [
        ([NotHead(4, 1), Root(1), Head(1, 2), Label(3, "obj")], {Root(1), Head(1, 2)}),
        ([Head(1, 2), Head(2, 3), Label(1, "obj"), Head(3, 1)], {Head(1, 2), Head(2, 3), Head(3, 1)}),
        ([Label(2, "obj"), Label(2, "nsubj")], {Label(2, "obj"), Label(2, "nsubj")}),
        ([Root(1), Root(2)], {Root(1), Root(2)}),
    ],
)
def test_conflicts_are_named(parser, several_roots, sentences, constraints, conflict):
    for model in (parser, several_roots):
        result = model.parse(sentences[0], constraints=constraints)
        assert result.status is ParseStatus.INFEASIBLE
        assert not result.found
        assert set(result.conflict) == conflict
        assert (result.heads == -1).all()
        assert set(result.labels) == {"_"}
        assert "infeasible" in repr(result)


def test_a_conflict_stays_with_its_sentence(parser, sentences):
    constraints = [[], [Root(1), Root(2)], []]
    results = parser.parse(sentences[:3], constraints=constraints)
    assert [result.found for result in results] == [True, False, True]


def test_constraints_are_counted_and_checked(parser, sentences):
    with pytest.raises(InvalidInputError, match="constraints for each of 2 sentences; got 1 lists"):
        parser.parse(sentences[:2], constraints=[[Root(1)]])
    with pytest.raises(InvalidInputError, match="as many lists of constraints as sentences; got more"):
        list(parser.pipe(sentences[:1], constraints=[[], []]))
    with pytest.raises(InvalidInputError, match="a word of the sentence, 1 to "):
        parser.parse(sentences[0], constraints=[Root(1000)])


# -- probabilities -----------------------------------------------------------------------------------------------------


def test_probabilities_of_heads_sum_to_one(parser, several_roots, sentences):
    for model, tolerance in ((parser, 0.02), (several_roots, 1e-9)):  # belief propagation stops at a tolerance
        for sentence, result in zip(sentences, model.parse(sentences, marginals=True), strict=True):
            assert result.marginals.shape == (len(sentence) + 1, len(sentence) + 1)
            np.testing.assert_allclose(result.marginals[:, 1:].sum(axis=0), 1.0, atol=tolerance)
            assert (result.marginals >= 0).all()
            assert not result.marginals[:, 0].any()
            arcs = result.marginals[result.heads, np.arange(1, len(sentence) + 1)]
            np.testing.assert_array_equal(result.probabilities, arcs)


def test_constraints_make_certain(parser, sentences):
    result = parser.parse(sentences[0], constraints=[Root(2)], marginals=True)
    assert result.marginals[0, 2] == pytest.approx(1.0, abs=1e-6)


def test_probabilities_only_on_request(parser, sentences):
    result = parser.parse(sentences[0])
    assert result.marginals is None
    assert result.probabilities is None
    assert result.k_best == []


def test_the_expected_tree_has_the_most_likely_arcs(several_roots, sentences):
    best = several_roots.parse(sentences, marginals=True)
    expected = several_roots.parse(sentences, marginals=True, decoder="mbr")
    for one, other in zip(best, expected, strict=True):
        assert other.probabilities.sum() >= one.probabilities.sum() - 1e-9
        assert other.value <= one.value + 1e-9


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_results_cross_process_borders(parser, sentences, protocol):
    result = parser.parse(sentences[0], marginals=True, k=3, constraints=[NotHead(1, 0)])
    for other in (pickle.loads(pickle.dumps(result, protocol)), copy.copy(result), copy.deepcopy(result)):
        assert other.sentence == result.sentence
        assert (other.status, other.value, other.bound, other.certified) == (
            result.status,
            result.value,
            result.bound,
            result.certified,
        )
        np.testing.assert_array_equal(other.marginals, result.marginals)
        assert [(t.heads.tolist(), t.labels, t.value) for t in other.k_best] == [
            (t.heads.tolist(), t.labels, t.value) for t in result.k_best
        ]
        assert other.constraints == (NotHead(1, 0),)
        assert repr(other) == repr(result)
    failed = parser.parse(sentences[0], constraints=[Head(1, 2), Head(2, 1)])
    assert pickle.loads(pickle.dumps(failed, protocol)).conflict == failed.conflict != []


def test_trees_that_no_parser_made(sentences):
    result = ParseResult.of_sentence(sentences[0])
    assert (result.found, result.status, result.marginals, result.k_best) == (True, ParseStatus.PARSED, None, [])
    assert np.isnan(result.value)
    unparsed = ParseResult.of_sentence(Sentence(["Hi"]))
    assert (unparsed.found, unparsed.status) == (False, ParseStatus.UNPARSED)
    assert repr(unparsed) == "<ParseResult of 1 words: unparsed>"


# -- further trees -----------------------------------------------------------------------------------------------------


def test_k_best_trees(parser, sentences, tmp_path):
    parser.save(tmp_path / "model")
    wide = Parser.load(tmp_path / "model", options={"pruner.threshold": "0.0001"})
    for sentence in sentences[:10]:
        result = wide.parse(sentence, k=5)
        values = [tree.value for tree in result.k_best]
        assert values == sorted(values, reverse=True)
        assert values[0] == pytest.approx(result.value)
        assert result.k_best[0].heads.tolist() == result.heads.tolist()
        assert result.k_best[0].labels == result.labels
        assert len({tuple(tree.heads.tolist()) for tree in result.k_best}) == len(values) == 5


def test_trees_that_nobody_certified_are_sorted_too(parser, sentences):
    hasty = parser.with_options({"inference.method": "ad3", "inference.max-iterations": "1"})
    results = hasty.parse(sentences, k=8)
    assert not all(result.certified for result in results)
    for result in results:
        values = [tree.value for tree in result.k_best]
        assert values == sorted(values, reverse=True)


def test_a_sharper_pruner_leaves_fewer_trees(parser, sentences, tmp_path):
    parser.save(tmp_path / "model")
    sharp = Parser.load(tmp_path / "model", options={"pruner.max-heads": "1"})
    assert all(len(result.k_best) <= 2 for result in sharp.parse(sentences[:10], k=5))
    assert any(len(result.k_best) > 2 for result in parser.parse(sentences[:10], k=5))


def test_fewer_trees_than_asked_for(parser):
    result = parser.parse(Sentence(["Hi", "you"], upos=["INTJ", "PRON"]), k=10)
    assert 1 <= len(result.k_best) <= 2


def test_projective_trees(parser, sentences):
    for result in parser.parse(sentences, projective=True):
        assert is_projective(np.concatenate(([-1], result.heads)))


def test_a_projective_tree_survives_any_pruner(sample):
    """A pruner of 256 weights that leaves one head a word beside its best tree, which crosses itself if it may."""
    options = {"training.epochs": "1", "pruner.bits": "8", "pruner.max-heads": "1", "pruner.epochs": "1"}
    parser = Parser.train(train=sample, preset="first", options=options)
    sentences = [sentence for sentence in read(sample) if len(sentence) > 10]
    free = [is_projective(np.concatenate(([-1], result.heads))) for result in parser.parse(sentences)]
    assert not all(free)
    for result in parser.parse(sentences, projective=True):
        assert result.found
        assert is_projective(np.concatenate(([-1], result.heads)))


# -- limits ------------------------------------------------------------------------------------------------------------


def test_long_sentences_are_refused(parser, sentences):
    result = parser.parse(sentences[0], max_words=5)
    assert result.status is ParseStatus.TOO_LONG
    assert (result.heads == -1).all()
    assert parser.parse(sentences[0], max_words=0).found


def test_a_time_limit_still_gives_a_tree(parser, sentences):
    for result in parser.parse(sentences, time_limit=1e-9):
        assert np.count_nonzero(result.heads == 0) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "expects k to be a whole number, 1 to 100000; got 0"),
        ({"k": 1.5}, "expects k to be"),
        ({"max_words": -1}, "expects max_words to be"),
        ({"time_limit": 0}, "expects a time_limit above 0 seconds; got 0"),
        ({"time_limit": float("nan")}, "expects a time_limit"),
        ({"decoder": "best"}, "decoder to be one of 'map', 'mbr'; got 'best'"),
    ],
)
def test_requests_are_checked(parser, sentences, options, message):
    with pytest.raises(InvalidInputError, match=message):
        parser.parse(sentences[0], **options)
    with pytest.raises(InvalidInputError, match=message):
        parser.pipe(sentences, **options)


# -- scores and graphs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [lambda p, s: p.factor_graph(s), lambda p, s: p.score(s, [0], ["root"])])
@pytest.mark.parametrize("wrong", ["x", None, ["x"]])
def test_only_sentences_have_scores_and_graphs(parser, call, wrong):
    with pytest.raises(InvalidInputError, match=r"Parser expects sentences \(ramify.data.Sentence\); got"):
        call(parser, wrong)


@pytest.mark.parametrize("parts", ["", "sibling,grand", "grand-sibling,head-bigram"])
@pytest.mark.parametrize("loose", [False, True])
@pytest.mark.parametrize("projective", [False, True])
def test_a_sentence_without_trees_has_no_graph(parser, sentences, parts, loose, projective):
    """Weights out of bounds, which no file brings in, forbid all arcs."""
    state = parser._state
    pruner = np.full_like(state.weights.pruner, -1)
    weights = dataclasses.replace(state.weights, pruner=pruner, pruner_scale=np.inf)
    config = state.config.override({"model.parts": parts})
    without = Parser(dataclasses.replace(state, weights=weights, config=config))
    assert without.parse(sentences[0]).status is ParseStatus.INFEASIBLE
    with pytest.raises(InvalidInputError, match="factor_graph expects a sentence that has a tree; all arcs of this"):
        without.factor_graph(sentences[0], loose=loose, projective=projective)


@pytest.mark.parametrize(
    ("heads", "labels", "message"),
    [
        ([0], ["root"] * 2, "a head and a label for each of 2 words; got 1 heads and 2 labels"),
        ([0, 1], ["root", "verb"], "labels of the model; got 'verb'"),
        ([0, 3], ["root"] * 2, "heads that make a tree, whole numbers from 0 to 2 without a cycle; got"),
        ([0, -1], ["root"] * 2, "heads that make a tree"),
        ([2, 1], ["root"] * 2, "heads that make a tree"),
        ([0, 2], ["root"] * 2, "heads that make a tree"),
        ([0, 1.5], ["root"] * 2, "heads that make a tree"),
        ([0, 1 << 32], ["root"] * 2, "heads that make a tree"),
    ],
)
def test_only_trees_have_scores(parser, heads, labels, message):
    sentence = Sentence(["Hi", "you"], upos=["INTJ", "PRON"])
    assert np.isfinite(parser.score(sentence, [0, 1], ["root", "root"]))
    with pytest.raises(InvalidInputError, match=message):
        parser.score(sentence, heads, labels)
