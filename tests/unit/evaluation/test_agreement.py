"""Agreement of two annotators, against scikit-learn and counts by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from ramify.data import Sentence, read
from ramify.errors import InvalidInputError
from ramify.evaluation import agreement, attachment_scores

SAMPLE = "tests/data/ewt-sample-200.conllu"


@pytest.fixture(scope="module")
def two():
    rng = random.Random(0)
    a, b = list(read(SAMPLE)), list(read(SAMPLE))
    labels = sorted({label for sentence in a for label in sentence.deprels})
    for sentence in b:
        sentence.deprels = [rng.choice(labels) if rng.random() < 0.2 else label for label in sentence.deprels]
        for i in range(1, len(sentence)):
            if rng.random() < 0.1 and sentence.heads[i]:
                sentence.heads[i] = i  # the word before it
    return a, b


def test_figures(two):
    a, b = two
    result = agreement(a, b, samples=50)
    scores = attachment_scores(a, b)
    assert result.uas.value == pytest.approx(scores.uas)
    assert result.las.value == pytest.approx(scores.las)
    assert result.label_accuracy.value == pytest.approx(scores.label_accuracy)
    labels_a, labels_b = ([label for s in side for label in s.deprels] for side in two)
    assert result.kappa.value == pytest.approx(cohen_kappa_score(labels_a, labels_b))
    for interval in (result.uas, result.las, result.kappa):
        assert interval.low < interval.value < interval.high
    heads_a, heads_b = (np.concatenate([s.heads for s in side]) for side in two)
    for row in result.by_label:
        is_a, is_b = ([label == row.label for label in side] for side in (labels_a, labels_b))
        both = np.logical_and(is_a, is_b)
        assert (row.count_a, row.count_b, row.both) == (sum(is_a), sum(is_b), both.sum())
        assert row.kappa.value == pytest.approx(cohen_kappa_score(is_a, is_b)), row.label
        assert row.f1.value == 2 * both.sum() / (sum(is_a) + sum(is_b))
        same = (heads_a == heads_b)[both]
        assert (row.heads.value == pytest.approx(same.mean())) if len(same) else row.heads is None
    assert [row.count_a + row.count_b for row in result.by_label] == sorted(
        (row.count_a + row.count_b for row in result.by_label), reverse=True
    )


def test_subtypes_seed_and_symmetry(two):
    a, b = two
    merged = agreement(a, b, subtypes=False, samples=20)
    assert merged.label_accuracy.value == pytest.approx(attachment_scores(a, b, subtypes=False).label_accuracy)
    assert not any(":" in row.label for row in merged.by_label)
    assert agreement(a, b, samples=20, seed=3) == agreement(a, b, samples=20, seed=3)
    assert agreement(b, a, samples=20).kappa == agreement(a, b, samples=20).kappa


def test_one_label_everywhere():
    words = [Sentence(["a"], heads=[0], deprels=["root"])]
    result = agreement(words, words)
    assert (result.kappa.value, result.by_label[0].kappa.value, result.kappa.low) == (1, 1, 1)


def test_errors(two):
    a, b = two
    with pytest.raises(InvalidInputError, match=r"need the same sentences in A and B; A has 200, B 199\. Bring"):
        agreement(a, b[:-1])
    other = [Sentence(["x", *a[0].forms[1:]]), *b[1:]]
    with pytest.raises(InvalidInputError, match=r"need the same words in A and B; .*word 1: A has"):
        agreement(a, other)
    with pytest.raises(InvalidInputError, match="both treebanks are empty"):
        agreement([], [])
    with pytest.raises(InvalidInputError, match=r"confidence between 0 and 1; got 0 and 0\.95"):
        agreement(a, b, samples=0)
    with pytest.raises(InvalidInputError, match=r"more samples than 1: none says more of the label '"):
        agreement(a, b, samples=1)
