"""Text for people: nothing that a terminal acts on is left in it."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from ramify.printable import printable


def test_controls_become_visible():
    assert printable("\x1b[31m\x07\x9b1m\x7f") == "␛[31m␇\ufffd1m␡"
    assert printable("a\u202egnp\u2066.exe") == "agnp.exe"
    assert printable("a\tb\nc\rd") == "a␉b␊c␍d"
    assert printable("a\tb\nc\rd", lines=True) == "a\tb\nc␍d"
    assert printable("naïve 努爾哈赤 🙂") == "naïve 努爾哈赤 🙂"


@given(st.text(st.characters(), max_size=50))
def test_no_control_is_left(text):
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in printable(text))
