"""The family L(beta, gamma) and its limits, against sums over all structures."""

import math

import numpy as np
import pytest

from ramify._core import learn as core
from ramify.errors import InvalidInputError


def enumerated(scores, costs, gold, beta, gamma):
    """Figure 4 of Martins et al. (2010), over the structures one by one."""
    margins = scores - scores[gold] + gamma * costs
    return margins.max() if math.isinf(beta) else np.log(np.exp(beta * margins).sum()) / beta


@pytest.mark.parametrize("beta", [0.3, 1.0, 4.0, math.inf])
@pytest.mark.parametrize("gamma", [0.0, 1.0, 2.5])
def test_value(beta, gamma):
    rng = np.random.default_rng(0)
    scores, costs = rng.standard_normal(9), rng.random(9)
    costs[4] = 0.0
    loss = core.Loss(core.LossKind.FAMILY, beta, gamma)
    augmented = scores + gamma * costs
    if loss.needs_best:
        reached = augmented.max()
    else:
        reached = loss.temperature * np.log(np.exp(augmented / loss.temperature).sum())
    assert loss.value(reached, scores[4]) == pytest.approx(max(enumerated(scores, costs, 4, beta, gamma), 0.0))


def test_gold_above_what_was_reached_is_no_gain():
    assert core.Loss(core.LossKind.FAMILY, math.inf, 1.0).value(1.0, 2.0) == 0.0


@pytest.mark.parametrize(
    ("beta", "gamma", "message"),
    [(0.0, 0.0, "beta"), (math.nan, 0.0, "beta"), (1.0, -1.0, "gamma"), (1.0, math.inf, "gamma")],
)
def test_wrong_losses(beta, gamma, message):
    with pytest.raises(InvalidInputError, match=f"{message} expects"):
        core.Loss(core.LossKind.FAMILY, beta, gamma)
