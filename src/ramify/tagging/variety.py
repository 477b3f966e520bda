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
_ACRONYMS = 0.125  # share of sentences with a noun that get one
_LEAST_LETTERS, _MOST_LETTERS = 3, 5


def made_sentences(sentences: Sequence[AnySentence], target: str, seed: int) -> list[AnySentence]:
    """Return copies of some sentences of a treebank with other words in them, whose labels are known all the same.

    Emoji stand in the place of emoticons. To learn lemmas, acronyms that nobody has seen stand in the place of nouns
    and keep their capitals, and numbers have more digits.

    Parameters
    ----------
    sentences : of a treebank; nothing is made of other files
    target : column that is learned
    seed : of the choice of words
    """
    chance = random.Random(seed)  # noqa: S311 - not for secrets
    treebank = [sentence for sentence in sentences if isinstance(sentence, Sentence)]
    made: list[AnySentence] = []
    for sentence in treebank:
        forms = sentence.forms
        faces = [i for i, form in enumerate(forms) if is_emoticon(form)]
        if faces:
            made += [_changed(sentence, {i: _same(emoji_for(chance)) for i in faces}) for _ in range(_COPIES)]
        if target != "lemma":
            continue
        numbers = [i for i, form in enumerate(forms) if form != without_commas(form) == sentence.lemmas[i]]
        if numbers:
            made += [_changed(sentence, {i: _number(chance) for i in numbers}) for _ in range(_COPIES)]
        nouns = [i for i, tag in enumerate(sentence.upos) if tag == "NOUN" and _is_common(forms[i])]
        if nouns and chance.random() < _ACRONYMS:
            made.append(_changed(sentence, {chance.choice(nouns): _acronym(forms, chance)}))
    return made


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


def _number(chance: random.Random) -> tuple[str, str]:
    """Return a large number, with commas and without."""
    value = chance.randrange(1000, 10 ** chance.randint(4, 9))
    form = f"{value:,}" + (f".{chance.randrange(100):02}" if chance.random() < 0.3 else "")
    return form, without_commas(form)


def _acronym(forms: Sequence[str], chance: random.Random) -> tuple[str, str]:
    """Return capitals, of letters of the sentence, sometimes with a number after them."""
    letters = [letter.upper() for form in forms if _is_common(form) for letter in form]
    capitals = "".join(chance.choice(letters) for _ in range(chance.randint(_LEAST_LETTERS, _MOST_LETTERS)))
    return _same(capitals + chance.choice(("", "", "", "", f"-{chance.randrange(1, 100)}")))
