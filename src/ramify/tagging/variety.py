"""Sentences that are not in the treebank, made from it, so that a tagger can do with other text, too."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from ramify.data import Sentence
from ramify.data.emoji import emoji_for, is_emoticon
from ramify.tagging.lemmas import without_commas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.tagging.sentences import AnySentence

__all__ = ["made_sentences"]

_COPIES = 3
_ACRONYMS = 0.2  # share of sentences with a noun that get one in its place
_ACRONYM_NAMES = 0.3  # share of sentences with a name that get one in its place
_LEAST_LETTERS, _MOST_LETTERS = 3, 5


def made_sentences(sentences: Sequence[AnySentence], target: str, seed: int) -> list[AnySentence]:
    """Return copies of some sentences of a treebank with other words in them, whose labels are known all the same.

    Emoji stand in the place of emoticons. To learn lemmas, acronyms that nobody has seen stand in the place of nouns
    and names and keep their capitals, and numbers have more digits.

    Parameters
    ----------
    sentences : of a treebank; nothing is made of other files
    target : column that is learned
    seed : of the choice of words
    """
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    treebank = [sentence for sentence in sentences if isinstance(sentence, Sentence)]
    make = _with_lemmas if target == "lemma" else _with_emoji
    return [made for sentence in treebank for made in make(sentence, chance)]


def _with_emoji(sentence: Sentence, chance: random.Random) -> list[Sentence]:
    faces = [i for i, form in enumerate(sentence.forms) if is_emoticon(form)]
    return [_changed(sentence, {i: _same(emoji_for(chance)) for i in faces}) for _ in range(_COPIES)] if faces else []


def _with_lemmas(sentence: Sentence, chance: random.Random) -> list[Sentence]:
    made = []
    for i, form in enumerate(sentence.forms):
        if is_emoticon(form):
            made += [_replaced(sentence, i, _same(emoji_for(chance))) for _ in range(_COPIES)]
        elif form != without_commas(form) == sentence.lemmas[i]:
            made += [_replaced(sentence, i, _number(chance)) for _ in range(_COPIES)]
    words = enumerate(zip(sentence.forms, sentence.lemmas, sentence.upos, strict=True))
    same = [(i, form, tag) for i, (form, lemma, tag) in words if form == lemma]
    nouns = [i for i, form, tag in same if tag == "NOUN" and _is_common(form)]
    names = [i for i, form, tag in same if tag == "PROPN" and _is_name(form)]
    for places, share in ((names, _ACRONYM_NAMES), (nouns, _ACRONYMS)):
        if places and nouns and chance.random() < share:
            noun = sentence.forms[chance.choice(nouns)]
            made.append(_replaced(sentence, chance.choice(places), _acronym(sentence.forms, noun, chance)))
    return made


def _replaced(sentence: Sentence, i: int, word: tuple[str, str]) -> Sentence:
    """Return another word between its neighbours, which is all that a lemma depends on: no others count twice."""
    words = slice(max(i - 1, 0), i + 2)
    near = Sentence(sentence.forms[words], upos=sentence.upos[words], lemmas=sentence.lemmas[words])
    return _changed(near, {min(i, 1): word})


def _changed(sentence: Sentence, words: dict[int, tuple[str, str]]) -> Sentence:
    """Return a copy with another form and lemma of some words."""
    copy = sentence.copy()
    forms, lemmas = list(copy.forms), list(copy.lemmas)
    for i, (form, lemma) in words.items():
        forms[i] = form
        lemmas[i] = lemma
    copy.forms, copy.lemmas = tuple(forms), tuple(lemmas)
    return copy


def _same(form: str) -> tuple[str, str]:
    return form, form


def _is_common(form: str) -> bool:
    """Whether it is a word in lower case, of a script that has one."""
    return form.isalpha() and form.islower() and form.upper() != form


def _is_name(form: str) -> bool:
    """Whether it is a word with a capital before small letters."""
    return form.isalpha() and form.istitle()


def _number(chance: random.Random) -> tuple[str, str]:
    """Return a large number, with commas and without."""
    value = chance.randrange(1000, 10 ** chance.randint(4, 9))
    form = f"{value:,}" + (f".{chance.randrange(100):02}" if chance.random() < 0.3 else "")
    return form, without_commas(form)


def _acronym(forms: Sequence[str], noun: str, chance: random.Random) -> tuple[str, str]:
    """Return capitals, of letters of the sentence, sometimes with a number after them.

    The last letter is that of a noun that is its own lemma: other letters may be endings, which are to go.
    """
    letters = [letter for form in forms if _is_common(form) for letter in form]
    first = "".join(chance.choice(letters) for _ in range(chance.randint(_LEAST_LETTERS, _MOST_LETTERS) - 1))
    return _same((first + noun[-1]).upper() + chance.choice(("", "", "", "", f"-{chance.randrange(1, 100)}")))
