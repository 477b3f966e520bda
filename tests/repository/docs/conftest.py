"""The extensions of Sphinx that live beside the documentation, found by their names."""

import pytest


@pytest.fixture(autouse=True)
def extensions(pytestconfig, monkeypatch):
    monkeypatch.syspath_prepend(str(pytestconfig.rootpath / "docs" / "extensions"))
