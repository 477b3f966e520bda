"""Configurations: read, written, overridden; and what wrong ones are told."""

from __future__ import annotations

import dataclasses
import math
import re

import pytest

from ramify.errors import InvalidInputError
from ramify.parsing import Config, Model, Part, Training, preset_names
from ramify.reproduce import PAPERS


def test_presets_grow_by_parts():
    ours, papers = (
        ["auto", "default", "first", "neural", "second", "third"],
        [name for name, paper in PAPERS.items() if paper.preset],
    )
    assert preset_names() == sorted([*ours, *papers])
    first, second, third = (set(Config.preset(name).model.parts) for name in ("first", "second", "third"))
    assert first == set()
    assert second == {Part.SIBLING, Part.GRAND}
    assert third == second | {Part.GRAND_SIBLING, Part.TRI_SIBLING}


@pytest.mark.parametrize("name", preset_names())
def test_what_is_written_reads_back(name):
    config = Config.preset(name)
    assert Config.parse(config.to_toml()) == config
    assert Config.parse(config.to_toml(comments=True)) == config


def test_every_option_survives_writing():
    config = Config().override(
        {
            "model.parts": "grand,sibling",
            "model.tree": "projective",
            "model.single-root": "false",
            "model.without": "lemma,affix",
            "pruner.threshold": "1e-5",
            "pruner.lengths": "false",
            "inference.time-limit": "0.5",
            "training.features": "buckets",
            "training.num-buckets": "1000",
            "data.train": 'a "b".conllu,c\\d.conllu',
            "data.output": "ü/model",
        }
    )
    assert config.model == Model(
        parts=(Part.SIBLING, Part.GRAND), tree="projective", single_root=False, without=("lemma", "affix")
    )
    assert config.training.features == "buckets"
    assert config.pruner.threshold == 1e-5
    assert config.data.train == ("a b.conllu", "c\\d.conllu")
    assert Config.parse(config.to_toml()) == config


def test_files_start_from_presets_and_override(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text('preset = "second"\n[training]\nepochs = 3\nbeta = inf\n[data]\ntrain = "one.conllu"\n')
    config = Config.read(path)
    assert config.model.parts == (Part.SIBLING, Part.GRAND)
    assert config.training.epochs == 3
    assert config.training.beta == math.inf
    assert config.data.train == ("one.conllu",)
    assert config.override({"training.epochs": "4"}).training.epochs == 4


def test_configurations_do_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().training.epochs = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[training]\nepoch = 3",
            "config.toml: there is no option 'training.epoch'; .* Did you mean 'training.epochs'",
        ),
        ("[trainings]\nepochs = 3", "there is no section 'trainings'; .* Did you mean 'training'"),
        ("training = 3", r"training is a section: \[training\]; got a value, 3"),
        ("[training]\nepochs = 0", "training.epochs expects a whole number, 1 to 100000; got 0"),
        ("[training]\nepochs = 2.5", "training.epochs expects a whole number, 1 to 100000; got 2.5"),
        ("[training]\nepochs = true", "training.epochs expects .*; got true"),
        ("[training]\nbeta = 0", "training.beta expects a number above 0; got 0"),
        ('[training]\nmax-step = "big"', 'training.max-step expects a number above 0 and at most 1e.06; got "big"'),
        ("[training]\nmax-step = nan", "training.max-step expects .*; got nan"),
        ("[training]\nmax-step = 0", "training.max-step expects a number above 0"),
        ('[model]\ntree = "planar"', "model.tree expects one of 'nonprojective', 'projective', .*; got \"planar\""),
        ('[model]\nparts = "sibling"', "model.parts expects a list of 'sibling', .*; got \"sibling\""),
        ('[model]\nparts = ["cousin"]', "model.parts expects a list of 'sibling', 'any-sibling'"),
        ('[model]\nparts = ["grand", "grand"]', "each at most once"),
        ('[model]\nwithout = ["cousins"]', "model.without expects a list of groups of feature templates.*'lemma'"),
        ("[model]\nsingle-root = 1", "model.single-root expects true, false or 'auto'; got 1"),
        ("[pruner]\nlengths = 1", "pruner.lengths expects true or false; got 1"),
        ("[data]\ntrain = [1]", "data.train expects a list of files"),
        ("[data]\noutput = 1", "data.output expects the path of a model directory; got 1"),
        ("[data]\noutput = 1979-05-27", "data.output expects the path of a model directory; got datetime"),
        ('[inference]\nmethod = "magic"', "inference.method expects one of 'ad3', 'exact'"),
        ("preset = 1", "preset expects a name; got 1"),
        ('preset = "firsts"', "preset expects one of .*; got 'firsts'. Did you mean 'first'"),
        ("a = = 1", "config.toml: expected TOML; "),
        ("a = " + "[" * 10_000, "config.toml: expected TOML; "),
    ],
)
def test_wrong_files_are_told_what_is_wrong(text, message):
    with pytest.raises(InvalidInputError, match=message):
        Config.parse(text, name="config.toml")


WRONG_OVERRIDES = {
    "training.epochs": ("many", 'training.epochs expects a whole number, 1 to 100000; got "many"'),
    "training.speed": ("1", "there is no option 'training.speed'"),
    "trainings.epochs": ("1", "Did you mean 'training'"),
    "pruner.lengths": ("yes", "pruner.lengths expects true or false"),
}


@pytest.mark.parametrize("dotted", WRONG_OVERRIDES)
def test_wrong_overrides(dotted):
    value, message = WRONG_OVERRIDES[dotted]
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        Config().override({dotted: value})


def test_unreadable_files(tmp_path):
    long, binary = tmp_path / "long.toml", tmp_path / "binary.toml"
    long.write_text("#" * (1 << 21))
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInputError, match="at most 1048576 bytes"):
        Config.read(long)
    with pytest.raises(InvalidInputError, match="expected UTF-8"):
        Config.read(binary)
    with pytest.raises(FileNotFoundError):
        Config.read(tmp_path / "none.toml")


def test_values_are_checked_in_python_too():
    with pytest.raises(InvalidInputError, match=r"training.batch expects a whole number, 1 to 100000; got 0"):
        Training(batch=0)


def test_scores_are_read_as_they_were_learned():
    """Not fitted, the temperature is the loss's; margins have none."""
    learned = {"training.beta": "4"}
    assert Config().temperature == 1.0
    assert Config().override(learned).temperature == 0.25
    assert Config().override({**learned, "training.loss": "l2"}).temperature == 1.0
    assert Config().override({**learned, "inference.temperature": "2"}).temperature == 2.0
