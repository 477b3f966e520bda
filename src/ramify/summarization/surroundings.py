"""What stands around words that a cut takes away: whether the rest of the sentence shows that they are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.compression.surface import bracket_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.compression.grammar import Word

__all__ = ["INDIRECT", "SUBJECTS", "Surroundings", "is_year"]

INDIRECT = frozenset(["when", "where", "how", "why", "whether", "if"])  # open clauses that are no sentences
_FINITE = frozenset(["have", "has", "had", "was", "were", "is", "are", "can", "will", "do", "does", "did"])
SUBJECTS = frozenset(["nsubj", "csubj", "expl"])
_BRACKETS = frozenset("()[]{}")
_ENDS = frozenset([",", ";", ":", ".", "!", "?", "...", "!!", "-", "–", "—"])
_UNPAIRED = _BRACKETS | {"'"}
_LONGEST_NUMBER = 3  # of what stands alone in brackets to count members: (1), (a), (iii)


class Surroundings:
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
        opening = [k for k in self.children[root] if k < root and self.words[k].lemma in INDIRECT]
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
        if len(rest) == 3 and rest[1] in "([" and is_year(rest[2]):
            return True
        has_finite = any(words[k].relation == "aux" and words[k].form.lower() in _FINITE for k in self.children[i])
        if has_finite and not self.has(i, SUBJECTS | {"cc"}):
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
        return is_clause and not self.has(verb, SUBJECTS | {"mark", "cc"})

    def is_subject(self, i: int) -> bool:
        """Tell whether a dependent is a subject, perhaps with the wrong label: one without a preposition."""
        is_named = self.words[i].relation in SUBJECTS or self.words[i].label == "obl"
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


def is_year(form: str) -> bool:
    """Tell whether a word is a year, as citations have it: 2010 or 2010b.

    Parameters
    ----------
    form : of the word
    """
    return len(form.rstrip("abc")) == 4 and form.rstrip("abc").isdigit()
