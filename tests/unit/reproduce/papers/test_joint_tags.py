"""The gradient of tags and trees at once, and what a system may know."""

import itertools
import math

import numpy as np
import pytest

from ramify.data import Sentence
from ramify.inference import BeliefPropagation, Exact
from ramify.reproduce.papers.joint_tags import SYSTEMS, gradient, train
from ramify.reproduce.papers.tag_graph import NUM_BUCKETS, SentenceModel, TagDictionary

FORMS, TAGS, HEADS = ["the", "dog", "barks"], [[0, 1], [1, 2, 3], [2, 3]], [2, 3, 0]
GOLD = [0, 1, 2]


def trees(n):
    for heads in itertools.product(range(n + 1), repeat=n):
        if heads.count(0) == 1 and all(reaches_root(heads, m) for m in range(1, n + 1)):
            yield heads


def reaches_root(heads, m):
    for _ in heads:
        m = heads[m - 1] if m else 0
    return m == 0


def log_sum(values):
    high = max(values)
    return high + math.log(sum(math.exp(v - high) for v in values))


def value(model, scores, heads, tags):
    """Score of a tree and tags, part by part, in the order in which factors are documented to have their parts."""
    links, parts = scores[0], iter(scores[1])
    total = sum(s for s, h, m in zip(links, model.heads, model.modifiers, strict=True) if heads and heads[m - 1] == h)
    if not tags:
        return total
    for candidates, tag in zip(TAGS, tags, strict=True):
        total += sum(next(parts) * (t == tag) for t in candidates)
    for k, size in enumerate((2, 3)):
        for gram in itertools.product(*TAGS[: 2 + k][-size:]):
            total += next(parts) * (list(gram) == list(tags[: 2 + k][-size:]))
    if heads:
        for h, m in ((h, m) for m in (1, 2, 3) for h in (1, 2, 3) if h != m):
            for pair in itertools.product(TAGS[h - 1], TAGS[m - 1]):
                total += next(parts) * (heads[m - 1] == h and pair == (tags[h - 1], tags[m - 1]))
        for m in (1, 2, 3):
            for on, tag in itertools.product((False, True), TAGS[m - 1]):
                total += next(parts) * (on == (heads[m - 1] == 0) and tag == tags[m - 1])
    assert not list(parts)
    return total


def log_likelihood(model, weights, system):
    """Log p(learned | given), by going through all trees and tags."""
    kind, given, learned = SYSTEMS[system]
    scores = [weights[rows].sum(axis=1).tolist() for rows in (model.links, model.parts)]
    every_tree = list(trees(3)) if "arcs" in kind else [()]
    every_tags = list(itertools.product(*TAGS)) if "tags" in kind else [()]

    def total(known):
        chosen_trees = [tuple(HEADS)] if "arcs" in known else every_tree
        chosen_tags = [tuple(GOLD)] if "tags" in known else every_tags
        return log_sum([value(model, scores, h, t) for h in chosen_trees for t in chosen_tags])

    return total(learned) - total(given)


@pytest.mark.parametrize("system", SYSTEMS)
def test_gradient_is_that_of_the_likelihood(system):
    kind, given, learned = SYSTEMS[system]
    model = SentenceModel(FORMS, TAGS, kind)
    weights = np.append(np.random.default_rng(3).normal(size=NUM_BUCKETS), 0.0)
    known, more = (model.evidence(which, HEADS, GOLD) for which in (given, learned))
    found = gradient(model, weights, known, more, Exact())
    used = np.unique(np.concatenate([model.links.ravel(), model.parts.ravel()]))
    used = used[used < NUM_BUCKETS]
    assert np.all(found[np.setdiff1d(np.arange(NUM_BUCKETS + 1), used)] == 0.0)
    for bucket in used[:: max(1, len(used) // 12)]:
        ends = []
        for step in (1e-5, -1e-5):
            moved = weights.copy()
            moved[bucket] += step
            ends.append(log_likelihood(model, moved, system))
        assert found[bucket] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-6)


@pytest.mark.parametrize("system", ["words only", "tagger", "parser"])
def test_belief_propagation_is_exact_where_nothing_is_joint(system):
    kind, given, learned = SYSTEMS[system]
    model = SentenceModel(FORMS, TAGS, kind)
    weights = np.append(np.random.default_rng(4).normal(size=NUM_BUCKETS), 0.0)
    known, more = (model.evidence(which, HEADS, GOLD) for which in (given, learned))
    both = [gradient(model, weights, known, more, method) for method in (Exact(), BeliefPropagation())]
    np.testing.assert_allclose(both[0], both[1], atol=1e-6)


def test_learns_the_sentence_it_sees():
    for system in ("joint", "latent"):
        kind = SYSTEMS[system][0]
        model = SentenceModel(FORMS, TAGS, kind)
        weights = train([(model, HEADS, GOLD)] * 20, system)
        heads, tags = model.read(*model.solve(weights, {})[:2])
        assert heads == HEADS
        assert system == "latent" or tags == GOLD
        assert weights[NUM_BUCKETS] == 0.0


def test_dictionary_keeps_what_a_frequent_form_was_seen_with():
    sentences = [
        Sentence(["the", "dog", "runs"], upos=["DET", "NOUN", "VERB"]),
        Sentence(["the", "run", "ends"], upos=["DET", "NOUN", "VERB"]),
        Sentence(["the", "run"], upos=["DET", "VERB"]),
    ]
    dictionary = TagDictionary(sentences)
    names = {form: {dictionary.tags[t] for t in dictionary.candidates(form)} for form in ("the", "Run", "dog", "new")}
    assert names["Run"] == {"NOUN", "VERB"}
    assert names["dog"] == names["new"] == {"NOUN", "VERB"}
    assert "DET" in names["the"]
    assert len(names["the"]) == 2


@pytest.mark.parametrize("n", [1, 2])
def test_shortest_sentences(n):
    for kind in ("arcs", "tags", "arcs tags"):
        model = SentenceModel(FORMS[:n], TAGS[:n], kind)
        heads, tags = model.read(*model.solve(np.zeros(NUM_BUCKETS + 1), {})[:2])
        assert len(heads) == (n if "arcs" in kind else 0)
        assert len(tags) == (n if "tags" in kind else 0)
