"""Lemmas as labels: how to make the lemma from the form, so that one label serves many words.

A script has the case to take the form in (or that the commas of a number go), how many characters go at its beginning
and at its end, and what is put there instead: ``l 0 3 0 y`` makes ``fly`` of ``Flies``. The fourth field says how many
of the new characters stand before the word. Forms and lemmas that share nothing have the lemma itself as their script:
``=be``.
"""

from __future__ import annotations

import difflib
import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NEVER", "apply_script", "edit_script", "least_characters", "without_commas"]

_COMMA = re.compile(r"(?<=\d),(?=\d)")


def without_commas(form: str) -> str:
    """Return a number without the commas between its digits.

    Examples
    --------
    >>> without_commas("2,000,000.5"), without_commas("Paris,")
    ('2000000.5', 'Paris,')
    """
    return _COMMA.sub("", form)


NEVER = 0xFFFF  # characters that no word has
_CASES: dict[str, Callable[[str], str]] = {
    "k": str,
    "l": str.lower,
    "t": str.capitalize,
    "u": str.upper,
    "n": without_commas,
}


@functools.lru_cache(maxsize=1 << 17)
def edit_script(form: str, lemma: str) -> str:
    """Return the script that makes a lemma of a form.

    Examples
    --------
    >>> edit_script("Flies", "fly"), edit_script("NASA", "NASA"), edit_script("was", "be")
    ('l 0 3 0 y', 'k 0 0 0 ', '=be')
    >>> apply_script(edit_script("2,000", "2000"), "1,234,567.89")
    '1234567.89'
    """
    if form != lemma == without_commas(form):
        return "n 0 0 0 "
    cases = "lktu" if lemma == lemma.lower() else "ktul"
    for case in cases:
        edits = _edits(_CASES[case](form), lemma)
        if edits is not None:
            return f"{case} {edits}"
    return f"={lemma}"


@functools.lru_cache(maxsize=1 << 17)
def apply_script(script: str, form: str) -> str:
    """Return the lemma that a script makes of a form; the form itself where it is too short for the script.

    Examples
    --------
    >>> apply_script("l 0 3 0 y", "Tries"), apply_script("l 0 3 0 y", "a")
    ('try', 'a')
    """
    if script.startswith("="):
        return script[1:] or form
    case, before, after, added, text = script.split(" ", 4)
    base = _CASES[case](form)
    kept = base[int(before) : len(base) - int(after)] if int(before) + int(after) <= len(base) else base
    if kept is base and (int(before) or int(after)):
        return base
    return text[: int(added)] + kept + text[int(added) :] or form


def least_characters(script: str) -> int:
    """Return how many characters a form needs for a script; whole lemmas are for known forms only.

    Examples
    --------
    >>> least_characters("l 0 3 0 y"), least_characters("=be")
    (4, 65535)
    """
    if script.startswith("="):
        return NEVER
    _, before, after, _, _ = script.split(" ", 4)
    return int(before) + int(after) + 1


def _edits(base: str, lemma: str) -> str | None:
    """Return what to remove and add around the longest part that both share, or None if there is no such part."""
    if base == lemma:
        return "0 0 0 "
    common = 0
    while common < min(len(base), len(lemma)) and base[common] == lemma[common]:
        common += 1
    match = difflib.SequenceMatcher(None, base, lemma, autojunk=False).find_longest_match()
    # What begins alike is taken as it is, unless something much longer is shared further on (ge|seh|en).
    if common and match.size < common + 2:
        return f"0 {len(base) - common} 0 {lemma[common:]}"
    if match.size == 0 or 2 * match.size < len(lemma):
        return None
    before, after = lemma[: match.b], lemma[match.b + match.size :]
    return f"{match.a} {len(base) - match.a - match.size} {len(before)} {before}{after}"
