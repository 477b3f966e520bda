"""Constraints weaker than a tree, and the methods that papers compare with ours, against enumeration and each other."""

import itertools

import numpy as np
import pytest

from ramify import Parser
from ramify.data import Sentence, read
from ramify.inference import ILP
from ramify.trees.projectivity import is_projective, is_tree

UPOS = ["PRON", "VERB", "PRON"]
KINDS = ("exactly-one", "no-two-cycle", "at-most-one", "not-two")

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def sentences(sample):
    return list(read(sample))


@pytest.fixture(scope="module")
def path(sentences, tmp_path_factory):
    """A model that has learned little."""
    where = tmp_path_factory.mktemp("models") / "model"
    options = {"training.epochs": "1", "pruner.epochs": "1", "pruner.bits": "14", "pruner.threshold": "1e-4"}
    Parser.train(train=sentences[:60], preset="second", options=options, output=where)
    return where


def train(sentences, **options):
    options = {key.replace("__", "."): value for key, value in options.items()}
    options = {"training.epochs": "1", "pruner.epochs": "1", "pruner.bits": "14", "pruner.threshold": "0", **options}
    return Parser.train(train=sentences[:40], preset="first", options=options)


def allowed(kind, arcs):
    heads = {}
    for h, m in arcs:
        heads.setdefault(m, []).append(h)
    if any(len(some) > 1 for some in heads.values()):
        return False
    if kind in ("at-most-one", "not-two"):
        return True
    return kind == "exactly-one" or not any((m, h) in arcs for h, m in arcs)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_allows_what_it_says(sentences, kind):
    """The best set of arcs under the constraint, by enumeration of all sets."""
    parser = train(sentences, model__tree=kind)
    for sentence in (Sentence(["Hi", "you"], upos=["INTJ", "PRON"]), Sentence(["I", "see", "them"], upos=UPOS)):
        graph = parser.factor_graph(sentence)
        arcs = list(zip(graph.heads.tolist(), graph.modifiers.tolist(), strict=True))
        best = -np.inf
        for on in itertools.product((False, True), repeat=len(arcs)):
            chosen = {arc for arc, y in zip(arcs, on, strict=True) if y}
            complete = len({m for _, m in chosen}) == len(sentence)
            if allowed(kind, chosen) and (complete or kind in ("at-most-one", "not-two")):
                best = max(best, float(graph.scores[np.array(on)].sum()))
        assert graph.solve(ILP()).value == pytest.approx(best)


@pytest.mark.parametrize("method", ["belief-propagation", "ad3"])
@pytest.mark.parametrize("kind", KINDS)
def test_results_are_trees_all_the_same(sentences, kind, method):
    parser = train(sentences, model__tree=kind, inference__method=method, model__parts="grand")
    for result in parser.parse(sentences[60:80]):
        heads = result.heads.tolist()
        assert heads.count(0) == 1
        for m in range(1, len(heads) + 1):
            seen = set()
            while m and m not in seen:
                seen.add(m)
                m = heads[m - 1]
            assert m == 0
        assert result.value == pytest.approx(parser.score(result.sentence, result.heads, result.labels), abs=1e-6)


def test_expected_trees_of_a_projective_model_are_projective(sentences):
    parser = train(sentences, model__tree="projective", model__parts="grand")
    for result in parser.parse(sentences[60:90], decoder="mbr"):
        assert is_projective(np.concatenate(([-1], result.heads)))
        assert np.isfinite(result.value)


def test_relaxation_with_all_factors_is_belief_propagation(path, sentences):
    full = Parser.load(path, options={"inference.method": "belief-propagation", "inference.bp-iterations": "200"})
    relaxed = {"inference.method": "relax", "inference.relax-gain": "0", "inference.relax-rounds": "100"}
    relaxed = Parser.load(path, options={**relaxed, "inference.bp-iterations": "200"})
    for one, other in zip(
        full.parse(sentences[100:110], marginals=True), relaxed.parse(sentences[100:110], marginals=True), strict=True
    ):
        np.testing.assert_allclose(one.marginals, other.marginals, atol=0.02)


def test_relaxation_without_rounds_knows_arcs_alone(path, sentences):
    none = Parser.load(path, options={"inference.method": "relax", "inference.relax-rounds": "0"})
    full = Parser.load(path, options={"inference.method": "belief-propagation"})
    differences = []
    for sentence in sentences[100:106]:
        arcs = none.parse(sentence, marginals=True).marginals
        differences.append(np.abs(arcs - full.parse(sentence, marginals=True).marginals).max())
        np.testing.assert_allclose(arcs[:, 1:].sum(axis=0), 1.0, atol=1e-6)
    assert max(differences) > 0.01


def test_subgradient_steps_are_bounded_by_what_is_best(path, sentences):
    exact = Parser.load(path, options={"inference.method": "exact"})
    steps = Parser.load(path, options={"inference.method": "subgradient", "inference.max-iterations": "200"})
    certified = 0
    for best, found in zip(exact.parse(sentences[100:130]), steps.parse(sentences[100:130]), strict=True):
        assert best.certified
        assert found.value <= best.value + 1e-6 <= found.bound + 2e-6
        if found.certified:
            assert found.value == pytest.approx(best.value, abs=1e-5)
        certified += found.certified
    assert certified >= 8


@pytest.mark.parametrize(
    "parts", ["", "sibling", "grand", "grand-sibling", "sibling,grand", "sibling,grand,grand-sibling"]
)
@pytest.mark.parametrize("single_root", ["true", "false"])
def test_dynamic_programs_find_what_branch_and_bound_finds(sentences, parts, single_root):
    options = {"model__parts": parts, "model__tree": "projective", "model__single-root": single_root}
    parser = train(sentences, **options, **{"pruner__max-heads": "8"})
    program = parser.with_options({"inference.method": "dynamic-program"})
    short = [sentence for sentence in sentences[60:] if len(sentence) <= 25][:25]
    for best, found in zip(parser.parse(short), program.parse(short), strict=True):
        assert best.certified
        assert found.certified
        assert found.value == pytest.approx(best.value, abs=1e-6)
        assert found.value == pytest.approx(parser.score(found.sentence, found.heads, found.labels), abs=1e-6)
        assert is_projective(np.concatenate(([-1], found.heads)))


def projective_trees(sentence, graph):
    """All projective trees over the candidate arcs, as indicators of these."""
    arcs = {arc: a for a, arc in enumerate(zip(graph.heads.tolist(), graph.modifiers.tolist(), strict=True))}
    for heads in itertools.product(range(len(sentence) + 1), repeat=len(sentence)):
        chosen = [arcs.get((h, m + 1)) for m, h in enumerate(heads)]
        if None in chosen or heads.count(0) != 1 or not is_tree([-1, *heads]) or not is_projective([-1, *heads]):
            continue
        on = np.zeros(len(arcs), dtype=np.int32)
        on[chosen] = 1
        yield on


@pytest.mark.parametrize("parts", ["", "sibling", "grand", "grand-sibling", "sibling,grand,grand-sibling"])
def test_dynamic_programs_give_exact_marginals(sentences, parts):
    options = {"model.parts": parts, "model.tree": "projective", "pruner.max-heads": "8", "inference.temperature": "1"}
    parser = train(sentences, **{key.replace(".", "__"): value for key, value in options.items()})
    program = parser.with_options({"inference.method": "dynamic-program"})
    for sentence in [s for s in sentences[60:] if 3 <= len(s) <= 5][:3]:
        graph = parser.factor_graph(sentence)
        trees = list(projective_trees(sentence, graph))
        problem = graph.graph.problem(graph.scores)
        values = np.array([problem.value(on) for on in trees])
        weights = np.exp(values - values.max())
        expected = np.average(trees, axis=0, weights=weights)
        found = program.parse(sentence, marginals=True)
        np.testing.assert_allclose(found.marginals[graph.heads, graph.modifiers], expected, atol=1e-6)
        mbr = program.parse(sentence, decoder="mbr")
        most = max(float(expected @ on) for on in trees)
        chosen = sum(found.marginals[h, m + 1] for m, h in enumerate(mbr.heads))
        assert chosen == pytest.approx(most, abs=1e-6)


def test_other_parts_and_trees_have_no_program(path, sentences):
    """They are solved by branch and bound."""
    exact = Parser.load(path, options={"inference.method": "exact"})
    program = Parser.load(path, options={"inference.method": "dynamic-program"})
    for best, found in zip(exact.parse(sentences[100:110]), program.parse(sentences[100:110]), strict=True):
        assert found.value == best.value
