"""From words that stay to a sentence that can be read: punctuation, a capital at the start, *a* or *an*."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ramify.compression.grammar import Word
    from ramify.compression.units import Units

__all__ = ["Piece", "bracket_pairs", "pieces_of", "text_of"]

_FINAL = frozenset([".", "!", "?", "…", "...", "?!", "!?"])
_PAIRS = {"(": ")", "[": "]", "{": "}", "“": "”", "``": "''", "«": "»", "‘": "’"}
_STRAIGHT = '"'
_VOWELS = "aeiou"
_CONSONANT_SOUNDS = ("uni", "use", "usu", "eu", "one", "once", "ubi", "uto")
_VOWEL_SOUNDS = ("hour", "honest", "honor", "honour", "heir")


@dataclass(frozen=True)
class Piece:
    """What is written for a word.

    Attributes
    ----------
    word : its number in the sentence, from 0
    text : what is written
    space : whether a blank comes before it
    """

    word: int
    text: str
    space: bool


def text_of(pieces: Iterable[Piece]) -> str:
    """Return the text of pieces."""
    return "".join((" " if piece.space else "") + piece.text for piece in pieces).strip()


def pieces_of(units: Units, kept: NDArray[np.bool_]) -> list[Piece]:
    """Return what is written of a sentence.

    Parameters
    ----------
    units : of the sentence
    kept : (words,) which words stay; punctuation is decided here
    """
    words = units.words
    if not kept.any():
        return []
    shown = kept.copy()
    _show_punctuation(words, kept, shown)
    pieces: list[Piece] = []
    for i in np.flatnonzero(shown).tolist():
        word = words[i]
        if not word.width:
            continue  # inside a token that its first word writes
        first_of_chunk = i == 0 or words[i - 1].chunk != word.chunk
        alone = bool(pieces) and words[pieces[-1].word].chunk != word.chunk and not _hangs_left(word)
        pieces.append(Piece(i, word.surface, bool(pieces) and ((first_of_chunk and not _closes(word)) or alone)))
    return _polished(words, pieces, kept)


def _hangs_left(word: Word) -> bool:
    """Tell whether a piece is written right behind the one before, whatever stood between them."""
    return word.is_punctuation and word.form not in _PAIRS and word.form != _STRAIGHT


def _closes(word: Word) -> bool:
    return word.form in _FINAL or word.form in (",", ";", ":")


def _show_punctuation(words: Sequence[Word], kept: NDArray[np.bool_], shown: NDArray[np.bool_]) -> None:
    stays = np.flatnonzero(kept)
    for begin, end in bracket_pairs(words):
        inside = [i for i in range(begin + 1, end) if not words[i].is_punctuation]
        if inside and all(kept[i] for i in (inside[0], inside[-1])):
            shown[begin] = shown[end] = True
    for left, right in zip(stays[:-1].tolist(), stays[1:].tolist(), strict=True):
        _show_gap(words, kept, shown, left, right)
    _show_end(words, kept, shown, int(stays[-1]))


def _show_gap(words: Sequence[Word], kept: NDArray[np.bool_], shown: NDArray[np.bool_], left: int, right: int) -> None:
    """Decide which of the commas, dashes and the like between two words that stay are shown."""
    inner = {i for begin, end in bracket_pairs(words) if left < begin and end < right for i in range(begin, end)}
    marks = [i for i in range(left + 1, right) if words[i].is_punctuation and _separates(words[i]) and i not in inner]
    is_cut = any(not words[i].is_punctuation for i in range(left + 1, right))
    if not is_cut:
        for i in range(left + 1, right):
            shown[i] |= words[i].is_punctuation and not _is_bracket(words[i])
        return
    if not marks:
        return
    # A stretch between two marks goes with both, but members of a list need one between them.
    in_list = words[right].relation == "conj" or any(
        word.relation == "cc" and word.head == right for word in words[left + 1 : right + 1]
    )
    if in_list or (len(marks) == 1 and marks[0] == right - 1):
        shown[marks[-1]] = True


def _show_end(words: Sequence[Word], kept: NDArray[np.bool_], shown: NDArray[np.bool_], last: int) -> None:
    behind = range(last + 1, len(words))
    if all(words[i].is_punctuation for i in behind):
        for i in behind:
            shown[i] |= not _is_bracket(words[i])
        return
    after = 1 + max(i for i, word in enumerate(words) if not word.is_punctuation)
    final = [i for i in range(after, len(words)) if words[i].form in _FINAL]
    if final:
        shown[final[0]] = True


def _separates(word: Word) -> bool:
    return not _is_bracket(word) and word.form not in _FINAL


def _is_bracket(word: Word) -> bool:
    return word.form in _PAIRS or word.form in _PAIRS.values() or word.form == _STRAIGHT


def bracket_pairs(words: Sequence[Word]) -> list[tuple[int, int]]:
    """Return the places of brackets and quotation marks that belong together.

    Parameters
    ----------
    words : of a sentence
    """
    found = []
    opened: list[int] = []
    straight = -1
    for i, word in enumerate(words):
        if word.form == _STRAIGHT:
            if straight >= 0:
                found.append((straight, i))
            straight = -1 if straight >= 0 else i
        elif word.form in _PAIRS:
            opened.append(i)
        elif opened and word.form == _PAIRS[words[opened[-1]].form]:
            found.append((opened.pop(), i))
    return found


def _polished(words: Sequence[Word], pieces: list[Piece], kept: NDArray[np.bool_]) -> list[Piece]:
    first = next((i for i, piece in enumerate(pieces) if not words[piece.word].is_punctuation), None)
    if first is None:
        return []  # what stays is inside tokens that words write which go
    start = next(i for i, word in enumerate(words) if not word.is_punctuation)
    if pieces[first].word != start and words[start].form[:1].isupper():
        text = pieces[first].text
        pieces[first] = replace(pieces[first], text=text[:1].upper() + text[1:])
    for i, (piece, following) in enumerate(pairwise(list(pieces))):
        is_article = piece.text.lower() in ("a", "an") and words[piece.word].upos == "DET"
        if is_article and any(not kept[k] for k in range(piece.word + 1, following.word)):
            article = piece.text[0] + ("n" if _sounds_like_vowel(following.text) else "")
            pieces[i] = replace(piece, text=article)
    return pieces


def _sounds_like_vowel(text: str) -> bool:
    low = text.lower()
    if low.startswith(_VOWEL_SOUNDS):
        return True
    if len(text) > 1 and text.isupper():  # letters are spelt: an MRI, a US
        return text[0] in "AEFHILMNORSX"
    return low[:1] in _VOWELS and not low.startswith(_CONSONANT_SOUNDS)
