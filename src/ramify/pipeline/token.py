"""Tokens: views of single words of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.derived import Derived
from ramify.options import Integer, check_argument
from ramify.pipeline.span import Placed

if TYPE_CHECKING:
    from ramify.data import Sentence as Columns
    from ramify.data import Token as Word
    from ramify.parsing import Explanation
    from ramify.pipeline.doc import Doc, Sentence

__all__ = ["Token"]


class Token(Placed):
    """One word of a document."""

    __slots__ = ("_doc", "_index", "_sentence")

    def __init__(self, doc: Doc, sentence: int, index: int) -> None:
        self._doc = doc
        self._sentence = sentence
        self._index = index

    def _key(self) -> tuple[int, int]:
        return self._sentence, self._index

    def __repr__(self) -> str:
        return f"<Token {self.i}: {self.form}>"

    def __str__(self) -> str:
        return self.form

    def _columns(self) -> Columns:
        return self._doc._results[self._sentence].sentence

    def _word(self) -> Word:
        return self._columns()[self._index]

    def _sibling(self, index: int) -> Token:
        return Token(self._doc, self._sentence, index)

    @property
    def sentence(self) -> Sentence:
        """The sentence that the word is in."""
        return self._doc._sentence(self._sentence)

    i = Derived[int](
        lambda token: int(token._doc._first[token._sentence]) + token._index, "Position in the document, from 0."
    )
    id = Derived[int](lambda token: token._index + 1, "Number of the word in its sentence, from 1, as trees count.")
    text = Derived[str](lambda token: token.form, "The same as `form`, which spaCy calls so.")
    form = Derived[str](lambda token: token._word().form, "The word.")
    lemma = Derived[str](lambda token: token._word().lemma, "Its lemma; ``'_'`` if the pipeline has no lemmas.")
    upos = Derived[str](lambda token: token._word().upos, "Universal part of speech.")
    xpos = Derived[str](lambda token: token._word().xpos, "Tag of the language; ``'_'`` if the pipeline has none.")
    feats = Derived[str](
        lambda token: token._word().feats, "Morphological features, such as ``'Number=Sing'``; ``'_'`` for none."
    )
    deprel = Derived[str](
        lambda token: token._word().deprel, "Label of the arc from the head; ``'_'`` if the sentence has no tree."
    )

    @property
    def head(self) -> Token | None:
        """The head; None for the root of the sentence, and where the sentence has no tree."""
        head = int(self._columns().heads[self._index])
        return self._sibling(head - 1) if head > 0 else None

    @property
    def is_root(self) -> bool:
        """Whether the word hangs from the root."""
        return int(self._columns().heads[self._index]) == 0

    @property
    def prob(self) -> float | None:
        """Probability of the arc from the head; None if the sentence has no tree."""
        known = self.sentence.probabilities
        return None if known is None else float(known[self._index])

    def k_best(self, k: int) -> list[tuple[Token | None, float]]:
        """Return the k most probable heads with their probabilities, best first; the root is None.

        Heads of probability 0 are left out, so that there may be fewer; there are none if the sentence has no tree.
        """
        check_argument("Token.k_best", "k", Integer(1), k)
        dense = self.sentence.marginals
        if dense is None:
            return []
        column = dense[:, self.id]
        best = [int(head) for head in np.argsort(-column, kind="stable")[:k] if column[head] > 0]
        return [(self._sibling(head - 1) if head else None, float(column[head])) for head in best]

    def explain(self, against: Token | int | None = None, *, label: str | None = None) -> Explanation:
        """Say why the word has the head that the parser gives it, and not another one; see `Sentence.explain`."""
        return self.sentence.explain(self, against, label=label)

    @property
    def children(self) -> list[Token]:
        """The words that have this one as their head, in their order."""
        return [self._sibling(int(i)) for i in np.flatnonzero(self._columns().heads == self.id)]

    @property
    def subtree(self) -> list[Token]:
        """The word and all words below it, in their order."""
        heads = self._columns().heads
        inside = np.zeros(len(heads) + 1, bool)
        level = np.array([self.id])
        while level.size:
            inside[level] = True
            level = np.flatnonzero(np.isin(heads, level) & ~inside[1:]) + 1
        return [self._sibling(int(i) - 1) for i in np.flatnonzero(inside)]

    @property
    def ancestors(self) -> list[Token]:
        """The head, its head and so on, up to the root of the sentence."""
        found: list[Token] = []
        head = self.head
        while head is not None and head not in found:  # heads that were changed by hand may form a cycle
            found.append(head)
            head = head.head
        return found

    def is_ancestor(self, other: Token) -> bool:
        """Tell whether this word is the head of the other one, or the head of its head and so on."""
        return self in other.ancestors

    @property
    def lefts(self) -> list[Token]:
        """The children before the word, in their order."""
        return [child for child in self.children if child.i < self.i]

    @property
    def rights(self) -> list[Token]:
        """The children after the word, in their order."""
        return [child for child in self.children if child.i > self.i]

    n_lefts = Derived[int](lambda token: len(token.lefts), "Number of children before the word.")
    n_rights = Derived[int](lambda token: len(token.rights), "Number of children after the word.")

    @property
    def left_edge(self) -> Token:
        """The first word of the subtree."""
        return self.subtree[0]

    @property
    def right_edge(self) -> Token:
        """The last word of the subtree."""
        return self.subtree[-1]

    def _place(self) -> tuple[int, int]:
        return self._doc._span(self._sentence, self._index)[1:]

    idx = Derived[int](lambda token: token.start, "The same as `start`, which spaCy calls so.")

    @property
    def whitespace(self) -> str:
        """What stands between this and the next token; nothing inside multiword tokens."""
        number, _, end = self._doc._span(self._sentence, self._index)
        if self._index + 1 < len(self._columns()) and self._doc._span(self._sentence, self._index + 1)[0] == number:
            return ""
        places = self._doc._places()
        following = int(places.starts[number + 1]) if number + 1 < len(places.starts) else len(places.text)
        return places.text[end:following]
