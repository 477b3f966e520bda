"""What users find in the package itself."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

import ramify

SHOWN = {"Doc", "FactorGraph", "Parser", "Pipeline", "Segmenter", "Tagger", "load", "read", "viz", "write"}


def test_dir_shows_what_users_look_for():
    names = {name for name in dir(ramify) if not name.startswith("_")}
    assert names >= SHOWN
    assert {
        "data",
        "errors",
        "factors",
        "inference",
        "logic",
        "parsing",
        "pipeline",
        "search",
        "tagging",
        "trees",
    } <= names
    assert not {"TYPE_CHECKING", "import_module", "version", "set_drawing", "drawable", "graph", "atomic"} & names
    assert all(getattr(ramify, name) is not None for name in names)
    assert set(ramify.__all__) <= set(dir(ramify))


def test_names_are_those_of_their_packages():
    assert ramify.read is ramify.data.read
    assert ramify.Tagger is ramify.tagging.Tagger
    assert ramify.Doc is ramify.pipeline.Doc
    with pytest.raises(AttributeError, match="module 'ramify' has no attribute 'Parserr'"):
        _ = ramify.Parserr


def test_import_is_lazy():
    code = (
        "import sys, ramify; dir(ramify); "
        "print([m for m in sys.modules if m.startswith(('ramify.', 'numpy', 'importlib.'))])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for name in ("pipeline", "parsing", "tagging", "data", "viz", "inference", "cli", "graph", "_core"):
        assert f"'ramify.{name}'" not in loaded
    assert "'numpy'" not in loaded
    assert "'importlib.metadata'" not in loaded  # only __version__ needs it


def test_version():
    code = "import ramify; print(ramify.__version__)"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == importlib.metadata.version("ramify")


def test_command_line_starts_without_experiments_and_models():
    code = "import sys, ramify.cli.commands; print([m for m in sys.modules if m.startswith('ramify.')])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "'ramify.cli.reproduce'" in loaded
    for name in ("reproduce", "pipeline", "parsing", "tagging", "segmentation", "inference", "viz"):
        assert f"'ramify.{name}'" not in loaded
