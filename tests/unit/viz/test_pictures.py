"""PNG and PDF: right formats and sizes, and errors that say what to do."""

from __future__ import annotations

import struct
import sys
import types
import xml.etree.ElementTree as ET

import pytest

from ramify.data import Sentence
from ramify.errors import InvalidInputError, MissingExtraError
from ramify.viz import pdf, png, svg

DOGS = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])


def test_images_have_the_size_of_the_drawing():
    pytest.importorskip("cairosvg")
    width, height = struct.unpack(">II", png(DOGS)[16:24])
    drawn = ET.fromstring(svg(DOGS))
    assert (width, height) == pytest.approx((2 * float(drawn.get("width")), 2 * float(drawn.get("height"))), abs=1)
    assert struct.unpack(">II", png(DOGS, scale=1.0)[16:24]) == pytest.approx((width / 2, height / 2), abs=1)
    assert png(DOGS, theme="dark") != png(DOGS)


def test_pages():
    pytest.importorskip("cairosvg")
    assert pdf([DOGS, DOGS]).startswith(b"%PDF-")


@pytest.mark.parametrize("draw", [png, pdf])
def test_drawings_that_are_too_high_are_refused(monkeypatch, draw):
    monkeypatch.setitem(sys.modules, "cairosvg", types.ModuleType("cairosvg"))
    with pytest.raises(InvalidInputError, match=r"these trees need .* Draw fewer sentences, or write HTML"):
        draw([DOGS] * 400)


@pytest.mark.parametrize("draw", [png, pdf])
def test_the_extra_is_named(monkeypatch, draw):
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    with pytest.raises(MissingExtraError, match=r"ramify\[pictures\]"):
        draw(DOGS)
