"""UAI files: what they say, what is refused, and reference answers where the data is there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from ramify import FactorGraph
from ramify import factors as F  # noqa: N812 - read all over the file
from ramify.errors import InvalidInputError, ParseError
from ramify.graph_files import read_uai, read_uai_evidence, read_uai_marginals, read_uai_partition, write_uai
from ramify.inference import ILP, Exact
from support.random_graphs import random_graph

pytestmark = pytest.mark.engine

SMALL = """MARKOV
3
2 3 1
4
1 0
2 0 1
2 1 2
0

2
 0.25 0.75
6
 1.0 0.0 2.0
 0.5 1e-3 0.125
3
 1 2 0
1
 8
"""


@pytest.fixture
def small(tmp_path):
    def write(text=SMALL, name="small.uai"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def test_tables_are_what_the_file_says(small):
    model = read_uai(small())
    assert model.kind == "MARKOV"
    assert model.num_states.tolist() == [2, 3, 1]
    table = np.array([[1, 0, 2], [0.5, 1e-3, 0.125]]) * np.array([[0.25], [0.75]]) * np.array([1, 2, 0]) * 8
    r = model.graph.solve(Exact(), model.scores)
    np.testing.assert_allclose(r.log_partition + model.constant, np.log(table.sum()))
    np.testing.assert_allclose(r.marginals[0], table[1].sum() / table.sum())
    np.testing.assert_allclose(r.marginals[1:4], table.sum(axis=0) / table.sum())
    assert r.marginals[4] == 0  # the variable with a single state
    np.testing.assert_allclose(r.value + model.constant, np.log(table.max()))


def test_evidence(small):
    model = read_uai(small())
    assert read_uai_evidence(small("2 0 1 1 0\n", "a"), model) == {0: 1, 1: 0}
    assert read_uai_evidence(small("1\n2 0 1 1 0\n", "a"), model) == {0: 1, 1: 0}
    assert read_uai_evidence(small("0", "a"), model) == {}
    assert read_uai_evidence(small("", "a"), model) == {}
    r = model.graph.solve(Exact(), model.scores, evidence={0: 1, 1: 0})
    np.testing.assert_allclose(r.log_partition + model.constant, np.log(0.5 * 0.75 * 8))


def test_binary_variable_that_cannot_be_off(small):
    model = read_uai(small("MARKOV\n1\n2\n1\n1 0\n2\n0 3\n"))
    r = model.graph.solve(Exact(), model.scores)
    np.testing.assert_allclose([r.log_partition + model.constant, r.marginals[0]], [np.log(3), 1])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("MARKOV", "MARKOW", "1: word 1 .* expected MARKOV or BAYES; found 'MARKOW'"),
        ("MARKOV\n3", "MARKOV\n3000000", "2: word 2 .*the number of variables from 0"),
        ("2 3 1", "2 3 0", "3: word 5 .*a number of states"),
        ("2 3 1", "2 3 -1", "3: word 5 .*found '-1'"),
        ("2 3 1", "2 3 1_0", "found '1_0'"),
        ("2 0 1\n", "2 0 3\n", "6: word 11 .*a variable from 0 to 2; found '3'"),
        ("2 0 1\n", "2 1 1\n", "6: .*each variable once per table"),
        ("6\n", "7\n", "12: .*a table of 6 numbers.*found 7"),
        ("0.125", "nan", "14: .*finite and not negative; found 'nan'"),
        ("0.125", "-1", "found '-1'"),
        ("0.125", "x", "found 'x'"),
        ("0.125", "inf", "found 'inf'"),
        (" 8\n", "", "the end of the file|only 0 more"),
        (" 8\n", "8 9", "the end of the file after the tables; found '9'"),
        (SMALL, "", "MARKOV or BAYES; found the end of the file"),
        (SMALL, "MARKOV 99999999999999999999", "found '99999999999999999999'"),
    ],
)
def test_malformed_networks(small, old, new, message):
    with pytest.raises(ParseError, match=message):
        read_uai(small(SMALL.replace(old, new, 1)))


def test_a_table_larger_than_the_file_costs_nothing(small):
    text = "MARKOV\n3\n1000000 1000000 1000000\n1\n3 0 1 2\n1000000000000000000\n1 2 3\n"
    with pytest.raises(ParseError, match="only 3 more words"):
        read_uai(small(text))
    with pytest.raises(ParseError, match="max_bytes"):
        read_uai(small(), max_bytes=10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5 0 1", "the number of observed"),
        ("1 0", "the end of the file"),
        ("1 9 0", "a variable"),
        ("1 0 7", "a state"),
        ("2 0 1 0 1", "0 again"),
        ("1 0 1 5", "observed|end of the file"),
    ],
)
def test_malformed_evidence(small, text, message):
    model = read_uai(small())
    with pytest.raises(ParseError, match=message):
        read_uai_evidence(small(text, "e"), model)


def test_malformed_answers(small):
    for text in ("MAR\n1 2 0.5", "PR\n1 1 1", "", "MAR\n1 1 1 5"):
        with pytest.raises(ParseError):
            read_uai_marginals(small(text, "m"))
    for text in ("PR", "PR x", "MAR 1", "PR 1 2"):
        with pytest.raises(ParseError):
            read_uai_partition(small(text, "m"))


@pytest.mark.parametrize("seed", range(15))
def test_any_graph_round_trips(seed, tmp_path):
    g = random_graph(np.random.default_rng(seed), pruned=0.1)
    log_z, best, marginals, _ = g.answers()
    assert write_uai(tmp_path / "g.uai", g.graph, g.scores) == 0.0
    model = read_uai(tmp_path / "g.uai")
    r = model.graph.solve(Exact(), model.scores)
    np.testing.assert_allclose(r.log_partition + model.constant, log_z, atol=1e-9)
    np.testing.assert_allclose(r.marginals, marginals, atol=1e-9)
    np.testing.assert_allclose(model.graph.solve(ILP(), model.scores).value + model.constant, best, atol=1e-6)


def test_large_scores_are_scaled(tmp_path):
    g = FactorGraph()
    g.add_variables(2, 3)
    scores = [5e3, 5e3 - 1, -np.inf, 1.0, 2.0, 3.0]
    assert write_uai(tmp_path / "g.uai", g, scores) == 5e3
    model = read_uai(tmp_path / "g.uai")
    r = model.graph.solve(Exact(), model.scores)
    np.testing.assert_allclose(r.marginals, g.solve(Exact(), scores).marginals, atol=1e-12)


def test_scores_that_would_become_zero_are_refused(tmp_path):
    g = FactorGraph()
    g.add_variables(1)
    with pytest.raises(InvalidInputError, match=r"score -5000.*save_graph"):
        write_uai(tmp_path / "g.uai", g, [-5e3])


def test_factors_too_large_for_a_table(tmp_path):
    g = FactorGraph()
    g.add(F.Or(g.add_variables(30)))
    with pytest.raises(InvalidInputError, match=r"max_table=1048576 joint states; Or has 1073741824.*save_graph"):
        write_uai(tmp_path / "g.uai", g)


def test_competition_networks_can_be_read():
    folder = Path(os.environ.get("RAMIFY_UAI", Path(__file__).parents[4] / "shared" / "data" / "uai"))
    if not folder.is_dir():
        pytest.skip("needs the UAI-2014 networks: set RAMIFY_UAI to their folder")
    for path in sorted(folder.glob("*/*.uai")):
        model = read_uai(path)
        evidence = read_uai_evidence(f"{path}.evid", model)
        assert all(state < model.num_states[v] for v, state in evidence.items())
        if path.parent.name == "MAR":
            reference = read_uai_marginals(f"{path}.MAR")
            assert [len(p) for p in reference] == model.num_states.tolist()
        else:
            assert np.isfinite(read_uai_partition(f"{path}.PR"))
