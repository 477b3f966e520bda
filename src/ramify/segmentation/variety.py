"""Text that is not in the treebank, made from it, so that a segmenter can do with other text, too."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from ramify.data.emoji import emoji_for, is_emoticon
from ramify.segmentation.gold_text import PARAGRAPH, GoldText, gold_text

if TYPE_CHECKING:
    import random
    from collections.abc import Container, Iterator, Mapping, Sequence

    from ramify.data import Sentence

__all__ = ["emoji_text", "foreign_text", "with_abbreviations", "with_line_breaks"]

# Shares of the text that are varied.
_WRAPPED, _LINES, _JOINED, _FOREIGN = 0.2, 0.1, 0.5, 0.05
_ABBREVIATIONS, _LIKELY_ABBREVIATIONS = 0.004, 0.4  # of the words that can be; before numbers and after brackets
_CAPITALS = 0.8  # of words after abbreviations of the treebank
_JOINED_EMOJI = 0.3  # share of those without a space before them
_LARGEST_BLOCK = 10  # sentences
_ALPHABETS = (("אבגדהוזחטיכלמנסעפצקרשת",) * 2, ("БГДЖИЛПФЦЧШЮЯ", "бгджилпфцчшюя"), ("ΓΔΘΛΞΠΣΦΨΩ", "γδθλξπσφψω"))
_LEAST_LETTERS = 6  # of a word that is abbreviated
_COPIES = 2  # of a sentence with an emoticon, each with other emoji


def with_line_breaks(gold: GoldText, random: random.Random) -> GoldText:
    """Turn spaces into line breaks, at a width or after every sentence, and empty lines into line breaks.

    Most of the text stays as it is, and tokens stay where they are.
    """
    text = list(gold.text)
    sentence_gaps = set(gold.ends[gold.sentence_ends == 1].tolist())
    for begin, end in _blocks(gold):
        mode = random.random()
        if mode < _WRAPPED:
            _wrap(text, begin, end, random.randint(40, 100))
        elif mode < _WRAPPED + _LINES:
            for i in range(begin, end):
                if text[i] == " " and i in sentence_gaps:
                    text[i] = "\n"
        if random.random() < _JOINED and gold.text.startswith(PARAGRAPH, end):
            text[end] = " "
    return GoldText("".join(text), gold.begins, gold.ends, gold.sentence_ends)


def _blocks(gold: GoldText) -> Iterator[tuple[int, int]]:
    """Yield stretches of text that are varied alike: paragraphs, or some sentences of a long one."""
    begin = 0
    for number, end in enumerate(gold.ends[gold.sentence_ends == 1].tolist(), 1):
        if number % _LARGEST_BLOCK == 0 or gold.text.startswith(PARAGRAPH, end):
            yield begin, end
            begin = end
    yield begin, len(gold.text)


def _wrap(text: list[str], begin: int, end: int, width: int) -> None:
    line, space = begin, -1
    for i in range(begin, end):
        if text[i] != " ":
            continue
        if i - line > width and space > line:
            text[space] = "\n"
            line = space + 1
        space = i


def foreign_text(sentences: Sequence[Sentence], random: random.Random) -> GoldText:
    """Return some of the text in letters of other alphabets, so that kinds of characters alone tell tokens.

    Parameters
    ----------
    sentences : in the order of the file
    random : chooses the sentences
    """
    gold = gold_text(_some_blocks(sentences, random, _FOREIGN))
    text = list(gold.text)
    for begin, end in _blocks(gold):
        letters = random.choice(_ALPHABETS)
        text[begin:end] = [_foreign(character, letters) for character in text[begin:end]]
    return GoldText("".join(text), gold.begins, gold.ends, gold.sentence_ends)


def _foreign(character: str, letters: tuple[str, str]) -> str:
    """Return a letter of another alphabet for one with case, the same for the same."""
    if not character.isupper() and not character.islower():
        return character
    alphabet = letters[character.islower()]
    return alphabet[ord(character) % len(alphabet)]


def with_abbreviations(gold: GoldText, random: random.Random) -> GoldText:
    """Cut some words short and put a full stop after them, as in abbreviations that nobody has seen.

    Abbreviations of the treebank that never end a sentence in it get a capital after them now and then.

    Parameters
    ----------
    gold : the text
    random : chooses the words
    """
    inside = _never_final(gold)
    forms = _forms(gold)
    words = set(forms)
    changed: dict[int, list[str]] = {}
    for t in range(len(forms) - 2):
        if gold.sentence_ends[t] or gold.sentence_ends[t + 1] or t in changed:
            continue
        form, following = forms[t], forms[t + 1]
        if form in inside and random.random() < _CAPITALS:
            comma = following == ","  # e.g., this: e.g. This
            after = forms[t + 2] if comma else following
            if comma:
                changed[t + 1] = []
            if after.islower() and not gold.sentence_ends[t + 2]:
                changed[t + 2 if comma else t + 1] = [after.capitalize()]
        elif gold.text[gold.ends[t]] == " " and _can_be_cut(form, following):
            likely = following[0].isdigit() or (t > 0 and forms[t - 1] == "(")
            if random.random() < (_LIKELY_ABBREVIATIONS if likely else _ABBREVIATIONS):
                short = _cut(form, random)
                if short[:-1] not in words:  # which may end a sentence
                    changed[t] = [short]
    return _replaced(gold, changed)


def _never_final(gold: GoldText) -> set[str]:
    """Return tokens with a full stop that occur twice or more, and never at the end of a sentence."""
    forms = _forms(gold)
    final = {forms[t] for t in np.flatnonzero(gold.sentence_ends)}
    counts = Counter(form for form in forms if len(form) > 2 and form[-1] == "." and form[0].isalpha())
    return {form for form, count in counts.items() if count > 1 and form not in final}


def _can_be_cut(form: str, following: str) -> bool:
    """Whether a long word comes before one that could follow its abbreviation: Prof. Miller, approx. 20, orig. text."""
    if len(form) < _LEAST_LETTERS or not form.isalpha() or not form.isascii():
        return False
    if form.istitle():
        return following[0].isdigit() or following.istitle()
    return form.islower() and (following[0].isdigit() or following.islower())


def _cut(form: str, random: random.Random) -> str:
    """Return the first letters of a word, or its first and some others, and a full stop; names get an initial, too."""
    if form.istitle() and random.random() < 0.3:
        return form[0] + "."
    if random.random() < 0.6:
        return form[: random.randint(3, min(6, len(form) - 2))] + "."
    kept = sorted(random.sample(range(1, len(form)), random.randint(2, 3)))
    return form[0] + "".join(form[i] for i in kept) + "."


def emoji_text(sentences: Sequence[Sentence], random: random.Random) -> GoldText:
    """Return the sentences with emoticons, with emoji in their place.

    Parameters
    ----------
    sentences : in the order of the file
    random : chooses the emoji
    """
    near = {
        j
        for i, sentence in enumerate(sentences)
        if any(map(is_emoticon, sentence.forms))
        for j in (i, i + 1)
        if j < len(sentences)
    }
    gold = gold_text([sentences[i] for i in sorted(near)] * _COPIES)
    places = [t for t, form in enumerate(_forms(gold)) if is_emoticon(form)]
    joined = {t for t in places if random.random() < _JOINED_EMOJI}
    return _replaced(gold, {t: _some_emoji(random) for t in places}, joined)


def _some_emoji(random: random.Random) -> list[str]:
    """Return one emoji or a few, and sometimes a full stop after them."""
    chosen = emoji_for(random)
    count = random.choice((1, 1, 1, 2, 3))
    emoji = [chosen] * count if random.random() < 0.5 else [chosen, *(emoji_for(random) for _ in range(count - 1))]
    return emoji + random.choice(([], [], [], ["."], ["!"], ["?"]))


def _some_blocks(sentences: Sequence[Sentence], random: random.Random, share: float) -> list[Sentence]:
    starts = [i for i in range(0, len(sentences), _LARGEST_BLOCK) if random.random() < share]
    return [sentence for start in starts for sentence in sentences[start : start + _LARGEST_BLOCK]]


def _forms(gold: GoldText) -> list[str]:
    return [gold.text[begin:end] for begin, end in zip(gold.begins.tolist(), gold.ends.tolist(), strict=True)]


def _replaced(gold: GoldText, changed: Mapping[int, Sequence[str]], joined: Container[int] = ()) -> GoldText:
    """Return the text with other tokens at some places.

    Parameters
    ----------
    gold : the text
    changed : what stands in the place of a token, without spaces between
    joined : tokens that lose the space before them, unless they start a sentence
    """
    pieces: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    sentence_ends: list[int] = []
    size = last = 0
    for t, (begin, end) in enumerate(zip(gold.begins.tolist(), gold.ends.tolist(), strict=True)):
        space = gold.text[last:begin]
        if t in joined and not gold.sentence_ends[t - 1]:
            space = ""
        pieces.append(space)
        size += len(space)
        for form in changed.get(t, [gold.text[begin:end]]):
            begins.append(size)
            size += len(form)
            ends.append(size)
            pieces.append(form)
            sentence_ends.append(0)
        sentence_ends[-1] |= int(gold.sentence_ends[t])
        last = end
    text = "".join(pieces) + gold.text[last:]
    arrays = np.array(begins, np.int64), np.array(ends, np.int64), np.array(sentence_ends, np.uint8)
    return GoldText(text, *arrays)
