"""What families say they are, against enumeration; and groups that C++ built, against those that Python built."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from contract.families import CASES
from ramify import FactorGraph
from ramify.variables import VariableArray

pytestmark = pytest.mark.engine

DECLARED = [cls for cls in CASES if cls is not F.UserFactor]  # what Python code forbids, nobody knows


def cases(cls, seeds=12):
    for seed in range(seeds):
        rng = np.random.default_rng(seed)
        yield CASES[cls](rng, int(rng.integers(2, 5)))


@pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.__name__)
def test_soft_families_forbid_nothing_and_others_something(cls):
    complete = []
    for case in cases(cls):
        complete.append(len(case.truth.assignments) == np.prod(case.truth.num_states))
        factor = case.build(np.zeros(case.truth.num_parts))
        soft = F.Trait.SOFT in factor.traits
    assert all(complete) if soft else not all(complete)


@pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.__name__)
def test_trees_and_tables(cls):
    factor = next(cases(cls)).build(np.zeros(next(cases(cls)).truth.num_parts))
    assert (F.Trait.TREE in factor.traits) == (cls in (F.Tree, F.ProjectiveTree))
    if cls is not F.Table:  # whose variables may be single ones
        assert (F.Trait.TABLE in factor.traits) == (cls in (F.Pair, F.TagLink))


def test_tables_of_single_variables_connect_nothing():
    assert F.Trait.TABLE not in F.Table([[0], [1]], np.zeros((2, 2))).traits
    assert F.Trait.TABLE in F.Table([[0, 1]], np.zeros((1, 2, 2))).traits


def test_user_factors_promise_nothing():
    case = next(cases(F.UserFactor))
    assert not case.build(np.zeros(case.truth.num_parts)).traits


def graph_of(factor):
    """Return a graph with one group, whose variables have the numbers of states that it asks for."""
    states = np.full(int(factor.variables.max()) + 1, 2)
    states[factor.variables] = factor.num_states
    graph = FactorGraph()
    graph.add_variables(states.shape, states)
    graph.add(factor)
    return graph


@pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.__name__)
def test_adopted_groups_are_what_they_were(cls):
    rng = np.random.default_rng(5)
    for case in cases(cls, seeds=4):
        built = case.build(rng.normal(size=case.truth.num_parts))
        graph = graph_of(built)
        adopted = FactorGraph.adopt(graph.freeze(), graph.part_scores)
        (factor,) = adopted.factors
        assert type(factor) is cls
        for again in (factor, pickle.loads(pickle.dumps(factor)), copy.deepcopy(adopted).factors[0]):
            mine, theirs = again.arguments(), built.arguments()
            assert list(mine) == list(theirs)
            for name, values in theirs.items():
                if name == "negated" and values.size and not values.any():
                    assert not mine[name].any()
                else:
                    np.testing.assert_array_equal(np.ravel(mine[name]), np.ravel(values), err_msg=name)
        np.testing.assert_array_equal(adopted.num_states, graph.num_states)
        assert (adopted.num_factors, adopted.num_parts) == (graph.num_factors, graph.num_parts)


def test_an_adopted_graph_is_frozen_and_outlives_who_built_it():
    graph = graph_of(F.ExactlyOne(VariableArray([0, 1, 2])))
    adopted = FactorGraph.adopt(graph.freeze(), graph.part_scores)
    (factor,) = adopted.factors
    del graph, adopted
    np.testing.assert_array_equal(factor.score([0, 1, 0]), [0.0])


def test_a_users_class_does_not_take_the_place_of_a_family():
    class Tree(F.Tree):
        pass

    built = Tree([0], [0], [1], 1)
    graph = graph_of(built)
    assert type(FactorGraph.adopt(graph.freeze(), graph.part_scores).factors[0]) is F.Tree
