"""Emoticons and emoji: treebanks that are older than emoji have the former, and they teach a model the latter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

__all__ = ["emoji_for", "is_emoticon"]

_EMOTICON = re.compile(r"[<>]?[:;=8][-o*'^~]?[)(\[\]{}DPpO|/\\*]+|[(\[][-o]?[:;=]|\^[_.-]*\^|<3+|xD+|XD+")
_FACES = (*range(0x1F600, 0x1F645), *range(0x1F910, 0x1F930), *range(0x1F970, 0x1F977))
_THINGS = (*range(0x1F300, 0x1F321), *range(0x1F380, 0x1F394), *range(0x1F400, 0x1F43F), *range(0x1F680, 0x1F6C6))
_PEOPLE = (*range(0x1F442, 0x1F444), *range(0x1F446, 0x1F451), *range(0x1F466, 0x1F479), *range(0x1F645, 0x1F650))
_SIGNS = (*range(0x2600, 0x2605), 0x260E, 0x2639, 0x263A, 0x2665, 0x26A0, 0x26BD, 0x2708, 0x270C, 0x2714, 0x2764)
_PAIRS = ((0x1F469, 0x1F52C), (0x1F468, 0x1F4BB), (0x1F3F3, 0x1F308), (0x1F468, 0x1F467), (0x1F469, 0x1F680))
_JOINER, _AS_EMOJI, _KEYCAP = "\u200d", "\ufe0f", "\u20e3"


def is_emoticon(form: str) -> bool:
    """Tell whether a word is a face made of punctuation.

    Examples
    --------
    >>> [is_emoticon(form) for form in (":)", ";-(", "^_^", ":", "(a)")]
    [True, True, True, False, False]
    """
    return _EMOTICON.fullmatch(form) is not None


def emoji_for(random: random.Random) -> str:
    """Return an emoji of any kind: one character, with a skin tone, joined ones, a flag, a key."""
    kind = random.random()
    if kind < 0.5:
        return chr(random.choice(_FACES))
    if kind < 0.65:
        return chr(random.choice(_THINGS))
    if kind < 0.75:
        return chr(random.choice(_PEOPLE)) + chr(random.randint(0x1F3FB, 0x1F3FF))
    if kind < 0.85:
        return chr(random.choice(_SIGNS)) + random.choice(("", _AS_EMOJI))
    if kind < 0.9:
        return _JOINER.join(map(chr, random.choice(_PAIRS)))
    if kind < 0.95:
        return chr(random.randint(0x1F1E6, 0x1F1FF)) + chr(random.randint(0x1F1E6, 0x1F1FF))
    return random.choice("0123456789") + _AS_EMOJI + _KEYCAP
