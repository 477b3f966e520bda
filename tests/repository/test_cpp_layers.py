"""C++ files include only what their layer may use."""

from __future__ import annotations

import importlib.util
import itertools
import re

import pytest


@pytest.fixture
def layers(pytestconfig):
    path = pytestconfig.rootpath / "cpp/tools/check_layers.py"
    spec = importlib.util.spec_from_file_location("check_layers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def write(tmp_path):
    """Write a file with the includes that are given into a folder as ``cpp`` is."""

    def include(name, *lines):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"#include {line}\n" for line in lines))

    include("include/ramify/numeric/semiring.hpp", "<cmath>")
    include("include/ramify/graph/factor_graph.hpp", '"ramify/numeric/semiring.hpp"', "<vector>")
    include("src/learn/loss.cpp", '"ramify/graph/factor_graph.hpp"', '"slots.hpp"')
    include("bindings/module.cpp", "<nanobind/nanobind.h>", '"ramify/graph/factor_graph.hpp"')
    return include


def test_this_repository_keeps_its_layers(layers, pytestconfig):
    assert layers.violations(pytestconfig.rootpath / "cpp") == []


def test_every_layer_uses_only_earlier_ones(layers):
    seen = set()
    for layer, allowed in layers.MAY_USE.items():
        assert set(allowed) <= seen
        seen.add(layer)
    assert "data" not in layers.MAY_USE["learn"]


@pytest.mark.parametrize("folder", ["src", "include/ramify"])
def test_every_other_layer_is_refused(layers, tmp_path, write, folder):
    for layer in layers.MAY_USE:
        write(f"include/ramify/{layer}/own.hpp", "<vector>")
    for layer, other in itertools.permutations(layers.MAY_USE, 2):
        write(f"{folder}/{layer}/{other}.hpp", f'"ramify/{other}/own.hpp"')
    pairs = itertools.permutations(layers.MAY_USE, 2)
    refused = {(layer, other) for layer, other in pairs if other not in layers.MAY_USE[layer]}
    assert {("numeric", "graph"), ("graph", "learn"), ("learn", "data"), ("parsing", "tagging")} < refused
    pattern = re.compile(r"(\w+) may not include ramify/(\w+)/.*: this layer may use")
    found = [pattern.search(line).groups() for line in layers.violations(tmp_path)]
    assert sorted(found) == sorted(refused)


@pytest.mark.parametrize(
    ("file", "line", "reason"),
    [
        ("src/inference/a.cpp", "<nanobind/nanobind.h>", "only the bindings know Python"),
        ("src/inference/a.cpp", '"ramify/graph/missing.hpp"', "there is no such file"),
        ("src/inference/a.cpp", '"../learn/slots.hpp"', "name files of other folders from ramify/ on"),
    ],
)
def test_violations_are_named(layers, tmp_path, write, file, line, reason):
    assert layers.violations(tmp_path) == []
    write(file, line)
    (message,) = layers.violations(tmp_path)
    assert message.startswith(str(tmp_path / file))
    assert line.strip('"<>') in message
    assert reason in message


def test_every_folder_belongs_to_a_layer(layers, tmp_path, write):
    write("src/translation/a.cpp", "<vector>")
    (message,) = layers.violations(tmp_path)
    assert "in no layer" in message
