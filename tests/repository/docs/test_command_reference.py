"""The page of the command line has every command with every option, in the command line's own words."""

from __future__ import annotations

import importlib
import re

import pytest
import typer

from ramify.cli import app

COMMANDS = typer.main.get_command(app).commands


@pytest.fixture
def page():
    return importlib.import_module("command_reference").render(app)


def test_every_command_with_every_option_is_there(page):
    assert len(COMMANDS) >= 9
    for name, command in COMMANDS.items():
        section = page.split(f"### ramify {name}\n")[1].split("\n### ")[0]
        for parameter in command.params:
            names = (*parameter.opts, *parameter.secondary_opts) if parameter.opts[0].startswith("-") else ()
            assert all(f"`{option}" in section or f", {option}" in section for option in names), (name, names)


def test_markup_of_the_terminal_becomes_markdown(page):
    assert "[bold]" not in page
    assert "ramify parse book.txt > parsed.conllu" in page
    assert "```text\nramify parse --text" in page
    assert "With `--by`, count an arc" in page


def test_the_overview_names_every_command(pytestconfig):
    text = (pytestconfig.rootpath / "docs" / "reference" / "command_line.md").read_text(encoding="utf-8")
    assert re.search("<!-- commands -->.*<!-- end of commands -->", text, re.DOTALL)
    assert [name for name in COMMANDS if f"| `ramify {name} " not in text] == []
