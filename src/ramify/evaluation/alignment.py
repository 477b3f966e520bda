"""Which word of the system is which word of gold, when the two cut the same text differently.

The rules are those of the CoNLL 2018 shared task's evaluation script. Words that are tokens of their own are
the same when they cover the same characters. Words of multiword tokens have no characters of their own: there
the smallest stretch of text that cuts no multiword token is taken, and all its words are matched by a longest
common subsequence of their lower-cased forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from ramify.evaluation.corpus import Corpus, IntArray

__all__ = ["align", "check_same_text", "same_spans", "sentences_of"]

_SNIPPET = 20  # characters shown from where two texts part


def same_spans(
    starts: IntArray, ends: IntArray, other_starts: IntArray, other_ends: IntArray
) -> tuple[IntArray, IntArray]:
    """Find the spans that two segmentations share: their indices in the one and in the other."""
    size = 1 + int(max(ends[-1] if ends.size else 0, other_ends[-1] if other_ends.size else 0))
    _, ours, theirs = np.intersect1d(
        starts * size + ends, other_starts * size + other_ends, assume_unique=True, return_indices=True
    )
    return ours, theirs


def sentences_of(starts: IntArray, gold: Corpus) -> IntArray:
    """Return for each position of the text the gold sentence that it lies in."""
    return np.searchsorted(gold.sentence_start, starts, side="right") - 1


def align(gold: Corpus, system: Corpus) -> tuple[IntArray, IntArray]:
    """Match the words of gold and system.

    Returns
    -------
    gold_words, system_words : (A,) indices of the A matched words, in the order of the text

    Raises
    ------
    InvalidInputError
        If the two are not the same text.
    """
    check_same_text(gold, system)
    if not gold.in_multiword.any() and not system.in_multiword.any():
        return same_spans(gold.word_start, gold.word_end, system.word_start, system.word_end)
    return _align_around_multiword_tokens(gold, system)


class _Side:
    """One side's words as lists that end in a sentinel beyond the text."""

    def __init__(self, corpus: Corpus, beyond: int) -> None:
        self.start = [*corpus.word_start.tolist(), beyond]
        self.end = [*corpus.word_end.tolist(), beyond]
        self.multiword = [*corpus.in_multiword.tolist(), False]
        # A stretch that ends at `limit` takes a word in if reach <= limit: a word of a multiword token when
        # the token begins inside, any other word when it ends inside.
        self.reach = np.append(np.where(corpus.in_multiword, corpus.word_start + 1, corpus.word_end), beyond).tolist()
        self.forms = corpus.forms


def _align_around_multiword_tokens(gold: Corpus, system: Corpus) -> tuple[IntArray, IntArray]:
    beyond = len(gold.text) + 2
    ours, theirs = _Side(gold, beyond), _Side(system, beyond)
    our_start, our_end, our_multiword = ours.start, ours.end, ours.multiword
    their_start, their_end, their_multiword = theirs.start, theirs.end, theirs.multiword
    num_gold, num_system = gold.num_words, system.num_words
    pairs: list[tuple[int, int]] = []
    g = s = 0
    while g < num_gold and s < num_system:
        if our_multiword[g] or their_multiword[s]:
            first_g, first_s, g, s = _stretch(ours, theirs, g, s)
            pairs += _common_subsequence(ours.forms, theirs.forms, range(first_g, g), range(first_s, s))
        elif our_start[g] == their_start[s] and our_end[g] == their_end[s]:
            pairs.append((g, s))
            g += 1
            s += 1
        elif our_start[g] <= their_start[s]:
            g += 1
        else:
            s += 1
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _stretch(ours: _Side, theirs: _Side, g: int, s: int) -> tuple[int, int, int, int]:
    """Grow the stretch of text around a multiword token until it cuts no other one.

    Returns the first word of the stretch on both sides, and the first one after it.
    """
    if ours.multiword[g]:
        limit = ours.end[g]
        s += not theirs.multiword[s] and theirs.start[s] < ours.start[g]
    else:
        limit = theirs.end[s]
        g += ours.start[g] < theirs.start[s]
    first_g, first_s = g, s
    while ours.reach[g] <= limit or theirs.reach[s] <= limit:
        if ours.start[g] <= theirs.start[s]:
            if ours.multiword[g]:
                limit = max(limit, ours.end[g])
            g += 1
        else:
            if theirs.multiword[s]:
                limit = max(limit, theirs.end[s])
            s += 1
    return first_g, first_s, g, s


def _common_subsequence(
    our_forms: list[str], their_forms: list[str], our_words: range, their_words: range
) -> list[tuple[int, int]]:
    """Match words by a longest common subsequence of lower-cased forms; of equals, the one latest in gold."""
    if not our_words or not their_words:
        return []
    ours = [our_forms[word].lower() for word in our_words]
    theirs = [their_forms[word].lower() for word in their_words]
    if ours == theirs:
        return list(zip(our_words, their_words, strict=True))
    longest = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]  # [i][j]: of ours[i:] and theirs[j:]
    for i in range(len(ours) - 1, -1, -1):
        row, below = longest[i], longest[i + 1]
        for j in range(len(theirs) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if ours[i] == theirs[j] else max(below[j], row[j + 1])
    pairs = []
    i = j = 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:
            pairs.append((our_words[i], their_words[j]))
            i += 1
            j += 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def check_same_text(gold: Corpus, system: Corpus) -> None:
    """Raise if the characters of gold and system, spaces aside, are not the same."""
    if gold.text == system.text:
        return
    low, high = 0, min(len(gold.text), len(system.text))
    while low < high:  # the longest common prefix has a length in [low, high]
        middle = (low + high + 1) // 2
        if gold.text[low:middle] == system.text[low:middle]:
            low = middle
        else:
            high = middle - 1
    raise InvalidInputError(
        "Evaluation needs the same text in gold and system, spaces aside; they part after "
        f"{low} characters: {_place(gold, low)}; {_place(system, low)}. "
        "Evaluate the output for this gold file, with the same sentences in the same order."
    )


def _place(corpus: Corpus, position: int) -> str:
    if position >= len(corpus.text):
        return f"{corpus.name} ends after {corpus.num_sentences} sentences"
    word = int(np.searchsorted(corpus.word_end, position, side="right"))
    snippet = corpus.text[position : position + _SNIPPET]
    return f"{corpus.name} has {snippet!r} in {corpus.word_name(word)}"
