"""Pools of feature templates: a rule such as ``pos*5[-5:5]`` stands for many, from which selection chooses."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["expand", "groups_of", "ngrams"]

_RULE = re.compile(r"(?P<value>[^\[\]|*]+)\*(?P<most>[1-9])\[(?P<first>[+-]?\d)(?::(?P<last>[+-]?\d))?\]")


def expand(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return templates with every rule replaced by the templates that it stands for, each once.

    Parameters
    ----------
    patterns : templates such as ``w[-1]|w[0]`` and rules such as ``w*3[-3:3]``

    Examples
    --------
    >>> expand(["w[0]", "pos*2[0:1]"])
    ('w[0]', 'pos[0]', 'pos[1]', 'pos[-1]|pos[0]', 'pos[0]|pos[1]', 'pos[1]|pos[2]')
    >>> expand(["w*1[0]"])
    ('w[0]',)
    """
    return tuple(dict.fromkeys(itertools.chain.from_iterable(map(_expand, patterns))))


def ngrams(value: str, most: int, first: int, last: int) -> list[str]:
    """Return templates of the n-grams of a value, up to ``most`` words, that have a word from ``first`` to ``last``.

    These are all n-grams that touch the window: this rule gives exactly the 452 templates of Martins et al. (2011, §5).
    """
    return [
        "|".join(f"{value}[{begin + i}]" for i in range(size))
        for size in range(1, most + 1)
        for begin in range(first - size + 1, last + 1)
    ]


def groups_of(template: str) -> tuple[str, ...]:
    """Return what a template sees, and of how many words, as its only group.

    Examples
    --------
    >>> groups_of("pos[-1]|pos[0]"), groups_of("w[0]"), groups_of("pos[0]|w[0]")
    (('pos, 2 words',), ('w, 1 word',), ('pos and w, 1 word',))
    """
    parts = [part.partition("[") for part in template.split("|")]
    values = " and ".join(sorted({value for value, _, _ in parts}))
    words = len({place for _, _, place in parts})
    return (f"{values}, {words} word{'s' if words > 1 else ''}",)


def _expand(pattern: str) -> list[str]:
    rule = _RULE.fullmatch(pattern)
    if rule is None:
        return [pattern]
    first = int(rule["first"])
    return ngrams(rule["value"], int(rule["most"]), first, int(rule["last"] or first))
