"""Chains of three labels, for tests of what learns on factor graphs."""

from __future__ import annotations

from functools import lru_cache

from ramify import FactorGraph
from ramify.factors import Sequence
from ramify.learn import Parts

STATES = 3


@lru_cache
def graph_of(length):
    graph = FactorGraph()
    labels = graph.add_variables(length, num_states=STATES)
    return graph, labels, graph.add(Sequence(labels, None))


def chain(x):
    graph, labels, sequence = graph_of(len(x))
    return Parts(graph).add("own", labels, x).add("neighbours", sequence)
