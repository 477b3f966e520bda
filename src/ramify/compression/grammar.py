"""Which words of an English sentence belong to their heads, in Universal Dependencies (version 2).

Almeida & Martins (2013), section 3.5, name the arcs that are never cut by the labels of another annotation. Here are
theirs in terms of UD, where prepositions, auxiliaries and conjunctions depend on content words.
"""

from __future__ import annotations

import dataclasses
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from ramify.data import Sentence

__all__ = ["NEGATIONS", "Word", "is_clause", "is_fixed", "words_of"]

NEGATIONS = frozenset([
    "not", "n't", "never", "no", "nor", "neither", "none", "nobody", "nothing", "nowhere", "without", "hardly",
    "barely", "scarcely", "cannot",
])  # fmt: skip
_HEDGES = frozenset([
    "may", "might", "could", "would", "should", "perhaps", "possibly", "probably", "likely", "unlikely", "allegedly",
    "apparently", "reportedly", "suspected", "alleged", "potential", "potentially", "almost", "nearly", "about",
    "only", "less", "least", "few", "little",
])  # fmt: skip
_FIXED = frozenset([
    "nsubj", "csubj", "obj", "iobj", "xcomp", "ccomp", "cop", "aux", "case", "mark", "cc", "det", "expl", "fixed",
    "flat", "goeswith", "nummod", "clf", "list", "orphan", "dep", "reparandum",
])  # fmt: skip
_FIXED_SUBTYPES = frozenset(["compound:prt", "nmod:poss", "obl:arg", "obl:agent", "det:predet", "cc:preconj"])
_QUOTES = {'"': '"', "“": "”", "``": "''", "«": "»"}


@dataclass(frozen=True)
class Word:
    """A word with what the rules and the features need.

    Attributes
    ----------
    form, lemma, upos : of the word; the lemma is in lower case, and the form where there is none
    surface : what the text has for it: its form, or a whole token of several words for the first of them
    head, label : of its arc; heads count from 0, −1 is the root
    chunk : number of the stretch between blanks that it stands in
    quote : number of the quotation that it stands in, 0 for none
    is_punctuation : whether it is no more than that
    """

    form: str
    lemma: str
    upos: str
    surface: str
    head: int
    label: str
    chunk: int
    quote: int
    is_punctuation: bool

    @property
    def width(self) -> int:
        """Characters that it adds to its stretch."""
        return len(self.surface)

    @property
    def relation(self) -> str:
        """The label without its subtype."""
        return self.label.split(":")[0]

    @property
    def is_negation(self) -> bool:
        """Whether the sentence would say the opposite without it."""
        return self.lemma in NEGATIONS

    def hung(self, head: int, label: str) -> Word:
        """Return the word with another arc.

        Parameters
        ----------
        head, label : of the arc
        """
        return self if (head, label) == (self.head, self.label) else dataclasses.replace(self, head=head, label=label)


def words_of(sentence: Sentence) -> tuple[Word, ...]:
    """Return the words of a parsed sentence."""
    chunks, surfaces = _chunks(sentence)
    quotes = _quotations(sentence.forms)
    lemmas = [
        (lemma if lemma != "_" else form).lower() for form, lemma in zip(sentence.forms, sentence.lemmas, strict=True)
    ]
    columns = zip(
        sentence.forms, lemmas, sentence.upos, surfaces, sentence.heads.tolist(), sentence.deprels, chunks, quotes,
        strict=True,
    )  # fmt: skip
    return tuple(
        Word(form, lemma, upos, surface, head - 1, label, chunk, quote, _is_punctuation(form))
        for form, lemma, upos, surface, head, label, chunk, quote in columns
    )


def is_clause(word: int, heads: NDArray[np.int64], labels: Sequence[str]) -> bool:
    """Tell whether a word heads a clause that its own head reports: one with a subject, told by another subject.

    Parameters
    ----------
    word : number
    heads, labels : of all words
    """
    if not labels[word].startswith("ccomp"):
        return False
    verb = int(heads[word])
    subjects = {int(h) for h, label in zip(heads, labels, strict=True) if label.split(":")[0] in ("nsubj", "expl")}
    return {word, verb} <= subjects


def is_fixed(words: Sequence[Word], i: int, head: int) -> bool:
    """Tell whether a word may not be cut from its head.

    Parameters
    ----------
    words : of the sentence
    i, head : numbers of the word and of the nearest word above it that is no punctuation
    """
    word, above = words[i], words[head]
    if word.relation in _FIXED or word.label in _FIXED_SUBTYPES:
        return True
    if word.relation == "conj" and above.relation == "nsubj":  # the verb agrees with all members
        return True
    if word.is_negation or (word.lemma in _HEDGES and word.upos in ("ADV", "AUX", "ADJ", "DET")):
        return True
    if word.upos == "NUM" and word.relation in ("compound", "nmod", "appos", "advmod"):
        return True
    if word.upos == above.upos == "PROPN" and abs(i - head) <= _gap(words, i, head):
        return True
    return word.quote > 0 and word.quote == above.quote


def _gap(words: Sequence[Word], i: int, head: int) -> int:
    """Return how far two words of a name may stand apart: as far as there are only names and their small words."""
    first, last = sorted((i, head))
    inside = words[first + 1 : last]
    return last - first if all(word.upos in ("PROPN", "ADP", "DET", "NUM") for word in inside) else 0


def _is_punctuation(form: str) -> bool:
    return all(unicodedata.category(character)[0] == "P" or character in "`$+<>=|~^" for character in form)


def _chunks(sentence: Sentence) -> tuple[list[int], list[str]]:
    """Return for each word the number of its stretch between blanks, and what the text has for it."""
    inside = {k: token for token in sentence.multiword_tokens for k in range(token.first, token.last + 1)}
    chunks, surfaces, chunk = [], [], 0
    for k, (form, misc) in enumerate(zip(sentence.forms, sentence.misc, strict=True), 1):
        token = inside.get(k)
        chunks.append(chunk)
        surfaces.append(form if token is None else (token.form if k == token.first else ""))
        is_end = token is None or k == token.last
        own = misc if token is None else token.misc
        if is_end and "SpaceAfter=No" not in own.split("|"):
            chunk += 1
    return chunks, surfaces


def _quotations(forms: Sequence[str]) -> list[int]:
    found, number, closing = [], 0, ""
    open_now = 0
    for form in forms:
        if open_now and form == closing:
            open_now = 0
            found.append(0)
        elif not open_now and form in _QUOTES:
            number += 1
            open_now, closing = number, _QUOTES[form]
            found.append(0)
        else:
            found.append(open_now)
    return found if not open_now else [0 if quote == open_now else quote for quote in found]
