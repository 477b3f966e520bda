"""What the parser's inference finds is checked by other routes: part by part, by HiGHS, by dynamic programs."""

import pickle

import numpy as np
import pytest

from ramify import Parser, factors
from ramify.data import read
from ramify.errors import InvalidInputError
from ramify.graph_files import load_graph, save_graph
from ramify.inference import (
    AD3,
    ILP,
    LP,
    BeliefPropagation,
    Relax,
    SparseMAP,
    Status,
    Subgradient,
    explain_infeasibility,
)
from ramify.trees import projective, projectivity

THIRD = "sibling,grand,grand-sibling,tri-sibling"


@pytest.fixture(scope="module")
def sentences(sample):
    return list(read(sample))


@pytest.fixture(scope="module")
def parsers(sentences):
    """Parsers that have learned little, so that their problems are hard."""

    def train(parts, tree="nonprojective"):
        options = {"training.epochs": "1", "pruner.epochs": "1", "pruner.bits": "14", "model.parts": parts}
        return Parser.train(
            train=sentences[:60], preset="first", options={**options, "model.tree": tree, "pruner.threshold": "1e-5"}
        )

    made = {}
    return lambda *key: made.setdefault(key, None) or made.update({key: train(*key)}) or made[key]


WITH_PATHS = ["path", "nonproj", "path,nonproj", "sibling,grand,any-sibling,head-bigram,valency,path,nonproj"]
LOCAL = [
    "",
    "sibling",
    "sibling,grand",
    THIRD,
    "sibling,grand,any-sibling,head-bigram",
    "grand",
    "grand,no-cross",
    "valency",
    "sibling,valency",
]


@pytest.fixture(params=[*LOCAL, *WITH_PATHS])
def parser(request, parsers):
    return parsers(request.param)


@pytest.fixture(params=LOCAL)
def local_parser(request, parsers):
    return parsers(request.param)


def test_value_is_the_sum_of_the_parts(parser, sentences):
    for sentence in sentences[100:130]:
        for result in (parser.parse(sentence), parser.parse(sentence, decoder="mbr")):
            assert result.value == pytest.approx(parser.score(sentence, result.heads, result.labels), abs=1e-6)


def test_certified_trees_are_optimal(parser, sentences):
    certified = 0
    for sentence in sentences[100:112]:
        result, graph = parser.parse(sentence), parser.factor_graph(sentence)
        best = graph.solve(ILP())
        assert result.value <= best.value + graph.constant + 1e-6 <= result.bound + 2e-6
        if result.certified:
            assert result.value == pytest.approx(best.value + graph.constant, abs=1e-6)
        certified += result.certified
    assert certified >= 10


def test_both_graphs_score_alike(local_parser, sentences):
    parser = local_parser
    for sentence in sentences[100:106]:
        tight, loose = parser.factor_graph(sentence), parser.factor_graph(sentence, loose=True)
        best = tight.solve(AD3(exact=True))
        again = loose.solve(ILP())
        assert best.value + tight.constant == pytest.approx(again.value + loose.constant, abs=1e-6)


def test_probabilities_of_the_heads_of_a_word_sum_to_one(parser, sentences):
    for sentence in sentences[100:106]:
        marginals = parser.parse(sentence, marginals=True).marginals
        assert np.all((marginals >= 0) & (marginals <= 1 + 1e-9))
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1.0, atol=0.05)


def test_projective_trees_are_those_of_the_dynamic_program(parsers, sentences):
    parser = parsers("")
    for sentence in sentences[100:125]:
        graph, result = parser.factor_graph(sentence, projective=True), parser.parse(sentence, projective=True)
        arcs = np.full((len(sentence) + 1,) * 2, -np.inf)
        arcs[graph.heads, graph.modifiers] = graph.scores
        _, value = projective.max_arborescence(arcs, single_root=True)
        assert result.certified
        assert result.value == pytest.approx(value, abs=1e-6)
        assert projectivity.is_projective(np.concatenate([[-1], result.heads]))


@pytest.mark.parametrize("parts", ["sibling", THIRD])
def test_projective_trees_with_larger_parts_are_optimal(parsers, sentences, parts):
    parser = parsers(parts)
    for sentence in sentences[100:108]:
        graph, result = parser.factor_graph(sentence, projective=True), parser.parse(sentence, projective=True)
        assert result.certified
        assert projectivity.is_projective(np.concatenate([[-1], result.heads]))
        assert result.value == pytest.approx(graph.solve(ILP()).value + graph.constant, abs=1e-6)


@pytest.mark.parametrize("is_projective", [False, True])
def test_programs_find_the_same_trees(parsers, sentences, tmp_path, is_projective):
    parser = parsers(THIRD)
    parser.save(tmp_path / "model")
    ilp = Parser.load(tmp_path / "model", options={"inference.method": "ilp"})
    lp = Parser.load(tmp_path / "model", options={"inference.method": "lp"})
    some = [sentence for sentence in sentences[100:130] if len(sentence) < 15]
    for sentence in some:
        best = parser.parse(sentence, projective=is_projective)
        exact, relaxed = (other.parse(sentence, projective=is_projective) for other in (ilp, lp))
        assert exact.certified
        assert exact.value == pytest.approx(best.value, abs=1e-6)
        assert exact.bound == pytest.approx(best.value, abs=1e-5)
        assert exact.heads.tolist() == best.heads.tolist()
        assert exact.labels == best.labels
        assert relaxed.value <= best.value + 1e-6 <= relaxed.bound + 1e-5
        assert relaxed.certified == (relaxed.bound < relaxed.value + 1e-5)
    too_long = ilp.parse(some[0], max_words=1)
    assert not too_long.found
    assert too_long.sentence.heads.tolist() == [-1] * len(some[0])
    with pytest.raises(InvalidInputError, match="the best tree only"):
        ilp.parse(some[0], marginals=True)
    with pytest.raises(InvalidInputError, match=r"got 'model\.parts'"):
        Parser.load(tmp_path / "model", options={"model.parts": "grand"})


def test_belief_propagation_is_exact_where_arcs_are_all(parsers, sentences):
    parser = parsers("")
    for sentence in sentences[100:105]:
        graph = parser.factor_graph(sentence)
        expected = graph.solve(BeliefPropagation())
        assert expected.status is not Status.INFEASIBLE
        tree = factors.Tree(
            np.arange(len(graph.heads)), graph.heads, graph.modifiers, len(sentence), single_root=True
        ).marginals(graph.scores)
        np.testing.assert_allclose(expected.marginals, tree.marginals, atol=1e-9)


@pytest.mark.parametrize("kind", ["tight", "loose", "apart", "projective"])
def test_adopted_graphs_are_those_that_python_builds(parser, sentences, tmp_path, kind):
    """A pickle is built anew by the constructors, which check everything; so is a file."""
    given = next(s for s in sentences[100:] if 5 <= len(s) <= 8)
    adopted = parser.factor_graph(given, **({} if kind == "tight" else {kind: True}))
    graph, scores = adopted.graph, adopted.scores
    save_graph(tmp_path / "graph.npz", graph)
    built = pickle.loads(pickle.dumps(graph))
    for other in (built, load_graph(tmp_path / "graph.npz")[0]):
        assert [type(factor) for factor in graph.factors] == [type(factor) for factor in other.factors]
        for mine, theirs in zip(graph.factors, other.factors, strict=True):
            assert list(mine.arguments()) == list(theirs.arguments())
            for name, values in mine.arguments().items():
                np.testing.assert_array_equal(values, theirs.arguments()[name], err_msg=name)
    for method in (
        AD3(max_iterations=50),
        AD3(max_iterations=50, exact=True, max_nodes=3),
        BeliefPropagation(max_iterations=10),
        LP(),
        ILP(),
        Relax(max_rounds=2),
        SparseMAP(max_iterations=30),
        Subgradient(max_iterations=30),
    ):
        one, two = graph.solve(method, scores), built.solve(method, scores)
        assert (one.status, one.value, one.bound) == (two.status, two.value, two.bound)
        np.testing.assert_array_equal(one.marginals, two.marginals)
    evidence = dict.fromkeys(range(len(adopted.heads)), 0)
    messages = [explain_infeasibility(g.problem(scores, evidence=evidence)).message for g in (graph, built)]
    assert messages[0] == messages[1]
    with pytest.raises(InvalidInputError, match="frozen"):
        graph.add_variables(1)
