from __future__ import annotations

import numpy as np
import pytest

from ramify.data import Document
from ramify.errors import InvalidInputError
from ramify.evaluation import rouge
from ramify.learn.corpus import Corpus
from ramify.summarization import Cluster, Config, Summarizer
from ramify.summarization.training import SummarizerLearner, hinge, recall

TEXT = (
    "The old mill, which had stood there for many years, burned down on Friday. Nobody was hurt in the fire. "
    "The owner, who lives in town, wants to build a new mill next year. Children sang songs in the park."
)


@pytest.fixture(scope="module")
def clusters():
    return [
        Cluster((Document(TEXT),), ("The old mill burned down. The owner wants to build a new mill.",), 16),
        Cluster((Document(TEXT.replace("mill", "barn")),), ("The old barn burned down.",), 8),
    ]


@pytest.fixture(scope="module")
def learner(clusters):
    config = Config().override({"model.min-count": 1})
    return SummarizerLearner(config, Corpus(clusters), Corpus(clusters[:1]), 1)


def test_gradients_are_those_of_the_loss(learner):
    rng = np.random.default_rng(1)
    for example in learner.examples:
        values = rng.normal(0, 0.1, len(example.rows))
        loss, gradient = hinge(example, values, 5.0)
        step = rng.normal(size=len(values))
        for size in (1e-5, -1e-5):
            moved, _ = hinge(example, values + size * step, 5.0)
            assert moved == pytest.approx(loss + size * gradient @ step, abs=1e-6)


def test_oracles_cut_what_the_reference_does_not_have(learner):
    whole, cut = learner.examples[0], learner.examples[1]
    assert recall(cut.layout, cut.gold, cut.references) > recall(whole.layout, whole.gold, whole.references)
    problem = cut.layout.problem
    assert problem.lengths[cut.gold].sum() <= 16


def test_oracles_equal_enumeration(learner):
    for example in learner.examples:
        p = example.layout.problem
        n = len(p.heads)
        assert n <= 16
        best = 0.0
        for bits in range(1 << n):
            kept = np.array([bits >> u & 1 for u in range(n)], bool)
            is_tree = all(kept[head] for u, head in enumerate(p.heads) if kept[u] and head >= 0)
            if is_tree and p.lengths[kept].sum() <= p.budget:
                best = max(best, example.gains[p.covered(kept)].sum())
        found = example.gold
        assert p.lengths[found].sum() <= p.budget
        assert example.gains[p.covered(found)].sum() == pytest.approx(best)


def test_recall_is_that_of_rouge_for_whole_sentences(learner):
    example = learner.examples[0]
    p = example.layout.problem
    kept = np.zeros(len(p.heads), bool)
    kept[1] = True
    text = example.reading.source.sentences[example.layout.chosen[1]].text
    scores = rouge([text], [["The old mill burned down. The owner wants to build a new mill."]])
    by_name = {metric.value: score for metric, score in scores.items()}
    right = float(by_name["2"].recall[0])
    assert recall(example.layout, kept, example.references) == pytest.approx(right, abs=1e-4)


def test_training_learns_and_does_not_depend_on_how_it_was_started(clusters, tmp_path):
    options = {"model.min-count": 1, "training.epochs": 3}
    model = Summarizer.train(clusters, options=options, output=tmp_path / "a.zip", progress=False)
    again = Summarizer.train(clusters, options=options, output=tmp_path / "b.zip", progress=False, threads=2)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    text = model.summarize(TEXT, words=10).text
    assert text == again.summarize(TEXT, words=10).text
    assert text.split()[-1].endswith(".")
    assert "Summarizer" in model.card
    with pytest.raises(InvalidInputError, match="documents with summaries"):
        Summarizer.train(progress=False)
