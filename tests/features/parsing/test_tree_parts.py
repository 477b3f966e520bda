"""Valencies, paths and non-projective arcs against lists of all trees."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from oracles.trees import all_trees
from ramify import Parser
from ramify.data import read
from ramify.inference import AD3, ILP
from ramify.parsing import Head
from support.models import num_right

pytestmark = pytest.mark.engine

KINDS = ["valency", "path", "nonproj", "valency,path,nonproj", "sibling,grand,no-cross,valency,path,nonproj"]


@pytest.fixture(scope="module")
def sentences(sample):
    return list(read(sample))


@pytest.fixture(scope="module", params=KINDS)
def parser(request, sentences):
    """A parser that has learned little, keeps every arc and may have several roots."""
    options = {"training.epochs": "1", "pruner.epochs": "1", "pruner.bits": "14", "model.parts": request.param}
    options |= {"pruner.threshold": "0", "pruner.lengths": "false", "model.single-root": "false"}
    return Parser.train(train=sentences[:50], preset="first", options=options)


def expected_parts(heads):
    """Return the parts of the three kinds, from their definitions; heads[0] is of the root."""
    words = range(1, len(heads))

    def above(k):
        chain = []
        while k:
            k = heads[k]
            chain.append(k)
        return chain

    parts = {("valency", h, min(heads[1:].count(h), 5)) for h in range(len(heads))}
    parts |= {("path", h, k) for k in words for h in above(k) if h}
    for m in words:
        low, high = sorted((heads[m], m))
        if any(heads[m] not in above(k) for k in range(low + 1, high)):
            parts.add(("nonproj", heads[m], m))
    return parts


def test_parts_of_all_trees_of_four_words(parser):
    chosen = {part.value for part in parser.config.model.parts}
    for heads in all_trees(4, single_root=False):
        found = parser._model.parts(heads.astype(np.int32), np.array([-1, 0, 0, 0, 0], dtype=np.int32))
        seen = [(p.kind, p.roles[0], p.roles[3 if p.kind == "valency" else 1]) for p in found]
        wanted = {part for part in expected_parts(heads.tolist()) if part[0] in chosen}
        assert sorted(part for part in seen if part[0] in ("valency", "path", "nonproj")) == sorted(wanted)


def test_more_than_five_modifiers_count_as_five(parser):
    if "valency" not in {part.value for part in parser.config.model.parts}:
        return
    heads = np.array([-1, 0, 1, 1, 1, 1, 1, 1, 1], dtype=np.int32)
    found = parser._model.parts(heads, np.array([-1, *[0] * 8], dtype=np.int32))
    assert [p.roles[3] for p in found if p.kind == "valency"] == [1, 5, *[0] * 7]


def test_best_trees_are_the_best_of_all(parser, sentences):
    """By branch and bound, by HiGHS, and by scoring every tree part by part."""
    for sentence in [s for s in sentences[60:] if 3 <= len(s) <= 4][:5]:
        values = []
        for heads in all_trees(len(sentence), single_root=False)[:, 1:]:
            fixed = parser.parse(sentence, constraints=[Head(m, int(h)) for m, h in enumerate(heads, 1)])
            assert fixed.heads.tolist() == heads.tolist()
            values.append(parser.score(sentence, heads.tolist(), fixed.labels))
            assert fixed.value == pytest.approx(values[-1], abs=1e-6)
        best, graph = parser.parse(sentence), parser.factor_graph(sentence)
        assert best.certified
        assert best.value == pytest.approx(max(values), abs=1e-6)
        for method in (ILP(), AD3(exact=True)):
            assert graph.solve(method).value + graph.constant == pytest.approx(max(values), abs=1e-6)
        k_best = parser.parse(sentence, k=4).k_best
        np.testing.assert_allclose([tree.value for tree in k_best], sorted(values)[: -len(k_best) - 1 : -1], atol=1e-6)


def test_every_method_says_the_truth(parser, sentences):
    for method in ("ad3", "subgradient", "lp", "ilp", "exact"):
        other = parser.with_options({"inference.method": method, "inference.max-iterations": "15"})
        for sentence in [s for s in sentences[60:] if 4 <= len(s) <= 5][:4]:
            result = other.parse(sentence)
            assert result.value == pytest.approx(parser.score(sentence, result.heads, result.labels), abs=1e-6)
            best = parser.parse(sentence)
            assert result.value <= best.value + 1e-6
            assert result.bound >= best.value - 1e-5
            if result.certified and best.certified:
                assert result.value == pytest.approx(best.value, abs=1e-5)


@pytest.mark.parametrize("parts", ["valency", "path", "nonproj"])
def test_models_learn_are_saved_and_loaded(parts, sentences, tmp_path):
    options = {"training.epochs": "1", "pruner.bits": "16", "model.parts": parts, "inference.method": "ad3"}
    parsers = [
        Parser.train(train=sentences[:100], preset="first", options={**options, "training.epochs": epochs})
        for epochs in ("1", "3")
    ]
    assert num_right(parsers[1], sentences[:60]) > num_right(parsers[0], sentences[:60])
    parsers[1].save(tmp_path / "model")
    again = Parser.load(tmp_path / "model").parse(sentences[100:105])
    for ours, theirs in zip(parsers[1].parse(sentences[100:105]), again, strict=True):
        assert ours.heads.tolist() == theirs.heads.tolist()
        assert ours.value == theirs.value


def test_explanations_name_the_new_parts(sentences):
    options = {"training.epochs": "1", "pruner.bits": "14", "model.parts": "valency,path,nonproj,no-cross"}
    options["inference.method"] = "ad3"
    parser = Parser.train(train=sentences[:60], preset="first", options=options)
    kinds, texts = set(), ""
    for sentence, word in itertools.product([s for s in sentences[60:] if 5 < len(s) < 12][:6], (1, 3, 5)):
        explanation = parser.explain(sentence, word)
        total = sum(explanation.by_kind().values())
        assert explanation.rival is None or total == pytest.approx(explanation.difference, abs=1e-6)
        kinds |= {part.kind for tree in (explanation.chosen, explanation.rival) if tree for part in tree.parts}
        texts += explanation.text(all_parts=True)
    assert kinds >= {"valency", "path", "nonproj"}
    assert " above " in texts
    assert " modifiers" in texts


def test_definitions_settle_what_follows_from_a_tree(parser, sentences):
    """The graph of belief propagation: a tree leaves one assignment, whatever the scores, which has its score."""
    rng = np.random.default_rng(1)
    for sentence in [s for s in sentences[60:] if 3 <= len(s) <= 4][:2]:
        loose, tight = parser.factor_graph(sentence, loose=True), parser.factor_graph(sentence)
        arcs = list(zip(loose.heads.tolist(), loose.modifiers.tolist(), strict=True))
        trees = all_trees(len(sentence), single_root=False)[:, 1:]
        for heads in trees[rng.permutation(len(trees))[:30]]:
            evidence = {a: int(heads[m - 1] == h) for a, (h, m) in enumerate(arcs)}
            values = [g.graph.solve(ILP(), g.scores, evidence=evidence).value + g.constant for g in (loose, tight)]
            assert values[0] == pytest.approx(values[1], abs=1e-6)
            settled = [
                loose.graph.solve(ILP(), 100 * rng.normal(size=len(loose.scores)), evidence=evidence).assignment
                for _ in range(3)
            ]
            assert all((one == settled[0]).all() for one in settled)


@pytest.mark.parametrize("parts", ["path", "nonproj", "sibling,path,nonproj"])
def test_beliefs_know_of_paths(sentences, parts):
    """Models with these parts can be learned through belief propagation."""
    options = {"training.epochs": "1", "pruner.bits": "16", "model.parts": parts, "training.loss": "l2"}
    options |= {"inference.method": "belief-propagation", "training.optimizer": "adagrad"}
    parsers = [
        Parser.train(train=sentences[:100], preset="first", options={**options, "training.epochs": epochs})
        for epochs in ("1", "4")
    ]
    assert num_right(parsers[1], sentences[:60]) > num_right(parsers[0], sentences[:60])
    result = parsers[1].parse(sentences[100], marginals=True)
    np.testing.assert_allclose(result.marginals[:, 1:].sum(axis=0), 1.0, atol=0.05)
    assert result.value == pytest.approx(parsers[1].score(sentences[100], result.heads, result.labels), abs=1e-6)


@pytest.mark.parametrize("tree", ["nonprojective", "projective"])
def test_likelihoods_count_paths(sentences, tree):
    options = {"model.parts": "path,nonproj", "training.beta": "1", "training.gamma": "0", "model.tree": tree}
    options |= {"inference.method": "belief-propagation", "training.epochs": "3", "pruner.bits": "16"}
    parser = Parser.train(train=sentences[:100], preset="first", options=options)
    assert num_right(parser, sentences[:60]) > 0.6 * sum(len(s) for s in sentences[:60])
