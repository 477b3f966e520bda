"""Trees that are made of flows, and programs that are made as concise ones, against the factors they stand for."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ramify import Parser
from ramify.data import Sentence, read
from ramify.errors import InvalidInputError
from ramify.factors import SiblingFormulation, TreeFormulation
from ramify.inference import AD3, ILP, LP, Status
from ramify.parsing import Head
from ramify.trees.projectivity import is_tree
from support.models import num_right

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def sentences(sample):
    return list(read(sample))


def train(sentences, parts, **options):
    """Return a parser that has learned little and keeps every arc."""
    defaults = {"training.epochs": "1", "pruner.epochs": "1", "pruner.bits": "14", "model.parts": parts}
    defaults |= {"pruner.threshold": "0", "pruner.lengths": "false"}
    options = {key.replace("__", ".").replace("_", "-"): value for key, value in options.items()}
    return Parser.train(train=sentences[:50], preset="first", options={**defaults, **options})


def flows(parser):
    return parser.with_options({"model.tree": "flow"})


def trees_of(graph, num_words, single_root):
    """Every set of candidate arcs with one head a word, and whether it is a tree."""
    arcs = list(zip(graph.heads.tolist(), graph.modifiers.tolist(), strict=True))
    choices = [[a for a, (_, m) in enumerate(arcs) if m == word] for word in range(1, num_words + 1)]
    for chosen in itertools.product(*choices):
        heads = [-1, *(arcs[a][0] for a in chosen)]
        yield chosen, is_tree(heads) and (not single_root or heads.count(0) == 1)


@pytest.mark.parametrize("single_root", ["true", "false"])
@pytest.mark.parametrize("max_heads", ["10", "2"])
def test_flows_allow_trees_and_nothing_else(sentences, single_root, max_heads):
    """With few candidates there are arcs that no tree has."""
    parser = flows(train(sentences, "", model__single_root=single_root, pruner__max_heads=max_heads))
    seen = set()
    short = [Sentence(["I", "see", "them"], upos=["PRON", "VERB", "PRON"])]
    for sentence in short if max_heads == "10" else [s for s in sentences if len(s) == 4][:2]:
        graph = parser.factor_graph(sentence)
        for chosen, is_legal in trees_of(graph, len(sentence), single_root == "true"):
            evidence = {a: int(a in chosen) for a in range(len(graph.heads))}
            allowed = not np.isneginf(graph.scores[list(chosen)]).any()
            found = graph.graph.solve(ILP(), graph.scores, evidence=evidence) if allowed else None
            assert (found is not None and found.status is not Status.INFEASIBLE) == is_legal
            seen.add(is_legal)
    assert seen == {True, False}


@pytest.mark.parametrize("parts", ["sibling,grand", "any-sibling,grand,path,nonproj"])
def test_flows_find_the_same_trees_and_bounds(sentences, parts):
    parser = train(sentences, parts, pruner__max_heads="4")
    other = flows(parser)
    for sentence in [s for s in sentences[60:] if 4 <= len(s) <= 12][:12]:
        one, two = parser.parse(sentence), other.parse(sentence)
        assert one.certified
        assert two.certified
        assert two.value == pytest.approx(one.value, abs=1e-6)
        assert two.value == pytest.approx(parser.score(sentence, two.heads, two.labels), abs=1e-6)
        graph, flowing = parser.factor_graph(sentence), other.factor_graph(sentence)
        assert "Tree" not in {type(factor).__name__ for factor in flowing.graph.factors}
        hull = graph.solve(LP(tree=TreeFormulation.MULTI_COMMODITY)).bound
        assert flowing.solve(LP()).bound == pytest.approx(hull, abs=1e-5)
        assert flowing.solve(AD3(max_iterations=5000)).bound == pytest.approx(hull, abs=1e-3)


@pytest.mark.parametrize("method", ["ad3", "subgradient"])
def test_an_iteration_is_enough_for_a_tree(sentences, method):
    """Roundings of points that are far from integral."""
    parser = train(sentences, "sibling,grand,path", inference__method=method, inference__max_iterations="1")
    for result in flows(parser).parse(sentences[60:90]):
        assert is_tree([-1, *result.heads])
        assert result.value == pytest.approx(parser.score(result.sentence, result.heads, result.labels), abs=1e-6)
        assert result.bound >= result.value - 1e-9


def test_requests_are_answered_as_by_one_factor(sentences):
    parser = train(sentences, "sibling,grand")
    sentence = next(s for s in sentences[60:] if len(s) == 7)
    ours, theirs = flows(parser), parser
    constraint = Head(3, 7)
    assert ours.parse(sentence, constraints=[constraint]).heads[2] == 7
    for request in ({"k": 5}, {"marginals": True}, {"decoder": "mbr"}, {"constraints": [constraint]}):
        one, two = ours.parse(sentence, **request), theirs.parse(sentence, **request)
        assert one.heads.tolist() == two.heads.tolist()
        assert one.value == pytest.approx(two.value, abs=1e-6)
        if "k" in request:
            values = [[tree.value for tree in result.k_best] for result in (one, two)]
            np.testing.assert_allclose(*values, atol=1e-6)
        if "marginals" in request:
            np.testing.assert_allclose(one.marginals, two.marginals, atol=1e-9)


def test_models_learn_with_flows(sentences):
    options = {"model__tree": "flow", "inference__method": "ad3", "pruner__max_heads": "5"}
    parsers = [train(sentences, "sibling,path", **options, training__epochs=epochs) for epochs in ("1", "4")]
    assert num_right(parsers[1], sentences[:50]) > num_right(parsers[0], sentences[:50])


@pytest.mark.parametrize("parts", ["sibling,grand", "any-sibling,sibling,grand,valency,nonproj"])
def test_concise_programs_have_the_same_best_trees(sentences, parts):
    parser = train(sentences, parts, pruner__max_heads="4")
    programs = [
        parser.with_options({"inference.method": method}) for method in ("ilp", "concise-ilp", "lp", "concise-lp")
    ]
    looser = 0
    for sentence in [s for s in sentences[60:] if 4 <= len(s) <= 9][:10]:
        best, concise, hull, loose = (program.parse(sentence) for program in programs)
        assert best.certified
        assert concise.certified
        assert concise.value == pytest.approx(best.value, abs=1e-5)
        assert concise.value == pytest.approx(parser.score(sentence, concise.heads, concise.labels), abs=1e-6)
        assert loose.bound >= hull.bound - 1e-5
        looser += loose.bound > hull.bound + 1e-4
    assert looser > 0


def test_graphs_apart_have_the_same_values(sentences):
    parser = train(sentences, "any-sibling,sibling,grand,valency,nonproj", pruner__max_heads="4")
    sentence = next(s for s in sentences[60:] if len(s) == 6)
    joint, apart = parser.factor_graph(sentence), parser.factor_graph(sentence, apart=True)
    assert {type(factor).__name__ for factor in joint.graph.factors} >= {"GrandSiblings"}
    assert {type(factor).__name__ for factor in apart.graph.factors} >= {"ConsecutiveSiblings", "Pair", "XorOut"}
    values = [graph.solve(ILP()).value + graph.constant for graph in (joint, apart)]
    assert values[0] == pytest.approx(values[1], abs=1e-6)
    rows = ILP(tree=TreeFormulation.SINGLE_COMMODITY, siblings=SiblingFormulation.DYNAMIC)
    assert apart.solve(rows).value + apart.constant == pytest.approx(values[0], abs=1e-6)
    with pytest.raises(InvalidInputError, match="loose or apart, not both"):
        parser.factor_graph(sentence, loose=True, apart=True)


def test_one_word_has_one_tree(sentences):
    parser = flows(train(sentences, "sibling,grand"))
    assert parser.parse(Sentence(["Go"], upos=["VERB"])).heads.tolist() == [0]
