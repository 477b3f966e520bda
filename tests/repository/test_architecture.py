"""The page on the architecture, and the records of decisions, name files that exist."""

from __future__ import annotations

import re

import pytest

_PATH = re.compile(r"`((?:[\w.-]+/)*[\w.-]+(?:/|\.(?:py|pyi|cpp|hpp|md|toml)))`")
_ROOTS = ("", "src/ramify", "cpp/include/ramify", "cpp/src")


def pages(root):
    return [root / "docs/architecture.md", *sorted((root / "docs/decisions").glob("*.md"))]


def test_paths_exist(pytestconfig):
    root = pytestconfig.rootpath
    named = [(page.name, path) for page in pages(root) for path in _PATH.findall(page.read_text(encoding="utf-8"))]
    assert len(named) >= 60
    assert [name for name in named if not any((root / folder / name[1]).exists() for folder in _ROOTS)] == []


def test_every_walk_names_its_files(pytestconfig):
    text = (pytestconfig.rootpath / "docs/architecture.md").read_text(encoding="utf-8")
    walks = re.findall(r"^## Walk \d: (.+?)\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert [title for title, _ in walks] == [
        "from text to a tree",
        "from a treebank to a model",
        "from a graph to a result",
    ]
    for _, walk in walks:
        paths = _PATH.findall(walk)
        assert len(paths) >= 8
        assert all(path.startswith(("src/ramify/", "cpp/")) for path in paths)


@pytest.mark.parametrize("folder", ["src/ramify", "cpp/include/ramify"])
def test_every_package_is_in_a_layer(pytestconfig, folder):
    """A new folder has to be placed, on the page as in the contract of the linter."""
    root = pytestconfig.rootpath
    text = (root / "docs/architecture.md").read_text(encoding="utf-8")
    table = text[text.index("## Layers") : text.index("## Walk 1")]
    packages = [p.name for p in (root / folder).iterdir() if p.is_dir() and not p.name.startswith(("_", "models"))]
    assert len(packages) >= 9
    assert [name for name in packages if f"`{name}/`" not in table] == []


def test_every_package_is_in_the_contract(pytestconfig):
    root = pytestconfig.rootpath
    contract = (root / "pyproject.toml").read_text(encoding="utf-8").partition("[[tool.importlinter.contracts]]")[2]
    packages = [path.parent.name for path in (root / "src/ramify").glob("*/__init__.py")]
    assert len(packages) >= 15
    picture = (root / "docs/images/architecture.svg").read_text(encoding="utf-8")
    for text, form in ((contract, r"ramify\.{}\b"), (picture, ">{}</text>")):
        assert [name for name in packages if not re.search(form.format(name), text)] == []


def test_every_decision_is_listed_and_has_its_sections(pytestconfig):
    folder = pytestconfig.rootpath / "docs/decisions"
    index = (folder / "index.md").read_text(encoding="utf-8")
    records = sorted(path for path in folder.glob("*.md") if path.stem != "index")
    assert len(records) >= 8
    for record in records:
        assert f"({record.name})" in index
        headings = re.findall(r"^## (.+)$", record.read_text(encoding="utf-8"), re.MULTILINE)
        assert headings == ["Context", "Decision", "Consequences"]
