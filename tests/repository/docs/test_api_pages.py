"""The page of the package names everything that the package itself offers, and every module has a page."""

from __future__ import annotations

import ramify


def test_the_page_of_the_package_is_complete(pytestconfig):
    text = (pytestconfig.rootpath / "docs" / "reference" / "api" / "ramify.md").read_text(encoding="utf-8")
    assert len(ramify.__all__) >= 5
    assert [name for name in ramify.__all__ if f"ramify.{name}" not in text] == []


def test_every_page_of_a_module_is_in_the_overview(pytestconfig):
    folder = pytestconfig.rootpath / "docs" / "reference" / "api"
    text = (folder / "index.md").read_text(encoding="utf-8")
    pages = [page.stem for page in folder.glob("*.md") if page.stem != "index"]
    assert len(pages) >= 15
    assert [page for page in pages if f"<{page}>`" not in text or f"\n{page}\n" not in text] == []
