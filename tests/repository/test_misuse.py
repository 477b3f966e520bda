"""Whatever a caller of Python does wrong is an error; the interpreter never dies of it.

The sanitized build runs these too, where even a read past an array's end that would go unnoticed is found.
"""

from __future__ import annotations

import contextlib
import functools
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from ramify import FactorGraph, _core, trees
from ramify.errors import InvalidInputError
from ramify.graph import Problem
from ramify.inference import AD3, ILP, LP, BeliefPropagation, Exact, Relax, SparseMAP, Subgradient, backward
from ramify.inference.decode import minimum_risk
from ramify.logic import Index, Theory
from ramify.trees import ArcList, projective
from ramify.variables import VariableArray

pytestmark = pytest.mark.engine

HEADS, MODIFIERS = [0, 0, 1, 2, 0, 3], [1, 2, 2, 1, 3, 1]


def small():
    graph = FactorGraph()
    graph.add(F.ExactlyOne(graph.add_variables(6)[:3]))
    return graph


def large():
    """As many variables as `small`, and far more factors and parts."""
    graph = FactorGraph()
    x = graph.add_variables(6)
    for _ in range(3):
        graph.add(F.Tree(x, HEADS, MODIFIERS, 3))
    graph.add(F.ConsecutiveSiblings(x, None))
    graph.add(F.Pair(x[:-1], x[1:], 1.0))
    return graph


def tree(count=1):
    return F.Tree([range(6)] * count, HEADS, MODIFIERS, 3)


def refused(match=None):
    return pytest.raises(InvalidInputError, match=match)


# --- states of others -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [AD3(), AD3(exact=True), SparseMAP(), Subgradient(), BeliefPropagation()])
def test_warm_start_from_another_graph(method):
    result = small().solve(method)
    with refused("same graph"):
        large().solve(method, np.arange(6.0), warm_start=result)


@pytest.mark.parametrize("start", [3, "ad3", [1.0], np.zeros(5), object()])
@pytest.mark.parametrize("method", [AD3(), SparseMAP(), Subgradient(), BeliefPropagation()])
def test_warm_start_from_something_else(method, start):
    with refused():
        small().solve(method, warm_start=start)


def test_warm_start_of_a_graph_that_is_gone():
    results = [small().solve(AD3()) for _ in range(5)]
    for result in results:  # a new graph may lie where the old one was
        with refused("same graph"):
            small().solve(AD3(), warm_start=result)


def test_backward_with_the_result_of_another_graph():
    result = small().solve(SparseMAP())
    with refused("same graph"):
        SparseMAP().backward(large().problem(), result, np.ones(6))


@pytest.mark.parametrize("size", [0, 5, 7, 10_000])
def test_backward_with_gradients_of_wrong_sizes(size):
    graph = large()
    result = graph.solve(BeliefPropagation(keep_tape=True))
    with refused():
        backward(result, grad_marginals=np.ones(size))
    with refused():
        result.state.session.backward(np.ones(size), np.zeros(graph.num_parts), 0.0)
    with refused():
        Exact().backward(graph.problem(), np.ones(size))
    with refused():
        SparseMAP().backward(graph.problem(), graph.solve(SparseMAP()), np.ones(size))


def test_backward_without_a_tape():
    graph = large()
    method = BeliefPropagation()
    session = method.session(graph.problem(), np.zeros(0, np.uint8), np.zeros(0), 1.0)
    with refused("tape"):
        session.backward(np.zeros(6), np.zeros(graph.num_parts), 1.0)
    session.run(False)
    with refused("tape"):
        session.backward(np.zeros(6), np.zeros(graph.num_parts), 1.0)


def test_project_with_the_state_of_another_factor():
    one, many = tree(), tree(9)
    state = one.projection_state()
    one.project(np.zeros(6), state=state)
    with refused("same factors"):
        many.project(np.zeros(54), state=state)
    with refused("same factors"):
        many.project_vjp(np.zeros(54), state, np.ones(54))
    with refused("projection_state"):
        many.project(np.zeros(54), state="state")
    table = F.Table(VariableArray([0, 1], 30), np.zeros((30, 30)))
    state = table.projection_state()
    table.project(np.arange(60.0), state=state)
    with refused("same factors"):
        F.Table(VariableArray([0, 1], 3), np.zeros((3, 3))).project_vjp(np.zeros(6), state, np.ones(6))


def test_minimum_risk_with_a_factor_of_another_graph():
    with refused("graph"):
        minimum_risk(small().problem(), np.zeros(6), factor=large().factors[0])


# --- sizes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_words", [16384, 2**31 - 1, 2**31, 2**32 + 1, 2**63, -1])
@pytest.mark.parametrize("family", [F.Tree, F.ProjectiveTree])
def test_trees_of_too_many_words(family, num_words):
    with refused("num_words|words"):
        family([0], [0], [1], num_words)


@pytest.mark.parametrize(
    "variables",
    [
        range(64),
        range(65),
        range(1000),
        VariableArray(range(4), 2**16),
        VariableArray(range(2), 2**16),
        VariableArray(range(9), 128),
    ],
)
@pytest.mark.parametrize("family", [F.Table, F.SecondOrderSequence, F.Sequence])
def test_tables_whose_size_wraps_around(family, variables):
    with refused():
        family(variables, [])


def test_table_of_too_many_parts():
    with refused("2\\^31 - 1 parts"):
        F.Table(range(64), [])
    with refused("2\\^31 - 1 parts"):
        F.TriSiblings(range(50_000), [])
    with refused("2\\^31 - 1 parts"):
        F.TagLink(0, VariableArray(1, 2**20), VariableArray(2, 2**20), [])


@pytest.mark.parametrize("num_states", [1, 0, -1, 2**24 + 1, 2**31, 2**32 + 2, 2.0, "two"])
def test_numbers_of_states(num_states):
    with refused():
        VariableArray([0], num_states)


@pytest.mark.parametrize(("costs", "capacity"), [([2**30] * 3, 2**31 - 1), ([2**31] * 3, 5), ([1, 1, -1], 2)])
def test_knapsack_of_too_large_numbers(costs, capacity):
    with refused():
        F.Knapsack(range(3), costs, capacity)


def test_knapsack_does_not_wrap_small_integers():
    factor = F.Knapsack(range(3), np.array([100, 100, 100], np.int8), 150)
    assert factor.score([1, 1, 0])[0] == -np.inf
    assert factor.score([1, 0, 0])[0] == 0


@pytest.mark.parametrize("scores", [np.zeros(1), np.zeros(5), np.zeros(10_000), np.full(6, np.nan), np.zeros((2, 3))])
def test_problem_with_wrong_scores(scores):
    with refused("scores"):
        Problem(large(), scores, np.zeros(large().num_parts))


@pytest.mark.parametrize("size", [0, 1, 32, 34, 10_000])
def test_problem_with_wrong_parts(size):
    assert large().num_parts == 33
    with refused("part_scores"):
        Problem(large(), np.zeros(6), np.zeros(size))


def test_problem_whose_graph_would_grow():
    graph = small()
    Problem(graph, np.zeros(6), np.zeros(0))
    with refused("frozen"):
        graph.add(F.Pair(0, 1, 1.0))
    with refused("frozen"):
        graph.add_variables(500)


def test_problem_whose_arrays_are_changed():
    problem = large().problem(np.arange(6.0))
    problem.scores[2] = np.nan
    for method in (AD3(), SparseMAP(), Subgradient(), BeliefPropagation(), Relax(), Exact()):
        with refused("NaN"):
            method.solve(problem)


@pytest.mark.parametrize("assignment", [[10**8, 5, -7], [3, 0, 0], [0, 0, -1], [0, 0], [0] * 4, [2**32] * 3, [0.5] * 3])
def test_value_of_an_assignment_out_of_range(assignment):
    graph = FactorGraph()
    graph.add(F.Table(graph.add_variables(3, 3), np.zeros((3, 3, 3))))
    with refused("Problem.value"):
        graph.problem().value(np.array(assignment))


def test_graph_arrays_cannot_be_changed():
    graph = small()
    for array in (graph.num_states, graph.coordinate_offsets, graph.factors[0].variables, graph.factors[0].scores):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 7


def test_factor_arrays_that_are_changed_are_checked_again():
    factor = tree()
    heads, modifiers, _ = factor.arcs()
    heads[:] = 10**8
    modifiers[:] = -(10**8)
    with refused():
        factor.constraints(formulation="single-commodity")
    graph = FactorGraph()
    graph.add_variables(6)
    graph.add(factor)
    with refused():
        graph.solve(LP())


@pytest.mark.parametrize("factor", [-1, 1, 10**9, 0.5, None])
def test_factors_that_a_group_does_not_have(factor):
    group = tree()
    siblings = functools.partial(F.ConsecutiveSiblings(range(3), None).constraints, formulation="dynamic")
    for ask in (group.arcs, group.constraints, siblings):
        with refused("factor"):
            ask(factor)


# --- trees ----------------------------------------------------------------------------------------------------------


def arc_list():
    return ArcList(np.array([0, 1], np.int32), np.array([1, 2], np.int32), np.zeros(2), 2)


def test_arc_list_keeps_what_was_checked():
    heads, modifiers = np.array([0, 1], np.int32), np.array([1, 2], np.int32)
    arcs = ArcList(heads, modifiers, np.zeros(2), 2)
    heads[:], modifiers[:] = 10**8, -(10**8)
    assert trees.max_arborescence(arcs)[0].tolist() == [-1, 0, 1]
    with pytest.raises(ValueError, match="read-only"):
        arcs.heads[0] = 5


def test_arc_list_that_was_made_writable():
    arcs = arc_list()
    arcs.heads.setflags(write=True)
    arcs.heads[0] = 10**8
    with refused("heads"):
        trees.max_arborescence(arcs)


def test_arrays_that_another_thread_changes():
    """What is checked is a copy: between check and search, another thread may write anything into the arrays."""
    pairs = [(h, m) for h in range(101) for m in range(1, 101) if h != m]
    heads, modifiers = np.array(pairs, np.int32).T
    arcs = ArcList(heads, modifiers, np.zeros(len(pairs)), 100)
    matrices, lengths = np.zeros((50, 9, 9)), np.full(50, 8, np.int32)
    for array in (arcs.heads, arcs.modifiers):
        array.setflags(write=True)
    done = threading.Event()

    def write():
        while not done.is_set():
            arcs.heads[:] = arcs.modifiers[:] = lengths[:] = 10**8
            arcs.heads[:], arcs.modifiers[:], lengths[:] = heads, modifiers, 8

    def ask(function, *arguments, **options):
        with contextlib.suppress(InvalidInputError, IndexError, AssertionError):
            function(*arguments, **options)

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        try:
            for _ in range(100):
                ask(trees.max_arborescence, arcs)
                ask(trees.log_partition, matrices, lengths=lengths)
                ask(projective.log_partition, matrices, lengths=lengths)
        finally:
            done.set()
        writing.result()


class Meddler:
    """A factor that changes the arrays which it is solved with."""

    def __init__(self, *arrays):
        self.arrays = arrays

    def argmax(self, q, scores):
        for array in self.arrays:
            array[:] = np.nan
        return (q > 0).astype(int)


@pytest.mark.parametrize("method", [AD3(max_iterations=20), Subgradient(max_iterations=20), SparseMAP(), Exact()])
def test_scores_that_a_factor_changes_while_they_are_used(method):
    scores = np.arange(-3.0, 3.0)
    results = []
    for meddles in (False, True):
        graph = FactorGraph()
        x = graph.add_variables(6)
        oracle = Meddler()
        graph.add(F.UserFactor(x, oracle))
        graph.add(F.Knapsack(x, range(6), 9))
        mine = Problem(graph, scores.copy(), np.zeros(0))
        oracle.arrays = (mine.scores,) if meddles else ()
        try:
            results.append(method.solve(mine).marginals)
        except InvalidInputError:
            assert meddles
            return
    np.testing.assert_array_equal(*results)


def test_coordinates_that_a_factor_changes_while_they_are_projected():
    expected = F.UserFactor(range(4), Meddler()).project(np.arange(-1.0, 3.0)).point
    a = np.arange(-1.0, 3.0)
    np.testing.assert_array_equal(F.UserFactor(range(4), Meddler(a)).project(a).point, expected)


@pytest.mark.parametrize("num_words", [0, -1, 2**31, 2**64, 1.5, None, True])
def test_arc_list_of_no_number_of_words(num_words):
    with refused("ArcList"):
        ArcList(np.array([0]), np.array([1]), np.zeros(1), num_words)


def test_arc_list_does_not_wrap_large_integers():
    with refused("32 bits"):
        ArcList(np.array([2**32]), np.array([1]), np.zeros(1), 2)


def test_matrix_of_too_many_words():
    arcs = ArcList(np.array([0]), np.array([1]), np.zeros(1), 10**6)
    for ask in (trees.log_partition, trees.max_arborescence, projective.log_partition):
        with refused("words"):
            ask(arcs)


@pytest.mark.parametrize("num_threads", [0, -3, 10**6])
@pytest.mark.parametrize("module", [trees, projective])
def test_number_of_threads(module, num_threads):
    with refused("num_threads"):
        module.log_partition(np.zeros((5, 3, 3)), num_threads=num_threads)


def test_heads_that_are_no_tree():
    for heads in ([0, 2, 1], [0, 9, 1], [0, -5, 1]):
        array = np.array(heads, np.int32)
        for ask in (_core.nonprojective_arcs, _core.crossing_arcs, _core.gap_degree, _core.projectivize):
            with refused("tree"):
                ask(array)


def test_room_for_trees_of_wrong_sizes():
    scores, short = np.zeros((2, 4, 4)), np.zeros(1)
    with refused():
        _core.trees_log_partition(scores, None, False, 1, short)
    with refused():
        _core.trees_log_partition(scores, np.array([3, 99], np.int32), False, 1, np.zeros(2))
    with refused():
        _core.trees_marginals(scores, None, False, 1, np.zeros((1, 4, 4)), None, np.zeros(2))
    with refused():
        _core.trees_log_partition(np.zeros((2, 4, 3)), None, False, 1, np.zeros(2))


# --- the core by itself ---------------------------------------------------------------------------------------------


def test_core_graph_refuses_what_does_not_fit():
    states = np.full(3, 2, np.int32)
    group = F.ExactlyOne(range(3))._group
    make = _core.graph.FactorGraph
    for groups, variables in [
        ((group,), []),
        ((group,), [np.zeros(1, np.int64)]),
        ((group,), [np.array([0, 1, 99])]),
        ((group, group), [np.arange(3)]),
    ]:
        with refused():
            make(states, groups, variables)
    for groups in ([group], (None,), (3,)):
        with pytest.raises((TypeError, RuntimeError)):
            make(states, groups, [np.arange(3)])
    with refused():
        make(np.array([0, -5], np.int32), (), [])


def test_core_makers_refuse_arrays_that_do_not_fit():
    make = _core.factors
    slots, none, flags = np.array([0, 3]), np.zeros(0, np.int64), np.zeros(0, np.uint8)
    ints = lambda *values: np.array(values, np.int32)  # noqa: E731
    calls = [
        lambda: make.make_logic("Or", make.LogicRule.OR, none, flags),
        lambda: make.make_logic("Or", make.LogicRule.OR, np.array([5, 2]), flags),
        lambda: make.make_logic("Or", make.LogicRule.OR, slots, np.ones(2, np.uint8)),
        lambda: make.make_budget(slots, flags, ints(), make.Relation.AT_MOST),
        lambda: make.make_budget(slots, flags, ints(-1), make.Relation.AT_MOST),
        lambda: make.make_knapsack(slots, ints(1), ints(1)),
        lambda: make.make_count(slots, ints(0)),
        lambda: make.make_pair(-1),
        lambda: make.make_table("Table", slots, ints(2, 2)),
        lambda: make.make_table("Table", slots, ints(2, 2, 0)),
        lambda: make.make_tag_link(1, ints(3, 2, 2)),
        lambda: make.make_sequence(slots, ints(2)),
        lambda: make.make_head_bigram(slots, ints(1, 1)),
        lambda: make.make_grand_siblings(slots, ints(3)),
        lambda: make.make_grand_tri_siblings(slots, ints(-1)),
        lambda: make.make_gated_siblings(np.array([0, 1])),
        lambda: make.make_compression_tree(slots, ints(1, 2, 0)),
        lambda: make.make_compression_tree(slots, ints(-1, 9, 0)),
        lambda: make.make_tree(slots, ints(0, 0), ints(1, 2), ints(3), False),
        lambda: make.make_tree(slots, ints(0, 0, 9), ints(1, 2, 3), ints(3), False),
        lambda: make.make_no_cross(slots, ints(0, 0, 0), ints(1), ints(2), ints(3)),
        lambda: make.dynamic_sibling_constraints(2**40),
        lambda: make.one_head_constraints(ints(0), ints(5), 2, False),
    ]
    for call in calls:
        with refused():
            call()


def test_core_group_refuses_arrays_of_wrong_sizes():
    group = large().factors[-1]._group
    right, parts = np.zeros(10), np.zeros(5)
    for q, own in [(np.zeros(9), parts), (right, np.zeros(4)), (np.full(10, np.nan), parts)]:
        for ask in (group.marginals, group.argmax, group.max_marginals, group.entropy):
            with refused():
                ask(q, own)
        with refused():
            group.project(q, own, group.make_state())
    for y in (np.zeros(9, np.int32), np.full(10, 2, np.int32), np.full(10, -1, np.int32)):
        with refused():
            group.score(y, parts)


def test_core_sums_refuse_graphs_that_are_too_large():
    graph = FactorGraph()
    graph.add_variables(64)
    core = graph.freeze()
    with refused("2\\^30"):
        _core.programs.log_weights(core, np.zeros(64), np.zeros(0))
    assert _core.programs.count_assignments(core, 2**62) == -1
    assert _core.programs.count_assignments(core, -5) == -1
    with refused():
        _core.programs.program_rows(core, [[]])
    with refused():
        _core.programs.weighted_sums(small().freeze(), np.zeros(3))


def test_core_chain_refuses_arrays_of_wrong_sizes():
    solve = _core.tagging.solve_chain
    for order, labels, scores, pairs, triples in [
        (1, 0, 4, 9, 0),
        (1, 2, 5, 9, 0),
        (1, 2, 4, 8, 0),
        (2, 2, 4, 9, 26),
        (3, 2, 4, 9, 27),
        (-1, 2, 4, 9, 0),
    ]:
        with refused():
            solve(order, labels, np.zeros(scores), np.zeros(pairs), np.zeros(triples), 1)
    with refused():
        solve(1, 2, np.full(4, np.nan), np.zeros(9), np.zeros(0), 1)


def test_core_sentence_refuses_words_that_it_does_not_have():
    reader = _core.Reader(_core.Format.CONLLU, True, False, 2**20)
    reader.feed(b"1\ta\ta\tX\tX\t_\t0\troot\t_\t_\n")
    (sentence,) = reader.finish()
    for word in (1, 10**9):
        with refused():
            sentence.cell(word, _core.Column.FORM)
        with refused():
            sentence.set_cell(word, _core.Column.FORM, "b")
    with refused():
        sentence.set_column(_core.Column.FORM, [])
    with refused():
        _core.to_bytes([None], _core.Format.CONLLU, True, True)
    sentence.heads[0] = 10**8
    vocabulary = _core.parsing.Vocabulary()
    with refused("heads"):
        _core.parsing.count_pairs(vocabulary, ["root"], [sentence])
    with refused():
        vocabulary.count([None])


def test_core_segmenter_refuses_arrays_of_wrong_sizes():
    trainer = _core.segmentation.Trainer(8, 0.1, 0.1, 0)
    flags = np.zeros(1, np.uint8)
    for begin, end in [(0, 99), (-5, 1), (2, 1), (10**12, 10**12 + 1)]:
        with refused():
            trainer.count("two words", np.array([begin]), np.array([end]), flags)
    with refused():
        trainer.count("two words", np.array([0]), np.array([1, 2]), flags)
    with refused():
        _core.segmentation.Trainer(64, 0.1, 0.1, 0)
    weights, inside = np.zeros(4, np.float32), np.zeros(_core.segmentation.NUM_CLASSES**2, np.uint8)
    make = _core.segmentation.Segmenter
    for token, table in [
        (weights[:3], inside),
        (weights[:0], inside),
        (weights * np.nan, inside),
        (weights, inside[:9]),
    ]:
        with refused():
            make(token, weights, table, False, 0.0, np.zeros(0, np.uint64), [])


def tagger_trainer():
    none, some = np.zeros(0, np.uint64), np.zeros(0, np.uint16)
    model = _core.tagging.TaggerModel(
        1, _core.tagging.Scheme.NONE, ["A", "B"], some, ["form"], ["w[0]"], some, False, none, some, some, none,
        np.zeros(0, np.uint32), [],
    )  # fmt: skip
    learn = _core.learn
    loss = learn.Loss(learn.LossKind.FAMILY, 1.0, 1.0)
    optimizer = learn.Optimizer(learn.Method.ADAGRAD, 0.1, 0.0, 0.001, True)
    options = (False, 1, loss, optimizer, learn.Regularizer(), 1.0, 0.0, 0.0, 1, 1, 1)
    return model, _core.tagging.Trainer(model, *options)


TRAINER_CALLS = {
    "refit": (5, 0.0), "shrink": (), "template_statistics": (), "information_gain": (), "support": (),
    "restrict_to": (np.ones(1, np.uint64), np.ones(1, np.uint16), np.zeros(1, np.uint16)), "predict_dev": (),
    "freeze": (5, 0.0), "ngram_weights": (), "state": (), "restore": ({},),
}  # fmt: skip


@pytest.mark.parametrize("name", TRAINER_CALLS)
def test_trainer_of_taggers_before_it_has_sentences(name):
    with refused("expects sentences"):
        getattr(tagger_trainer()[1], name)(*TRAINER_CALLS[name])


def test_trainer_of_taggers_with_other_sentences():
    model, trainer = tagger_trainer()
    source = _core.tagging.ColumnSource([[["the", "dog"]]])
    with refused("the model that the trainer was made for"):
        trainer.load(tagger_trainer()[0], source, None, [[0, 1]])
    trainer.load(model, source, source, [[0, 1]])
    with refused("a new trainer"):
        trainer.load(model, source, None, [[0, 1]])
    assert trainer.run(np.array([0])).words == 2
    assert trainer.predict_dev().size == 2


def parser_trainer():
    from ramify import data
    from ramify.parsing import Parser
    from ramify.parsing.config import Config
    from ramify.parsing.training import trainer_options

    sentences = list(data.read("tests/data/ewt-sample-200.conllu"))[:5]
    parser = Parser.train(sentences, options={"training.epochs": 1, "pruner.bits": 12}, preset="first")
    core = [sentence._core for sentence in sentences]
    return parser, _core.parsing.Trainer(parser._model.core, trainer_options(Config.preset("first"), 1), core, [])


def test_trainer_of_parsers_before_it_has_candidates():
    _, trainer = parser_trainer()
    for ask in (lambda: trainer.run(np.arange(5)), trainer.evaluate, lambda: trainer.loss_and_gradient(0)):
        with refused("expects candidates first"):
            ask()
    with refused("expects candidates first"):
        trainer.information_gain()
    for rate in (np.nan, np.inf, -1.0):
        with refused("rate"):
            trainer.train_pruner(np.arange(5), rate)
    trainer.prune()
    assert trainer.run(np.arange(5)).sentences == 5


@pytest.mark.parametrize("order", list(_core.ProjectiveOrder))
@pytest.mark.parametrize("score", [np.nan, np.inf])
def test_tables_of_projective_trees_that_are_no_numbers(order, score):
    """Python refuses such scores where they count; for the engine they are forbidden."""
    n = 5
    sizes = {"ARC": n**2, "SIBLING": n**3, "GRAND": n**3, "GRAND_SIBLING": n**4, "TRI_SIBLING": 2 * n**4}
    table = np.full((1, sizes[order.name]), score)
    arguments = (order, table, np.array([n - 1], np.int32), n, True, 1)
    assert _core.projective_log_partition(*arguments)[0] == -np.inf
    for ask in ("best_trees", "max_marginals"):
        assert getattr(_core, f"projective_{ask}")(*arguments)[1][0] == -np.inf
    _core.projective_k_best(*arguments, 3)
    _core.projective_sample(*arguments, 1, 3)


# --- threads --------------------------------------------------------------------------------------------------------


def test_gradients_of_one_result_from_many_threads():
    result = large().solve(BeliefPropagation(keep_tape=True))
    alone = backward(result, grad_marginals=np.arange(6.0))[0]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: backward(result, grad_marginals=np.arange(6.0))[0], range(64)))
    for gradient in found:
        np.testing.assert_array_equal(gradient, alone)


def test_projections_with_one_state_from_many_threads():
    factor = tree(20)
    state = factor.projection_state()
    a = np.linspace(-1, 1, 120)
    alone = factor.project(a).point
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: factor.project(a, state=state).point, range(64)))
    for point in found:
        np.testing.assert_allclose(point, alone, atol=1e-9)


# --- what random calls found ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [3, True, "on", [0], np.zeros(3), {0: 0.5}, {0: "on"}, {"x": 1}, {None: 1}])
@pytest.mark.parametrize("name", ["evidence", "forbidden"])
def test_evidence_that_is_none(name, given):
    with refused("evidence|forbidden|Evidence"):
        small().problem(**{name: given})


@pytest.mark.parametrize("shape", [2**31, (2**20, 2**20), 10**30, -1, (2, -1)])
def test_more_variables_than_a_graph_can_have(shape):
    with refused("add_variables"):
        FactorGraph().add_variables(shape)


@pytest.mark.parametrize("start", [small, lambda: large_with(9)])
def test_ilp_from_the_result_of_another_graph(start):
    graph = FactorGraph()
    graph.add_variables(3, 3)
    with refused("ILP"):
        graph.solve(ILP(), warm_start=start().solve(AD3()))
    with refused("ILP"):
        graph.solve(ILP(), warm_start=[0, 1, 3])


def large_with(num_variables):
    """As many coordinates as three variables with three states have."""
    graph = FactorGraph()
    graph.add(F.ExactlyOne(graph.add_variables(num_variables)))
    return graph


@pytest.mark.parametrize("term", [None, "i", 0.5, True, np.zeros(2), {}])
def test_terms_of_logic_that_are_none(term):
    theory = Theory(FactorGraph())
    p = theory.predicate("p", Index("i", 0, 3))
    with refused("Predicate p expects"):
        p(term)
    with refused("Predicate q expects"):
        theory.predicate("q", term)


@pytest.mark.parametrize("arcs", [[], [[]], 3, {}, [1, 2]])
def test_head_bigram_without_words(arcs):
    with refused("HeadBigram"):
        F.HeadBigram(arcs, [])


def test_factor_from_arguments_of_other_types():
    arguments = F.Nand(range(2)).arguments()
    with refused("from_arguments"):
        F.Nand.from_arguments({**arguments, "negated": {}})


@pytest.mark.parametrize("call", [200, 600])
def test_interruption_while_the_core_is_loaded(call):
    """The signal comes in the middle of the Python code that makes the core's enumerations."""
    code = f"""
import signal, sys
import enum, numpy, time, ramify
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job inherits that it is ignored
calls = 0
def count(frame, event, argument):
    global calls
    calls += event == "call"
    if calls == {call}:
        sys.setprofile(None)
        signal.raise_signal(signal.SIGINT)
sys.setprofile(count)
try:
    import ramify._core
    time.sleep(10)
    sys.exit("not interrupted")
except KeyboardInterrupt:
    import ramify._core
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("incoming", [10**30, [0.5, 1.0], [None, 1]])
@pytest.mark.parametrize("family", [F.GrandSiblings, F.GrandTriSiblings])
def test_arcs_of_heads_that_are_no_indexes(family, incoming):
    with refused(f"{family.__name__} expects variables as integer indexes"):
        family(incoming, range(2, 5), None)
