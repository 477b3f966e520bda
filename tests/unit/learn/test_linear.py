from __future__ import annotations

import numpy as np
import pytest

from ramify.learn.arrays import BadTensorsError
from ramify.learn.linear import Linear, LinearWeights, Sharing, combined, even_weights, rows_of


def step(weights, rows, gradient):
    weights.update([(rows, np.asarray(gradient, float), 1.0)])


def test_scores_are_sums_of_weights():
    weights = LinearWeights(max_step=1.0, l2=0.0, num_examples=1)
    step(weights, rows_of([["a=1"], ["b=2", "a=1"]]), [1.0, -1.0])
    one, both = weights.scores(rows_of([["b=2"], ["a=1", "b=2"]]))
    (alone,) = weights.scores(rows_of([["a=1"]]))
    assert one > 0
    assert both == pytest.approx(one + alone)
    assert weights.scores(rows_of([["c=1"], []])).tolist() == [0.0, 0.0]


def test_frozen_weights_score_nearly_the_same():
    weights = LinearWeights(max_step=0.1, l2=0.0, num_examples=1)
    rows = rows_of([[f"f={i}", f"g={i % 7}"] for i in range(50)])
    rng = np.random.default_rng(0)
    for _ in range(5):
        step(weights, rows, rng.normal(size=50))
    weights.end_epoch()
    frozen = weights.freeze(1000)
    np.testing.assert_allclose(frozen.scores(rows), weights.scores(rows, averaged=True), atol=1e-3)
    assert len(weights.freeze(10).keys) == 10


@pytest.mark.parametrize("ratio", [0.5, 2.0])
def test_sharing_equals_separate_penalties(ratio):
    """Ridge regression with w + v: the minimum that learning reaches is that of the closed form."""
    x = {1: 1.0, 2: -0.4}  # task -> target of its only part; w + v_task is to be near it
    shared_l2 = 0.3
    own_l2 = shared_l2 / ratio
    # min over w, v1, v2 of sum (w + v_k - x_k)^2 / 2 + shared/2 w^2 + own/2 sum v_k^2
    matrix = np.array([[2 + shared_l2, 1, 1], [1, 1 + own_l2, 0], [1, 0, 1 + own_l2]])
    w, *v = np.linalg.solve(matrix, [x[1] + x[2], x[1], x[2]])
    weights = LinearWeights(max_step=0.02, l2=shared_l2, num_examples=2, batch=2)
    parts = {task: rows_of([["f=1"]], Sharing(task, ratio)) for task in x}
    for _ in range(4000):
        gradients = [(parts[task], weights.scores(parts[task]) - x[task], 1.0) for task in x]
        weights.update(gradients)
    for task, own in zip(x, v, strict=True):
        assert weights.scores(parts[task])[0] == pytest.approx(w + own, abs=0.02)
    assert weights.scores(rows_of([["f=1"]]))[0] == pytest.approx(w, abs=0.02)


def test_keys_ascend():
    with pytest.raises(BadTensorsError, match="ascending"):
        Linear(np.array([2, 1], np.uint64), np.array([1, 1], np.int16), 0.1)


def test_a_combined_model_scores_the_sum():
    rng = np.random.default_rng(2)
    rows = rows_of([[f"f={i}", f"g={i % 3}"] for i in range(9)])
    keys = np.unique(rows.keys)
    models = [Linear(keys[part], rng.integers(-99, 99, len(keys[part])).astype(np.int16), scale)
              for part, scale in ((slice(0, 8), 0.01), (slice(4, None), 0.3))]  # fmt: skip
    both = combined([(models[0], 2.0), (models[1], -0.5)])
    expected = 2.0 * models[0].scores(rows) - 0.5 * models[1].scores(rows)
    np.testing.assert_allclose(both.scores(rows), expected, atol=2e-3)
    assert np.all(combined([(models[0], 0.0)]).scores(rows) == 0.0)


def test_every_task_counts_the_same():
    tasks = [3, 1, 1, 1, 2, 2]
    weights = even_weights(tasks)
    assert weights.mean() == pytest.approx(1.0)
    assert {task: sum(w for w, t in zip(weights, tasks, strict=True) if t == task) for task in (1, 2, 3)} == {
        task: pytest.approx(2.0) for task in (1, 2, 3)
    }
