"""The install page names what can be installed."""

from __future__ import annotations

import re


def test_every_extra_is_explained(pytestconfig):
    project = (pytestconfig.rootpath / "pyproject.toml").read_text(encoding="utf-8")
    extras = re.findall(
        r"^(\w+) = \[", project.partition("[project.optional-dependencies]")[2].partition("\n[project.")[0], re.M
    )
    page = (pytestconfig.rootpath / "docs/install.md").read_text(encoding="utf-8")
    table = page.partition("## Extras")[2].partition("\n## ")[0]
    assert "pictures" in extras
    assert [extra for extra in extras if f"`{extra}`" not in table] == []
