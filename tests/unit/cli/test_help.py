"""Help and completion: no Python types, all options explained, values and dotted options completed."""

from __future__ import annotations

import re

import pytest
import typer
from typer.main import get_command

from ramify.cli import app
from ramify.cli.pictures import FORMATS
from ramify.parsing import Config

COMMANDS = sorted(command.callback.__name__ for command in app.registered_commands)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_shows_no_types(run, command):
    done = run(*filter(None, [command]), "--help")
    assert done.returncode == 0
    assert re.findall(r"<\w+( range)?>|<list\[|\[x[<>]|\[\[|\{[A-Z]", done.stdout) == []
    assert "--help" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained_in_sentences(command):
    made = get_command(app).commands[command]
    for parameter in made.params:
        if parameter.name != "help":
            assert re.match(r"[A-Z].*[.\]]$", parameter.help, re.S), (parameter.name, parameter.help)
            assert parameter.help[0].isupper()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_example_has_its_own_line(command):
    text = get_command(app).commands[command].help
    examples = text.partition("Examples")[2]
    for line in examples.split("\n\n"):
        for piece in line.split("|"):  # a pipe may call ramify again
            assert piece.count("ramify ") <= 1, line


def test_commands_are_grouped(run):
    shown = run("--help").stdout
    for panel in ("Use a model", "Train and evaluate", "Work with treebanks"):
        assert f" {panel} " in shown


@pytest.fixture
def complete(run, monkeypatch):
    """Ask for completions as bash does."""

    def call(*words):
        monkeypatch.setenv("_RAMIFY_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", " ".join(["ramify", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        return run().stdout.split()

    return call


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("parse", "--format", "d"), ["dot", "displacy"]),
        (("parse", "--from", "con"), ["conllu", "conllx"]),
        (("parse", "--decoder", "m"), ["map", "mbr"]),
        (("draw", "--tags", "x"), ["xpos"]),
        (("explain", "--format", "j"), ["json"]),
        (("convert", "a", "--to", "conllx"), ["conllx"]),
        (("train", "--task", "p"), ["parse", "pipeline"]),
        (("train", "--task", "tag", "--preset", "l"), ["lemma"]),
        (("train", "--training.ep"), ["--training.epochs"]),
        (("train", "--task", "pipeline", "--parser.training.ep"), ["--parser.training.epochs"]),
        (("train", "--training.epochs", "3", "--pruner.bi"), ["--pruner.bits"]),
        (("reproduce", "front"), ["frontier"]),
        (("reproduce", "languages", "--training.ep"), ["--training.epochs"]),
        (("evaluate", "a", "b", "--test", "b"), ["bootstrap"]),
    ],
)
def test_completion(complete, words, wanted):
    assert complete(*words) == wanted


def test_all_presets_and_formats_are_completed(complete):
    assert complete("train", "--preset", "") == Config.preset_names()
    assert complete("draw", "--format", "") == list(FORMATS)
    assert typer.__version__.startswith("0.29.")  # cli/help.py knows how this version draws help
