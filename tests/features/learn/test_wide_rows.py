"""Rows that score several parts at once: each part has weights of its own for the features of the row."""

from __future__ import annotations

import numpy as np
import pytest

from ramify._core import learn as core
from ramify.errors import InvalidInputError
from support.learners import learner, optimizer

pytestmark = pytest.mark.engine

WIDTHS = np.array([1, 3, 20, 300, 20], dtype=np.int32)
COLUMNS = 6  # of each template; there is one template for each width


@pytest.fixture
def rows():
    """Dense features of five rows; rows of the same width have the same template."""
    return np.float32(np.random.default_rng(0).normal(size=(WIDTHS.size, COLUMNS)))


def arrays_of(rows):
    templates = [0, 1, 2, 3, 2]
    keys = np.concatenate([core.feature_keys(t, np.arange(COLUMNS, dtype=np.uint64)) for t in templates])
    return np.arange(WIDTHS.size + 1) * COLUMNS, keys, rows.ravel()


def split(values):
    return np.split(values, np.cumsum(WIDTHS)[:-1])


def test_a_step_is_that_of_a_matrix_of_weights(rows):
    model = learner(optimizer("SGD", rate=0.5, averaged=False))
    arrays = arrays_of(rows)
    gradient = np.random.default_rng(1).normal(size=WIDTHS.sum())
    model.update(np.array([0, WIDTHS.size]), *arrays, gradient, np.ones(1), WIDTHS)
    weights = {k: np.zeros((COLUMNS, k)) for k in WIDTHS}
    for row, width, own in zip(rows, WIDTHS, split(gradient), strict=True):
        weights[width] -= 0.5 * np.outer(row, own)
    got = split(np.asarray(model.scores(*arrays, False, WIDTHS)))
    for row, width, sums in zip(rows, WIDTHS, got, strict=True):
        assert sums == pytest.approx(row @ weights[width], rel=1e-4, abs=1e-4)
    assert model.num_weights == COLUMNS * (1 + 3 + 20 + 300)


def test_all_weights_of_a_wide_row_belong_to_its_template(rows):
    model = learner(optimizer("SGD", averaged=False))
    arrays = arrays_of(rows)
    model.update(np.array([0, WIDTHS.size]), *arrays, np.ones(WIDTHS.sum()), np.ones(1), WIDTHS)
    counts, _ = model.template_norms(False)
    assert list(counts[:4]) == [COLUMNS * k for k in (1, 3, 20, 300)]
    before = split(np.asarray(model.scores(*arrays, False, WIDTHS)))
    model.drop_template(3)
    after = split(np.asarray(model.scores(*arrays, False, WIDTHS)))
    assert not np.any(after[3])
    assert all(np.array_equal(a, b) for i, (a, b) in enumerate(zip(after, before, strict=True)) if i != 3)


def test_the_first_part_of_a_row_has_the_plain_weights(rows):
    model = learner(optimizer("SGD", averaged=False))
    begin, keys, values = arrays_of(rows)
    model.update(np.array([0, WIDTHS.size]), begin, keys, values, np.ones(WIDTHS.size), np.ones(1))
    plain = np.asarray(model.scores(begin, keys, values, False))
    wide = split(np.asarray(model.scores(begin, keys, values, False, WIDTHS)))
    assert [part[0] for part in wide] == plain.tolist()
    assert not any(np.any(part[1:]) for part in wide)


@pytest.mark.parametrize(
    ("widths", "message"),
    [([1, 2], "widths"), ([1, 3, 20, 300, 0], "widths"), ([1, 3, 20, 300, -5], "widths")],
)
def test_bad_widths(rows, widths, message):
    model = learner(optimizer())
    with pytest.raises(InvalidInputError, match=message):
        model.scores(*arrays_of(rows), False, np.array(widths, dtype=np.int32))
