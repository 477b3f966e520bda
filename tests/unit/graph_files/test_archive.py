"""Every family survives a file; a file from a stranger is refused with words, never run and never trusted."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from contract.families import BUILDERS, CASES
from ramify import FactorGraph
from ramify import factors as F  # noqa: N812 - read all over the file
from ramify.errors import InvalidInputError, ParseError, UnsupportedError
from ramify.graph_files import load_graph, save_graph
from ramify.inference import Exact
from support.random_graphs import FAMILIES, random_graph
from support.zip_damage import encrypt, overwrite_directory

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("cls", FAMILIES, ids=lambda cls: cls.__name__)
def test_every_family_round_trips(cls, tmp_path):
    rng = np.random.default_rng(3)
    cases = [CASES[cls](rng, size) for size in (3, 1, 4)]
    if cls is F.Budget:
        cases = [case for case in cases if case.spec[2] == cases[0].spec[2]]
    if cls in (F.Tree, F.ProjectiveTree):
        cases = cases[:1]
    factor = BUILDERS[cls]([c.spec for c in cases], [rng.normal(size=c.truth.num_parts) for c in cases])
    g = FactorGraph()
    states = np.full(int(factor.variables.max()) + 1, 2)
    states[factor.variables] = factor.num_states
    g.add_variables(states.size, states)
    g.add(factor)
    scores = rng.normal(size=g.num_coordinates)
    scores[0] = -np.inf
    save_graph(tmp_path / "graph.npz", g, scores)
    h, loaded = load_graph(tmp_path / "graph.npz")
    np.testing.assert_array_equal(loaded, scores)
    np.testing.assert_array_equal(h.num_states, g.num_states)
    other = h.factors[0]
    assert type(other) is cls
    np.testing.assert_array_equal(other.variables, factor.variables)
    np.testing.assert_array_equal(other.part_offsets, factor.part_offsets)
    q = rng.normal(size=int(factor.coordinate_offsets[-1]))
    a, b = factor.argmax(q), other.argmax(q)
    np.testing.assert_array_equal(a.value, b.value)
    np.testing.assert_array_equal(a.parts, b.parts)
    for f in range(factor.num_factors):
        first, second = factor.constraints(f), other.constraints(f)
        for name in vars(first):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_same_graph_same_bytes_same_answers(tmp_path):
    g = random_graph(np.random.default_rng(0), num_factors=5)
    save_graph(tmp_path / "a.npz", g.graph, g.scores)
    h, scores = load_graph(tmp_path / "a.npz")
    save_graph(tmp_path / "b.npz", h, scores)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    r, s = g.graph.solve(Exact(), g.scores), h.solve(Exact(), scores)
    assert (r.value, r.log_partition) == (s.value, s.log_partition)


def test_empty_graph(tmp_path):
    save_graph(tmp_path / "graph.npz", FactorGraph())
    graph, scores = load_graph(tmp_path / "graph.npz")
    assert (graph.num_variables, graph.num_factors, scores.size) == (0, 0, 0)


class Oracle:
    def argmax(self, q, scores):
        return np.zeros(q.size)


def test_python_factors_are_refused(tmp_path):
    g = FactorGraph()
    g.add(F.UserFactor(g.add_variables(2), Oracle()))
    with pytest.raises(UnsupportedError, match="Python object"):
        save_graph(tmp_path / "graph.npz", g)
    with pytest.raises(InvalidInputError, match="from_arguments expects"):
        F.Pair.from_arguments({"variables": np.zeros(2, dtype=int)})


@pytest.fixture
def saved(tmp_path):
    g = FactorGraph()
    x = g.add_variables(3)
    g.add(F.Pair(x[:2], x[1:], [1.0, 2.0]))
    save_graph(tmp_path / "graph.npz", g, [1.0, 2.0, 3.0])
    return tmp_path / "graph.npz"


def rewrite(path, change):
    with zipfile.ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    change(contents)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data)


def with_header(**changes):
    def change(contents):
        contents["header.json"] = json.dumps(json.loads(contents["header.json"]) | changes).encode()

    return change


def npy(array, allow_pickle=False):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=allow_pickle)
    return buffer.getvalue()


def lie_about_the_shape(contents):
    contents["scores.npy"] = contents["scores.npy"].replace(b"(3,), }   ", b"(30000000,), }", 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("header.json"), "a header"),
        (lambda c: c.update({"header.json": b"[" * 100000}), "a header"),
        (with_header(format="other"), "a header"),
        (with_header(version=2), "version 1; found 2; update"),
        (with_header(families="Pair"), "families"),
        (with_header(families=["os"]), "names of factor families; found 'os'"),
        (with_header(families=["UserFactor"]), "names of factor families"),
        (with_header(families=["Capability"]), "names of factor families"),
        (with_header(families=[3]), "names of factor families"),
        (with_header(sha256="0"), "checksum"),
        (lambda c: c.pop("scores.npy"), "checksum"),
        (lambda c: c.update({"scores.npy": npy(np.array([1.0, 2.0, 4.0]))}), "checksum"),
        (lambda c: c.update({"scores.npy": npy(np.array([object()]), True)}), "a plain array"),
        (lambda c: c.update({"scores.npy": b"nothing"}), "a plain array"),
        (lie_about_the_shape, "a plain array"),
    ],
)
def test_malformed_files(saved, change, message):
    rewrite(saved, change)
    with pytest.raises(ParseError, match=message):
        load_graph(saved)


def test_wrong_arrays_with_the_right_checksum(saved, monkeypatch):
    """What the checksum cannot know, the constructors check."""
    from ramify.graph_files import _archive

    monkeypatch.setattr(_archive, "_checksum", lambda arrays: "x")
    rewrite(saved, with_header(sha256="x"))
    load_graph(saved)
    for name, array in [
        ("factors.0.variables", np.array([0, 1, 1, 9])),
        ("factors.0.offsets", np.array([0, 9, 4])),
        ("factors.0.num_states", np.array([3, 2, 2, 2])),
        ("factors.0.scores", np.array([np.nan, 1.0])),
        ("scores", np.array([1.0])),
        ("num_states", np.array([2, 2, 1])),
    ]:
        with zipfile.ZipFile(saved) as archive:
            before = archive.read(f"{name}.npy")
        rewrite(saved, lambda c, n=name, a=array: c.update({f"{n}.npy": npy(a)}))
        with pytest.raises(ParseError, match="arrays that make a graph"):
            load_graph(saved)
        rewrite(saved, lambda c, n=name, b=before: c.update({f"{n}.npy": b}))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (encrypt, "a graph saved by ramify; found 'header.json' is encrypted, and there is no password"),
        (
            lambda c: overwrite_directory(c, 10, b"\x0c"),
            "a graph saved by ramify; found 'header.json' is compressed by",
        ),
    ],
)
def test_zips_of_other_kinds(saved, damage, message):
    saved.write_bytes(damage(bytearray(saved.read_bytes())))
    with pytest.raises(ParseError, match=message):
        load_graph(saved)


def test_no_zip_and_too_large(saved, tmp_path):
    with pytest.raises(ParseError, match="at most 10 bytes"):
        load_graph(saved, max_bytes=10)
    data = bytearray(saved.read_bytes())
    (tmp_path / "half.npz").write_bytes(data[: len(data) // 2])
    (tmp_path / "text.npz").write_text("hello")
    for name in ("half.npz", "text.npz"):
        with pytest.raises(ParseError, match="a graph saved by ramify"):
            load_graph(tmp_path / name)
    for at in range(0, len(data), 37):
        damaged = data.copy()
        damaged[at] ^= 0xFF
        saved.write_bytes(damaged)
        try:
            _, scores = load_graph(saved)
        except ParseError:
            continue
        np.testing.assert_array_equal(scores, [1.0, 2.0, 3.0])  # a byte that does not matter, such as a date
