"""Pictures of papers' figures: panels with curves, and a table of shares."""

import pytest

from ramify.errors import InvalidInputError
from ramify.reproduce.pictures import Curves, check_plot, draw_one, draw_panels, draw_shares


def test_panels_and_shares_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    panels = [Curves(f"panel {i}", {"one": [(1, 2), (3, 4)], "none": []}, "features", "UAS") for i in range(5)]
    shares = {"tag → tag": {"ar": 1.0, "da": 0.5}, "distance": {"da": 0.25}}
    draw_panels(panels, shares, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert all(name in text for name in ("panel 0", "panel 4", "tag → tag", "distance", "features", "one"))
    draw_panels(panels, shares, tmp_path / "b.svg")
    assert (tmp_path / "b.svg").read_bytes() == (tmp_path / "a.svg").read_bytes()
    draw_panels([], {}, tmp_path / "empty.svg")
    draw_one(lambda axes: draw_shares(axes, shares), (3, 2), tmp_path / "one.svg")
    assert "panel" not in (tmp_path / "one.svg").read_text(encoding="utf-8")


def test_only_svg_files_are_written(tmp_path):
    with pytest.raises(InvalidInputError, match=r"--plot writes \.svg files; got .*a\.png"):
        check_plot(tmp_path / "a.png")
