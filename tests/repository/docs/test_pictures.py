"""The pictures of README and of the documentation are what ramify draws."""

from __future__ import annotations

import importlib.util


def test_pictures_are_what_ramify_draws(pytestconfig):
    folder = pytestconfig.rootpath / "docs" / "images"
    spec = importlib.util.spec_from_file_location("draw", folder / "draw.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    drawn = module.pictures()
    kept = {name: (folder / name).read_text(encoding="utf-8") for name in drawn}
    assert len(drawn) >= 3
    assert [name for name in drawn if drawn[name] != kept[name]] == [], "run python docs/images/draw.py"
