"""The registry, and the toy task of CONTRIBUTING: everything that a task gets from `ramify.learn`."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

import ramify
from ramify.errors import InterruptedTrainingError, InvalidInputError, ModelError
from ramify.learn import registry
from ramify.learn.progress import EpochDone, Step
from toy_task import TASK, Toy


@pytest.fixture
def registered(monkeypatch):
    """The registry with the toy in it."""
    monkeypatch.setattr(registry, "_tasks", dict(registry._tasks))
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))
    registry.register(TASK)


@pytest.fixture
def run(tmp_path, pytestconfig):
    """Run the command line where the toy is installed, as the entry point of a package."""
    package = tmp_path / "toy_task-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-task\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[ramify.tasks]\ntoy = toy_task:TASK\n")
    paths = [str(tmp_path), str(pytestconfig.rootpath / "tests"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}

    def call(*arguments):
        command = [sys.executable, "-m", "ramify", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    return call


def test_the_folder_is_small(pytestconfig):
    files = [
        path for path in (pytestconfig.rootpath / "tests" / "toy_task").rglob("*") if path.suffix in (".py", ".toml")
    ]
    assert len(files) <= 8
    assert all(len(path.read_text(encoding="utf-8").splitlines()) <= 100 for path in files)


def test_the_command_line_trains_and_shows_it(run, sample, tmp_path):
    model = tmp_path / "model.zip"
    done = run("train", "--task", "toy", "--train", sample, "--dev", sample, "-o", model, "--training.epochs", "2")
    assert done.returncode == 0, done.stderr
    assert "epoch 2: loss" in done.stderr
    shown = run("info", model)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("# Toy\n")
    facts = json.loads(run("info", "--json", model).stdout)
    assert facts["scores"]["accuracy"] > 0.9
    unknown = run("train", "--task", "toys", "--train", sample, "-o", model)
    assert unknown.returncode == 2
    assert "--task expects one of parse, tag, segment, pipeline, compress, summarize, toy; got 'toys'" in unknown.stderr


def test_it_loads_by_its_kind(registered, sample, tmp_path):
    toy = Toy.train(sample, options={"training.epochs": 2})
    assert toy.tag("the") == "DET"
    toy.save(tmp_path / "model")
    loaded = ramify.load(tmp_path / "model")
    assert isinstance(loaded, Toy)
    assert loaded.config.training.epochs == 2
    assert pickle.loads(pickle.dumps(loaded)).tag("the") == "DET"
    with pytest.raises(InvalidInputError, match=r"Toy.load expects no options.*got training.epochs"):
        ramify.load(tmp_path / "model", options={"training.epochs": 3})
    with pytest.raises(ModelError, match="expected a tagger; this is another kind of model"):
        ramify.Tagger.load(tmp_path / "model")


def test_unknown_kinds_are_named(sample, tmp_path):
    Toy.train(sample).save(tmp_path / "model")
    with pytest.raises(ModelError, match="no task knows models of the kind 'toy'; install the package that made it"):
        ramify.load(tmp_path / "model")


@pytest.mark.parametrize("steps", [1, 3, 5, 8])
def test_resumed_equals_uninterrupted(sample, tmp_path, monkeypatch, steps):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    settings = {"train": sample, "dev": sample}
    Toy.train(**settings, output=tmp_path / "whole.zip")
    left = steps

    def stop(event):
        nonlocal left
        left -= isinstance(event, Step)
        if left == 0:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(InterruptedTrainingError, match="run the same command with --resume"):
        Toy.train(**settings, output=tmp_path / "model.zip", progress=stop)
    events = []
    Toy.train(**settings, output=tmp_path / "model.zip", resume=True, progress=events.append)
    assert (tmp_path / "model.zip").read_bytes() == (tmp_path / "whole.zip").read_bytes()
    assert [event.epoch for event in events if isinstance(event, EpochDone)][-1] == 3


def test_names_are_taken_once(registered):
    registry.register(TASK)  # the same again
    with pytest.raises(InvalidInputError, match="register expects a name of its own for each task; 'toy' is taken"):
        registry.register(replace(TASK, unit="tokens"))
    with pytest.raises(InvalidInputError, match=r"register expects a ramify.learn.task.Task; got str"):
        registry.register("toy")
    with pytest.raises(
        InvalidInputError,
        match="task expects one of parse, tag, segment, pipeline, compress, summarize, toy; got 'none'",
    ):
        registry.find_task("none")


@pytest.mark.parametrize("name", ["parse", "tag", "segment", "pipeline"])
def test_built_in_tasks_are_what_they_say(name):
    task = registry.find_task(name)
    assert task.name == name
    assert registry.model_type(task.kind) is task.model_type
    config = task.config.preset(task.preset)
    for dotted in task.config.dotted():
        assert dotted.count(".") == (2 if name == "pipeline" else 1)
    changed = config.override(task.seeded(7))
    assert changed != config
    assert config.override({}) == config
