"""Which units of a sentence a summary may delete: those whose absence a reader does not notice.

A compressor learns from its training pairs which cuts are grammatical. The training data of a summarizer only show
which cuts help the content, so that more rules are needed: arguments that look like adjuncts are never cut, and
neither are conditions. A sentence whose tree looks wrong is not cut at all.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ramify.compression.surface import bracket_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.compression.grammar import Word
    from ramify.compression.units import Units

__all__ = ["safe_units"]

_SAID = frozenset(
    [
        "say",
        "report",
        "announce",
        "tell",
        "note",
        "state",
        "argue",
        "claim",
        "observe",
        "show",
        "find",
        "demonstrate",
        "believe",
        "think",
    ]
)
_CONDITIONS = frozenset(["if", "unless", "whether", "although", "than", "as", "so"])
_DEGREES = frozenset(
    [
        "more",
        "most",
        "less",
        "least",
        "very",
        "too",
        "so",
        "as",
        "even",
        "only",
        "just",
        "about",
        "up",
        "down",
        "out",
        "not",
        "never",
        "well",
        "far",
        "namely",
    ]
)
_FREE = frozenset(["discourse", "vocative", "obl:tmod", "nmod:tmod"])


_PAIRED = frozenset(["both", "either", "neither", "between"])
_COMPARED = ("er", "better", "worse", "more", "less")
_TAKEN = frozenset(["account", "consideration", "advantage", "part", "place"])  # with a verb that they belong to
_RELATIVES = frozenset(["who", "whom", "whose", "which", "that", "where", "when", "why", "what"])
_INDIRECT = frozenset(["when", "where", "how", "why", "whether", "if"])  # open clauses that are no sentences
_NOMINAL = frozenset(["obl", "nmod", "appos"])
_FINITE = frozenset(["have", "has", "had", "was", "were", "is", "are", "can", "will", "do", "does", "did"])
_NEED_CLAUSE = frozenset(
    ["one", "ones", "those", "that", "anyone", "everyone", "anything", "everything", "something", "what"]
)
_SUBJECTS = frozenset(["nsubj", "csubj", "expl"])
_BRACKETS = frozenset("()[]{}")
_ENDS = frozenset([",", ";", ":", ".", "!", "?", "...", "!!", "-", "–", "—"])
_UNPAIRED = _BRACKETS | {"'"}
_NEAR = 8  # words behind names in which the year of a citation stands
_LONGEST_NUMBER = 3  # of what stands alone in brackets to count members: (1), (a), (iii)


def safe_units(units: Units) -> Units:
    """Return the units of a sentence; those that should not be cut are joined to their heads.

    Parameters
    ----------
    units : of a sentence
    """
    around = _Surroundings(units.words)
    if len(units) == 1 or not around.is_sound(int(units.tops[0])):
        return _joined(units, [0])
    kept = [
        u for u, head in enumerate(units.heads.tolist()) if head < 0 or _can_go(int(units.tops[u]), around)
    ]  # fmt: skip
    return units if len(kept) == len(units) else _joined(units, kept)


def _joined(units: Units, kept: Sequence[int]) -> Units:
    number = {u: k for k, u in enumerate(kept)}
    place = np.zeros(len(units), np.int64)
    for u, head in enumerate(units.heads.tolist()):
        place[u] = number[u] if u in number else place[head]
    heads = np.array([-1 if units.heads[u] < 0 else place[units.heads[u]] for u in kept], np.int64)
    unit = np.append(place, -1)[units.unit]
    lengths = np.bincount(place, units.lengths, len(kept)).astype(np.int64)
    characters = np.bincount(place, units.characters, len(kept)).astype(np.int64)
    tops = units.tops[np.array(kept, np.int64)]
    return replace(units, unit=unit, heads=heads, tops=tops, lengths=lengths, characters=characters)


class _Surroundings:
    """The words of a sentence, and what stands below each and around it."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = words
        self.children: list[list[int]] = [[] for _ in words]
        for i, word in enumerate(words):
            if word.head >= 0:
                self.children[word.head].append(i)
        self.brackets = bracket_pairs(words)
        self.together = self._groups()

    def is_sound(self, root: int) -> bool:
        """Tell whether the tree can be trusted so far that something may be cut: the sentence is one, with a subject.

        A subject with a preposition is none, a clause with *if* is no sentence, and members that are counted in
        brackets are easily taken for others.
        """
        opening = [k for k in self.children[root] if k < root and self.words[k].lemma in _INDIRECT]
        if opening or any(self.words[k].relation == "mark" for k in self.children[root]) or not self.has_pairs():
            return False
        if not any(self.is_subject(i) for i in self.children[root]):
            return False
        numbers = [self.words[begin + 1].form for begin, end in self.brackets if end == begin + 2]
        return not any(len(form) <= _LONGEST_NUMBER and (form.isdigit() or form.islower()) for form in numbers)

    def has_pairs(self) -> bool:
        """Tell whether every bracket has its partner, and no apostrophe or entity of HTML stands alone."""
        forms = [word.form for word in self.words]
        paired = {k for pair in self.brackets for k in pair}
        alone = any(form in _UNPAIRED and k not in paired for k, form in enumerate(forms))
        alone |= any(form[0] == "&" and len(form) > 1 for form in forms if form)
        text = "".join(forms)
        return not alone and all(text.count(pair[0]) == text.count(pair[1]) for pair in ("()", "[]"))

    def tears(self, i: int, inside: set[int]) -> bool:
        """Tell whether the place that the words below a word leave shows: the tree is probably wrong there.

        They are the predicate of what stands before, the object of a preposition, the author of a year, or stand
        before a colon or a semicolon; or a verb follows them that has its subject there.
        """
        words, first, behind = self.words, min(inside), max(inside) + 1
        if words[first].relation in ("aux", "cop") or words[first].lemma in ("et", "al"):
            return True
        if first > 0 and words[first - 1].upos == "ADP" and words[first - 1].relation == "case":
            return True
        rest = [word.form for word in words[behind - 1 : behind + 2]]
        if {":", ";"} & set(rest[:2]) and behind < len(words) - 1:
            return True
        if len(rest) == 3 and rest[1] in "([" and _is_year(rest[2]):
            return True
        has_finite = any(words[k].relation == "aux" and words[k].form.lower() in _FINITE for k in self.children[i])
        if has_finite and not self.has(i, _SUBJECTS | {"cc"}):
            return True
        return self.leaves_verb(inside)

    def ends_at_mark(self, inside: set[int]) -> bool:
        """Tell whether some words end where a comma or the end of the sentence is."""
        behind = max(inside) + 1
        while behind < len(self.words) and self.words[behind - 1].is_punctuation and behind - 1 > min(inside):
            behind -= 1
        return behind == len(self.words) or self.words[behind].form in _ENDS

    def leaves_verb(self, inside: set[int]) -> bool:
        """Tell whether a verb without a subject follows some words, which then perhaps have its subject."""
        after = max(inside) + 1
        while after < len(self.words) and self.words[after].form in _BRACKETS:
            after += 1
        if after == len(self.words) or self.words[after].upos not in ("VERB", "AUX"):
            return False
        is_helper = self.words[after].relation in ("aux", "cop")
        verb = self.words[after].head if is_helper else after
        is_participle = self.words[verb].form.endswith(("ed", "ing"))
        is_clause = is_helper or self.words[verb].relation in ("conj", "parataxis", "ccomp")
        is_clause |= self.words[verb].relation == "advcl" and not is_participle
        return is_clause and not self.has(verb, _SUBJECTS | {"mark", "cc"})

    def is_subject(self, i: int) -> bool:
        """Tell whether a dependent is a subject, perhaps with the wrong label: one without a preposition."""
        is_named = self.words[i].relation in _SUBJECTS or self.words[i].label == "obl"
        return is_named and not any(self.words[k].relation == "case" and k < i for k in self.children[i])

    def below(self, i: int) -> set[int]:
        """Return a word and all words below it."""
        inside = {i}
        stack = [i]
        while stack:
            for k in self.children[stack.pop()]:
                if k not in inside:
                    inside.add(k)
                    stack.append(k)
        return inside

    def lemmas(self, i: int, relations: frozenset[str]) -> set[str]:
        """Return the lemmas of some dependents of a word."""
        return {self.words[k].lemma for k in self.children[i] if self.words[k].relation in relations}

    def has(self, i: int, relations: frozenset[str]) -> bool:
        """Tell whether a word has such a dependent."""
        return any(self.words[k].relation in relations for k in self.children[i])

    def splits(self, inside: set[int]) -> bool:
        """Tell whether words belong together of which some but not all are among some words.

        These are words in brackets, words without a blank between them or with a hyphen at the end of a line, and
        *not only* with its *but*.
        """
        return any(0 < len(inside.intersection(group)) < len(group) for group in self.together)

    def _is_broken(self, k: int) -> bool:
        """Tell whether a hyphen at the end of a line divides a word from the next one."""
        form = self.words[k].form
        inside = form != "-" or (k > 0 and self.words[k - 1].chunk == self.words[k].chunk)
        return form.endswith("-") and inside and self.words[k + 1].chunk != self.words[k].chunk

    def _groups(self) -> list[list[int]]:
        together = [list(range(begin + 1, end)) for begin, end in self.brackets]
        chunks: dict[int, list[int]] = {}
        for k, word in enumerate(self.words):
            chunks.setdefault(word.chunk, []).append(k)
        together += chunks.values()
        together += [[max(k - 1, 0), k, k + 1] for k in range(len(self.words) - 1) if self._is_broken(k)]
        lemmas = [word.lemma for word in self.words]
        pairs = [k for k in range(len(lemmas) - 1) if lemmas[k : k + 2] == ["not", "only"]]
        together += [[k, later] for k in pairs for later in range(k, len(lemmas)) if lemmas[later] == "but"]
        return [[k for k in group if not self.words[k].is_punctuation or lemmas[k] == "%"] for group in together]


_MODIFIERS = frozenset(["case", "mark", "advmod"])
_OBJECTS = frozenset(["obj", "ccomp", "xcomp"])
_COMPLEMENTS = _OBJECTS | {"cop"}


def _can_go(i: int, around: _Surroundings) -> bool:
    words = around.words
    word = words[i]
    inside = around.below(i)
    if around.splits(inside) or around.tears(i, inside):
        return False
    if word.label == "acl:relcl":
        return _is_relative(i, inside, around)
    if word.label in _FREE:
        return True
    if word.label == "report":
        ends_at_verb = max(inside) == i or words[max(inside)].lemma == "that" or words[max(inside)].is_punctuation
        return ends_at_verb and word.lemma in _SAID and not around.lemmas(word.head, _MODIFIERS) & _INDIRECT
    relation = word.relation
    if relation in _NOMINAL and (around.has(i, _SUBJECTS | {"cop"})):
        return False
    small = around.lemmas(i, _MODIFIERS)
    is_set_off = _is_set_off(words, inside)
    if relation in ("appos", "acl", "parataxis"):
        return is_set_off
    if relation == "advcl":
        return not small & _CONDITIONS and is_set_off
    above = words[word.head]
    is_narrow = above.label == "acl" and min(inside) == word.head + 1  # "models based on words"
    if relation == "obl":
        is_argument = word.lemma in _TAKEN | _RELATIVES or "by" in small or around.is_subject(i)
        is_argument |= is_narrow
        behind_object = around.has(word.head, _COMPLEMENTS) and i > word.head
        return not is_argument and (is_set_off or behind_object)
    if relation == "nmod":
        is_predicate = around.has(i, frozenset(["cop"]))
        return (
            not small & {"of", "between", "to", "than", "as"}
            and bool(small)
            and not (is_predicate or is_narrow or above.lemma in _NEED_CLAUSE)
        )
    if relation == "advmod":
        return word.lemma not in _DEGREES and (word.form.endswith("ly") or is_set_off)
    return relation == "conj" and _is_free_member(i, inside, around)


def _is_relative(i: int, inside: set[int], around: _Surroundings) -> bool:
    """Tell whether a clause is surely relative: before the verb of the sentence only with a relative pronoun."""
    words = around.words
    if not around.ends_at_mark(inside) or words[words[i].head].lemma in _NEED_CLAUSE:
        return False
    root = next((k for k, word in enumerate(words) if word.head < 0), -1)
    return i > root or any(words[k].lemma in _RELATIVES for k in inside if k <= i)


def _is_free_member(i: int, inside: set[int], around: _Surroundings) -> bool:
    """Tell whether a member of a coordination can go without a trace."""
    words = around.words
    word, head = words[i], words[words[i].head]
    first, last = min(inside), max(inside)
    if not around.ends_at_mark(inside):
        return False
    if any(word.lemma == "respectively" for word in words):
        return False
    if head.upos != word.upos or around.lemmas(word.head, frozenset(["advmod", "cc", "det"])) & {"not", *_PAIRED}:
        return False
    if any(words[k].lemma in _PAIRED for k in range(first)):
        return False
    has_mark = words[first].relation == "cc" or words[first].is_punctuation
    if not has_mark and not (first > 0 and (words[first - 1].is_punctuation or words[first - 1].relation == "cc")):
        return False  # perhaps an object
    if around.has(i, _SUBJECTS) and not around.has(word.head, _SUBJECTS):
        return False
    if word.upos == "VERB":  # an object may be that of both
        return around.has(i, _SUBJECTS) or around.has(word.head, _OBJECTS) or not around.has(i, _OBJECTS)
    if word.upos in ("ADJ", "ADV"):
        return not word.form.lower().endswith(_COMPARED)
    if word.upos == "PROPN" and any(_is_year(words[k].form) for k in range(i, min(last + _NEAR, len(words)))):
        return False
    if around.has(i, frozenset(["compound"])) and word.form.endswith("s") and not head.form.endswith("s"):
        return False  # "measure and weight functions"
    members = sum(words[k].relation == "conj" for k in around.children[word.head])
    return not (members == 1 and any(words[k].form == "," for k in range(word.head + 1, i)))


def _is_year(form: str) -> bool:
    return len(form.rstrip("abc")) == 4 and form.rstrip("abc").isdigit()


def _is_set_off(words: Sequence[Word], inside: set[int]) -> bool:
    """Tell whether punctuation, or an end of the sentence, stands on both sides of a subtree."""
    solid = [k for k in inside if not words[k].is_punctuation]
    first, last = min(solid), max(solid)
    if any(k not in inside and not words[k].is_punctuation for k in range(first, last + 1)):
        return False
    before = first == 0 or words[first - 1].is_punctuation
    after = last == len(words) - 1 or words[last + 1].is_punctuation
    return before and after
