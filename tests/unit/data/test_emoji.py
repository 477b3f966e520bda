"""Emoticons, and emoji in their place."""

from __future__ import annotations

import random
import unicodedata

import pytest

from ramify.data.emoji import emoji_for, is_emoticon


@pytest.mark.parametrize("form", [":)", ":-)", ";)", ":(", ":D", "=)", "(:", "^_^", "<3", ":-/", ":P"])
def test_faces(form):
    assert is_emoticon(form)


@pytest.mark.parametrize("form", [":", ")", "...", "a", "8", "(", "==", "P", "3", "1:3", "x:", "-"])
def test_other_words(form):
    assert not is_emoticon(form)


def test_every_kind_of_emoji():
    chance = random.Random(1)
    made = {emoji_for(chance) for _ in range(2000)}
    assert {len(emoji) for emoji in made} == {1, 2, 3}
    assert all(unicodedata.name(character, None) for emoji in made for character in emoji)
    assert any("\u200d" in emoji for emoji in made)
    assert any(emoji[0].isdigit() for emoji in made)
