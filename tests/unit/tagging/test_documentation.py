"""The table of options in docs/guides/tagging.md is complete and true."""

from __future__ import annotations

import dataclasses

from ramify.options import key_of, to_toml
from ramify.tagging import Config


def option_rows():
    rows = []
    for section in dataclasses.fields(Config):
        for made in dataclasses.fields(getattr(Config(), section.name)):
            default = to_toml(made.default).replace("|", "\\|")
            rows.append(f"| `{section.name}.{key_of(made.name)}` | `{default}` | {made.metadata['doc']} |")
    return rows


def test_table_of_options(pytestconfig):
    text = (pytestconfig.rootpath / "docs" / "guides" / "tagging.md").read_text(encoding="utf-8")
    table = text.split("<!-- options -->")[1].split("\n\n")[1].splitlines()[2:]
    assert table == option_rows()
