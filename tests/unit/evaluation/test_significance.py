from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ramify.errors import InvalidInputError
from ramify.evaluation import SignificanceTest, compare, compare_counts, compare_scores, evaluate
from ramify.evaluation.conll18 import sentence_counts
from ramify.evaluation.corpus import load
from ramify.evaluation.significance import mean_interval

SAMPLE = Path(__file__).parents[2] / "data" / "evaluation"
GOLD, PARSER, PIPELINE = (SAMPLE / f"{name}.conllu" for name in ("gold", "parser", "pipeline"))
TESTS = list(SignificanceTest)


def accuracy_counts(rng, num_sentences, probability, length=20):
    correct = rng.binomial(length, probability, size=num_sentences)
    total = np.full(num_sentences, length)
    return np.stack([correct, total, total], axis=1)


@pytest.mark.parametrize("metric", ["Tokens", "Sentences", "Words", "UPOS", "LAS", "MLAS"])
def test_values_are_the_official_ones_for_any_metric(metric):
    result = compare(GOLD, PARSER, PIPELINE, metric=metric, samples=20)
    a, b = (evaluate(GOLD, system)[metric].f1 for system in (PARSER, PIPELINE))
    assert (result.system_a.value, result.system_b.value) == (a, b)
    assert result.difference.value == b - a


def test_words_of_the_system_belong_to_gold_sentences():
    counts = sentence_counts(load(GOLD, "gold"), load(PIPELINE, "system"))["LAS"]
    assert counts.shape == (20, 4)
    gold_lengths = np.diff(load(GOLD, "gold").first_word)
    np.testing.assert_array_equal(counts[:, 1], gold_lengths)
    assert (counts[:, 0] <= np.minimum(counts[:, 1], counts[:, 2])).all()


@pytest.mark.parametrize("test", TESTS)
def test_p_values_are_uniform_when_systems_are_equally_good(test):
    rng = np.random.default_rng(5)
    p_values = []
    for seed in range(200):
        a, b = accuracy_counts(rng, 100, 0.8), accuracy_counts(rng, 100, 0.8)
        p_values.append(compare_counts(a, b, test=test, samples=199, seed=seed).p_value)
    # Kolmogorov-Smirnov distance to the uniform distribution; 0.115 is exceeded in 1 % of such experiments.
    steps = np.arange(1, 201) / 200
    assert np.abs(np.sort(p_values) - steps).max() < 0.115


@pytest.mark.parametrize("test", TESTS)
def test_clear_difference_has_the_smallest_p_value_there_is(test):
    rng = np.random.default_rng(0)
    a, b = accuracy_counts(rng, 300, 0.7), accuracy_counts(rng, 300, 0.8)
    result = compare_counts(a, b, test=test, samples=999)
    assert result.p_value == 1 / 1000
    assert 0 < result.difference.low < result.difference.value < result.difference.high


@pytest.mark.parametrize("test", TESTS)
def test_same_output_has_p_value_one(test):
    result = compare(GOLD, PARSER, PARSER, test=test, samples=99)
    assert result.p_value == 1.0
    assert (result.difference.low, result.difference.high) == (0.0, 0.0)


def test_randomization_of_few_sentences_is_the_permutation_test():
    # Three sentences, b better by one word in each: of 8 swaps, 2 give a difference as large.
    a, b = np.array([[5, 10, 10]] * 3), np.array([[6, 10, 10]] * 3)
    result = compare_counts(a, b, samples=20_000)
    assert result.p_value == pytest.approx(2 / 8, abs=0.015)  # 5 standard errors


def test_order_of_systems_does_not_matter():
    rng = np.random.default_rng(1)
    a, b = accuracy_counts(rng, 50, 0.7), accuracy_counts(rng, 50, 0.74)
    there, back = compare_counts(a, b, samples=500), compare_counts(b, a, samples=500)
    assert there.p_value == back.p_value
    assert there.difference.value == -back.difference.value


def test_interval_is_the_analytic_one_for_accuracy():
    rng = np.random.default_rng(2)
    counts = accuracy_counts(rng, 2000, 0.8)
    result = compare_counts(counts, counts, samples=4000)
    # An F1 with equal totals is a mean over sentences: the normal interval applies.
    rates = counts[:, 0] / counts[:, 1]
    half = 1.96 * rates.std() / np.sqrt(len(rates))
    assert result.system_a.low == pytest.approx(rates.mean() - half, abs=0.1 * half)
    assert result.system_a.high == pytest.approx(rates.mean() + half, abs=0.1 * half)


def test_intervals_cover_the_truth_as_often_as_promised():
    rng = np.random.default_rng(3)
    covered = 0
    for seed in range(300):
        result = compare_counts(
            accuracy_counts(rng, 80, 0.7), accuracy_counts(rng, 80, 0.75), samples=300, seed=seed, confidence=0.9
        )
        covered += result.difference.low <= 0.05 <= result.difference.high
    assert 0.84 <= covered / 300 <= 0.95


def test_seed_decides():
    first, again, other = (compare(GOLD, PARSER, PIPELINE, samples=300, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_intervals_do_not_depend_on_the_test():
    results = [compare(GOLD, PARSER, PIPELINE, samples=200, test=test) for test in TESTS]
    assert results[0].difference == results[1].difference


def test_batches_give_the_same_as_all_at_once(monkeypatch):
    whole = compare(GOLD, PARSER, PIPELINE, samples=300)
    monkeypatch.setattr("ramify.evaluation.significance._CELLS_AT_ONCE", 20 * 100)
    steps = []
    parts = compare(GOLD, PARSER, PIPELINE, samples=300, progress=steps.append)
    assert steps == [100] * 6
    assert parts.system_a == whole.system_a
    assert parts.to_dict()["test"] == "randomization"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "las"}, r"compare knows the metrics Tokens, .*; got 'las'"),
        ({"test": "t-test"}, r"test to be one of 'randomization', 'bootstrap'; got 't-test'"),
        ({"samples": 0}, r"at least one sample; got samples=0"),
        ({"confidence": 95}, r"between 0 and 1, like 0.95; got 95"),
    ],
)
def test_bad_options_are_errors(options, message):
    with pytest.raises(InvalidInputError, match=message):
        compare(GOLD, PARSER, PIPELINE, **options)


def test_counts_of_other_shapes_are_errors():
    with pytest.raises(InvalidInputError, match=r"shapes \(2, 3\) and \(3, 3\)"):
        compare_counts(np.ones((2, 3)), np.ones((3, 3)))
    with pytest.raises(InvalidInputError, match="S >= 1"):
        compare_counts(np.ones((0, 3)), np.ones((0, 3)))


def test_randomization_of_few_scores_is_the_permutation_test():
    result = compare_scores([0.1, 0.4, 0.2], [0.2, 0.6, 0.5], samples=20_000)
    assert result.difference.value == pytest.approx(0.2)
    assert result.p_value == pytest.approx(2 / 8, abs=0.015)  # 5 standard errors


def test_interval_of_a_mean_is_that_of_the_normal_distribution():
    scores = np.random.default_rng(0).normal(size=400)
    interval = mean_interval(scores, samples=4000)
    assert interval.value == pytest.approx(scores.mean())
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * scores.std() / 20, rel=0.06)


@pytest.mark.parametrize("scores", [[], [[1.0]], [float("nan")]])
def test_scores_are_finite_numbers(scores):
    with pytest.raises(InvalidInputError, match="finite scores"):
        mean_interval(scores)


def test_systems_have_scores_for_the_same_inputs():
    with pytest.raises(InvalidInputError, match=r"shape \(S,\).*got shapes \(1,\) and \(2,\)"):
        compare_scores([1.0], [1.0, 2.0])
