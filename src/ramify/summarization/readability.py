"""What makes a summary readable: no sentence that points to one that is missing, and nothing said twice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ramify.summarization.concepts import Concepts
    from ramify.summarization.source import Source

__all__ = [
    "connective_length",
    "distinct_sentences",
    "is_fragment",
    "needed_sentences",
    "points_back",
    "whole_sentences",
]

_SAME = 0.7  # share of the bigrams of two sentences that are the same, from which one of them is enough
_SMALL = 0.2  # share of the sentences without a capital, up to which the others are taken for wrongly divided ones
_PRONOUNS = re.compile(r"(he|she|they|it|his|her|their|its|him|them)\b", re.IGNORECASE)
_POINTERS = re.compile(
    r"(this|that|these|those|such|both|neither|here|there)\s+(is|was|are|were|has|have|had|can|could|may|might|will|"
    r"would|does|do|did|means?|makes?|shows?|suggests?|indicates?|leads?|allows?|helps?|happens?|results?|an?|the|in|of)\b",
    re.IGNORECASE,
)
_EXISTS = re.compile(r"there\s+(is|are|was|were|has|have)\b|it\s+(is|was)\s+\w+\s+(that|to)\b", re.IGNORECASE)
_CONNECTIVE = re.compile(
    r"(however|but|and|so|thus(?!\s+far)|hence|therefore|moreover|furthermore|in addition|additionally|also|besides|"
    r"then|nevertheless|nonetheless|instead|consequently|as a result|for example|for instance|similarly|likewise|yet|"
    r"on the other hand|in contrast|by contrast|conversely|finally|second|third|secondly|thirdly|still|otherwise|"
    r"meanwhile|accordingly|that is|in other words|to this end|in this case)\b(,?)\s*",
    re.IGNORECASE,
)
_CUT_SHORT = re.compile(r"\b(al|cf|e\.g|i\.e|Eq|Eqs|Fig|Figs|vs|Sec)\.$|^\(?\d{4}[a-c]?\)|^\W*$|[({\[]$")
_NEEDS = re.compile(r"(otherwise|similarly|likewise|conversely|instead|in other words|that is|in this case)\b", re.I)


def is_fragment(text: str) -> bool:
    """Tell whether a sentence was divided in the wrong place, for example after an abbreviation.

    Examples
    --------
    >>> is_fragment("We follow Smith et al."), is_fragment("(2006), which is new."), is_fragment("It is new.")
    (True, True, False)
    """
    return bool(_CUT_SHORT.search(text.strip()))


def whole_sentences(texts: Sequence[str]) -> list[bool]:
    """Return which sentences start and end where sentences do: with a capital, if nearly all others have one.

    Parameters
    ----------
    texts : the sentences of an input

    Examples
    --------
    >>> whole_sentences(["It is new.", "We follow Smith et al."]), whole_sentences(["it is new", "we like it"])
    ([True, False], [True, True])
    """
    lower = [text[:1].islower() for text in texts]
    has_capitals = sum(lower) <= _SMALL * len(texts)
    return [not is_fragment(text) and not (small and has_capitals) for text, small in zip(texts, lower, strict=True)]


def points_back(text: str) -> bool:
    """Tell whether a sentence opens with a word whose meaning is in the sentence before.

    Examples
    --------
    >>> points_back("It works well."), points_back("This is why."), points_back("This paper shows why.")
    (True, True, False)
    """
    text = text.lstrip("\"'“‘([ ")
    connective = _CONNECTIVE.match(text)
    if connective:
        if _NEEDS.match(text) or (connective.group(1).lower() == "to this end"):
            return True
        text = text[connective.end() :]
    if _EXISTS.match(text):
        return False
    return bool(_PRONOUNS.match(text) or _POINTERS.match(text))


def connective_length(text: str) -> int:
    """Return how many characters at the start of a sentence only tie it to the one before.

    Examples
    --------
    >>> connective_length("However, it rained."), connective_length("But it rained."), connective_length("It rained.")
    (9, 4, 0)
    """
    match = _CONNECTIVE.match(text)
    if match is None or match.end() >= len(text):
        return 0
    word = match.group(1).lower()
    if not match.group(2) and word not in ("but", "and", "thus", "hence", "therefore", "moreover", "furthermore"):
        return 0  # "So far, …", "Then we …", "Second order …" say more than that
    return match.end()


def needed_sentences(source: Source, chosen: Sequence[int]) -> NDArray[np.int64]:
    """Return (chosen,) the place of the sentence without which each cannot stand, −1 for none.

    A sentence whose needed sentence cannot be chosen itself needs itself, and is never taken.

    Parameters
    ----------
    source : documents and sentences
    chosen : numbers of the sentences that can be taken
    """
    place = {s: i for i, s in enumerate(chosen)}
    found = np.full(len(chosen), -1, np.int64)
    for i, s in enumerate(chosen):
        sentence = source.sentences[s]
        if sentence.number > 0 and points_back(sentence.text):
            found[i] = place.get(s - 1, -1)
    return found


def distinct_sentences(concepts: Concepts, chosen: Sequence[int]) -> list[int]:
    """Return those of some sentences that do not nearly repeat an earlier one.

    Parameters
    ----------
    concepts : of the source
    chosen : numbers of sentences
    """
    having: dict[int, list[int]] = {}
    sizes: dict[int, int] = {}
    kept = []
    for s in chosen:
        own = np.unique(concepts.tokens[s]).tolist()
        shared: dict[int, int] = {}
        for concept in own:
            for other in having.get(concept, ()):
                shared[other] = shared.get(other, 0) + 1
        if any(count > _SAME * (len(own) + sizes[other] - count) for other, count in shared.items()):
            continue
        sizes[s] = len(own)
        kept.append(s)
        for concept in own:
            having.setdefault(concept, []).append(s)
    return kept
