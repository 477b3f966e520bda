"""The dynamic program's table of a parser's graph, and what is measured with it."""

import itertools
import json

import numpy as np
import pytest

from ramify.factors import ProjectiveTree
from ramify.reproduce.lengths import exponent, length_of, some_of_each_length, timed
from ramify.reproduce.papers.projective_search import folded_parts, search_by_length
from ramify.reproduce.trials import UNPRUNED
from ramify.trees import projective


@pytest.mark.parametrize("parts", ["grand", "sibling,grand"])
@pytest.mark.parametrize("options", [{}, UNPRUNED], ids=["pruned", "all candidates"])
def test_table_scores_trees_as_the_parser_does(projective_parsers, parts, options, sentences):
    parser = projective_parsers[parts].with_options(options)
    program = parser.with_options({"inference.method": "dynamic-program"})
    for sentence in sentences[60:70]:
        graph = parser.factor_graph(sentence, loose=True)
        table, constant = folded_parts(graph)
        (tree,) = (factor for factor in graph.graph.factors if isinstance(factor, ProjectiveTree))
        heads, value = projective.max_arborescence(table, single_root=tree.single_root)
        best = program.parse(sentence)
        assert value + constant + graph.constant == pytest.approx(best.value)
        problem = graph.graph.problem(graph.scores)
        on = (graph.heads == heads[graph.modifiers]).astype(np.int32)
        assert problem.value(on) == pytest.approx(value + constant)


@pytest.fixture
def ticking(monkeypatch):
    """A clock of the processor that shows one second more at every look."""
    monkeypatch.setattr("ramify.reproduce.lengths.time.thread_time", itertools.count().__next__)


def test_search_error_is_never_negative(projective_parsers, sentences, ticking):
    found = search_by_length(projective_parsers["sibling,grand"], sentences[60:66])
    assert json.loads(json.dumps(found)) == found
    assert list(found) == ["all candidates", "pruned"]
    for row in (*found["all candidates"], *found["pruned"]):
        for way in ("MBR", "1", "10"):
            seconds, gap, wrong = row[way]
            assert seconds == 1
            assert gap >= -1e-6
            assert 0 <= wrong <= row["words"]
        assert row["MBR"][2] == 0


def test_growth_is_the_slope_of_logarithms():
    words = [5, 12, 20, 40]
    assert exponent(words, [1.0, *(0.1 * w**3 for w in words[1:])]) == pytest.approx(3.0)
    assert exponent([3, 15], [1.0, 2.0]) is None


def test_lengths(sentences):
    few = some_of_each_length(sentences, 2)
    assert [length_of(len(sentence)) for sentence in few] == ["1–10", "1–10", "11–20", "11–20"]
    assert length_of(100) == "more"


def test_time_is_that_of_the_fastest_run(monkeypatch):
    clock = iter([10, 17, 20, 25, 30, 36, 40, 49])  # runs of 7, 5, 6 and 9 seconds
    monkeypatch.setattr("ramify.reproduce.lengths.time.thread_time", clock.__next__)
    calls = []
    seconds, answer = timed(lambda: calls.append(1) or len(calls), 4)
    assert (len(calls), answer) == (4, 4)
    assert seconds == 5
