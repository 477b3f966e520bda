"""README is short, and what the package index shows of it has no link that works only in the repository."""

from __future__ import annotations

import re
import sys

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@pytest.fixture
def root(pytestconfig):
    return pytestconfig.rootpath


@pytest.fixture
def readme(root):
    return (root / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def package(root):
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def test_two_screens(readme):
    assert len(readme.splitlines()) <= 110


def test_links_lead_somewhere(root, readme):
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", readme)
    relative = [link for link in links if not link.startswith("https://")]
    assert len(relative) >= 5
    assert [link for link in relative if not (root / link).exists()] == []


def test_the_package_index_gets_absolute_links(readme, package):
    substitutions = package["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]
    for change in substitutions:
        readme = re.sub(change["pattern"], change["replacement"], readme)
    links = re.findall(r"\]\(([^)]+)\)", readme)
    assert [link for link in links if not link.startswith("https://")] == []
    repository = package["project"]["urls"]["Repository"].removeprefix("https://github.com/")
    assert f"https://raw.githubusercontent.com/{repository}/main/docs/images/readme.svg" in links


def test_the_package_index_can_say_who_what_and_where(package):
    project = package["project"]
    assert project["authors"]
    assert {"Documentation", "Repository", "Issues", "Changelog"} <= set(project["urls"])
    assert any(name.startswith("Operating System :: ") for name in project["classifiers"])
