"""What all tasks say of wrong options, whichever sections they have."""

from __future__ import annotations

from importlib import import_module

import pytest

from ramify.errors import InvalidInputError

TASKS = ["parsing", "tagging", "segmentation", "compression", "summarization"]


@pytest.fixture(params=TASKS)
def config_type(request):
    return import_module(f"ramify.{request.param}.config").Config


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "config.toml: expected TOML"),
        ("model = 1", r"config.toml: model is a section: \[model\]; got a value, 1"),
        ("[training]\nepoch = 3", "there is no option 'training.epoch'; .* Did you mean 'training.epochs'"),
        ("[training]\nepochs = 0", "training.epochs expects a whole number, 1 to .*; got 0"),
        ("preset = 1", "config.toml: preset expects a name; got 1"),
    ],
)
def test_wrong_files(config_type, text, message):
    with pytest.raises(InvalidInputError, match=message):
        config_type.parse(text, name="config.toml")


def test_sections_are_named(config_type):
    sections = ", ".join(config_type.sections())
    with pytest.raises(InvalidInputError, match=f"there is no section 'x'; there are {sections}"):
        config_type.parse("x = 1")


def test_wrong_overrides(config_type):
    with pytest.raises(InvalidInputError, match=r"Did you mean 'training\.epochs'"):
        config_type().override({"training.epoch": "3"})


def test_files_come_back(config_type):
    changed = config_type().override({"training.epochs": "7", "data.train": "a, b"})
    assert config_type.parse(changed.to_toml(comments=True)) == changed != config_type()
