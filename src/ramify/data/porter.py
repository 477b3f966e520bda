"""Porter's stemmer for English, in the variant of ROUGE-1.5.5.

Porter (1980), An algorithm for suffix stripping, with the later rules for *-bli* and *-logi*. As in ROUGE, *-ment* and
*-ent* are tried one after the other, not only the longest of them, and the second may follow the first.
"""

from __future__ import annotations

from functools import lru_cache

__all__ = ["porter_stem"]

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
    "logi": "log",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ou", "ism", "ate", "iti", "ous", "ive", "ize",
)  # fmt: skip


@lru_cache(maxsize=1 << 16)
def porter_stem(word: str) -> str:
    """Return the stem of a word in lower case; words of one or two letters are their own stems.

    Examples
    --------
    >>> porter_stem("relational"), porter_stem("hopping"), porter_stem("agreement")
    ('relat', 'hop', 'agreem')
    """
    if len(word) < 3:
        return word
    word = _past_and_progressive(_plural(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    for table in (_STEP_2, _STEP_3):
        suffix = _longest(word, table)
        if suffix and _measure(word[: -len(suffix)]) > 0:
            word = word[: -len(suffix)] + table[suffix]
    return _last_e(_bare(word))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past_and_progressive(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    stem = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if not _has_vowel(stem):
        return word
    if stem.endswith(("at", "bl", "iz")) or _is_short(stem):
        return stem + "e"
    is_double = len(stem) > 1 and stem[-1] == stem[-2] and stem[-1] not in "aeiouylsz"
    return stem[:-1] if is_double else stem


def _bare(word: str) -> str:
    word = _without(word, _longest(word, _STEP_4))
    if word.endswith("ment"):
        word = _without(word, "ment")
    if word.endswith("ent"):
        return _without(word, "ent")
    return _without(word, "ion") if word.endswith(("sion", "tion")) else word


def _without(word: str, suffix: str) -> str:
    stem = word[: len(word) - len(suffix)]
    return stem if _measure(stem) > 1 else word


def _last_e(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _is_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _longest(word: str, suffixes: tuple[str, ...] | dict[str, str]) -> str:
    return max((suffix for suffix in suffixes if word.endswith(suffix)), key=len, default="")


def _form(word: str) -> str:
    """Return c for every consonant and v for every vowel; y is a vowel after a consonant."""
    form = ""
    for letter in word:
        is_vowel = letter in "aeiou" or (letter == "y" and form.endswith("c"))
        form += "v" if is_vowel else "c"
    return form


def _measure(stem: str) -> int:
    """Return how often consonants follow vowels."""
    return _form(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    return "v" in _form(stem)


def _is_short(stem: str) -> bool:
    """Tell whether a stem is consonants, one vowel and one consonant other than w, x and y."""
    form = _form(stem)
    return form == "c" * (len(form) - 2) + "vc" and len(form) > 2 and stem[-1] not in "wxy"
