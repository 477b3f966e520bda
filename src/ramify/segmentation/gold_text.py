"""Treebanks as running text: what a segmenter would have been given, and where its tokens and sentences end."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from ramify.data import Sentence

__all__ = ["PARAGRAPH", "GoldText", "SurfaceToken", "gold_text", "raw_text", "surface_tokens", "unescape_spaces"]

_ESCAPES = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_UNSPACED = re.compile(r"CJK |HIRAGANA|KATAKANA|THAI|LAO|KHMER|MYANMAR|IDEOGRAPHIC|FULLWIDTH")
_CLOSING = frozenset(",.;:!?%…،؛؟")
PARAGRAPH = "\n\n"


@dataclass(frozen=True)
class SurfaceToken:
    """A token as it stands in text: a word, or the several words of a multiword token."""

    form: str
    misc: str
    words: tuple[str, ...]

    @property
    def space_before(self) -> str:
        """White space before the first token of a text."""
        found = [entry for entry in self.misc.split("|") if entry.startswith("SpacesBefore=")]
        return unescape_spaces(found[0].removeprefix("SpacesBefore=")) if found else ""

    @property
    def space_after(self) -> str | None:
        """White space that MISC records; None where it says nothing."""
        for entry in self.misc.split("|"):
            key, _, value = entry.partition("=")
            if key == "SpacesAfter":
                return unescape_spaces(value)
            if entry == "SpaceAfter=No":
                return ""
        return None


@dataclass(frozen=True)
class GoldText:
    """Text with the places of its n tokens.

    Attributes
    ----------
    text : the text
    begins, ends : (n,) characters
    sentence_ends : (n,) 1 where a sentence ends after the token
    """

    text: str
    begins: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    sentence_ends: npt.NDArray[np.uint8]


def unescape_spaces(value: str) -> str:
    r"""Return the white space that ``SpacesAfter`` and ``SpacesBefore`` hold: ``\s``, ``\n``, ``\u00a0`` and so on."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2]), value)


def surface_tokens(sentence: Sentence) -> list[SurfaceToken]:
    """Return the tokens of a sentence as they stand in text."""
    forms, misc = sentence.forms, sentence.misc
    tokens = []
    word = 1
    for multiword in sentence.multiword_tokens:
        tokens += [SurfaceToken(forms[i - 1], misc[i - 1], (forms[i - 1],)) for i in range(word, multiword.first)]
        words = tuple(forms[multiword.first - 1 : multiword.last])
        tokens.append(SurfaceToken(multiword.form, multiword.misc, words))
        word = multiword.last + 1
    return tokens + [SurfaceToken(forms[i - 1], misc[i - 1], (forms[i - 1],)) for i in range(word, len(forms) + 1)]


def raw_text(sentences: Iterable[Sentence]) -> str:
    """Return the text of a treebank: sentences of a paragraph on one line, an empty line between paragraphs.

    White space is taken from ``# text``, else from ``SpaceAfter`` and ``SpacesAfter`` in MISC. A treebank that records
    none of them gets the spaces that its script usually has.
    """
    return gold_text(list(sentences)).text


def gold_text(sentences: Sequence[Sentence]) -> GoldText:
    """Return the text of a treebank and its tokens, in the order of the file."""
    recorded = any(_records_spaces(sentence) for sentence in sentences)
    pieces: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    last: list[int] = []
    size = 0
    for number, sentence in enumerate(sentences):
        tokens = surface_tokens(sentence)
        if not tokens:
            continue
        if pieces and _starts_paragraph(sentence):
            size += len(PARAGRAPH) - len(pieces[-1])
            pieces[-1] = PARAGRAPH
        following = surface_tokens(sentences[number + 1])[:1] if number + 1 < len(sentences) else []
        spaces = _spaces(sentence, tokens, following) if recorded else _usual_spaces(tokens, following)
        for token, space in zip(tokens, spaces, strict=True):
            begins.append(size)
            ends.append(size + len(token.form))
            size += len(token.form) + len(space)
            pieces += (token.form, space)
        last.append(len(ends) - 1)
    sentence_ends = np.zeros(len(ends), np.uint8)
    sentence_ends[last] = 1
    return GoldText("".join(pieces), np.array(begins, np.int64), np.array(ends, np.int64), sentence_ends)


def _records_spaces(sentence: Sentence) -> bool:
    return sentence.text is not None or any(token.space_after is not None for token in surface_tokens(sentence))


def _starts_paragraph(sentence: Sentence) -> bool:
    return any(re.match(r"#\s*new(par|doc)\b", comment) for comment in sentence.comments)


def _spaces(sentence: Sentence, tokens: list[SurfaceToken], following: list[SurfaceToken]) -> list[str]:
    """Return the white space after each token."""
    spaces = _aligned_spaces(sentence.text, tokens)
    if spaces is None:
        return [" " if token.space_after is None else token.space_after for token in tokens]
    at_end = tokens[-1].space_after
    spaces[-1] = _usual_spaces(tokens[-1:], following)[0] if at_end is None else at_end
    return spaces


def _aligned_spaces(text: str | None, tokens: list[SurfaceToken]) -> list[str] | None:
    """Return what stands after each token in ``# text``, or None if the tokens are not what it says."""
    if text is None:
        return None
    spaces = []
    at = 0
    for number, token in enumerate(tokens):
        if not text.startswith(token.form, at):
            return None
        at += len(token.form)
        rest = text[at:]
        space = rest[: len(rest) - len(rest.lstrip())] if number + 1 < len(tokens) else ""
        at += len(space)
        spaces.append(space)
    return spaces if at == len(text) else None


def _usual_spaces(tokens: list[SurfaceToken], following: list[SurfaceToken]) -> list[str]:
    """Return white space as a typist would have set it: none in scripts without it, none before commas and the like."""
    forms = [token.form for token in [*tokens, *following]]
    spaces = []
    for i in range(len(tokens)):
        left = forms[i]
        right = forms[i + 1] if i + 1 < len(forms) else ""
        inside = i + 1 < len(tokens)
        joined = _is_unspaced(left[-1]) and (not right or _is_unspaced(right[0]) or not right[0].isalnum())
        joined = joined or (bool(right) and _is_unspaced(right[0]) and not left[-1].isalnum())
        if inside and right:
            joined = joined or right[0] in _CLOSING or unicodedata.category(right[0]) in ("Pe", "Pf")
            joined = joined or unicodedata.category(left[-1]) in ("Ps", "Pi")
        spaces.append("" if joined else " ")
    return spaces


def _is_unspaced(character: str) -> bool:
    return _UNSPACED.match(unicodedata.name(character, "")) is not None
