"""How results show themselves."""

from __future__ import annotations

import numpy as np
import pytest

from ramify import FactorGraph
from ramify.factors import ExactlyOne
from ramify.inference import AD3, LP, BeliefPropagation, Exact, Relax

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("method", [AD3(), Exact(), LP(), BeliefPropagation(), Relax()])
def test_short_whatever_the_size(method):
    g = FactorGraph()
    g.add(ExactlyOne(g.add_variables(900)))
    result = g.solve(method, np.linspace(0.0, 1.0, 900))
    assert len(repr(result)) < 200
    assert "900 marginals" in repr(result)
    assert "array" not in repr(result.state)


def test_says_how_it_ended():
    g = FactorGraph()
    x = g.add_variables(3)
    g.add(ExactlyOne(x))
    assert repr(g.solve(LP(), [1.0, 2.0, 3.0])).startswith("Result(certified, value=3, 3 marginals, assignment of 3")
    assert "infeasible" in repr(g.solve(LP(), evidence={0: 1, 1: 1}))
