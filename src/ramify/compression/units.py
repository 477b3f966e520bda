"""Units: groups of words of a parsed sentence that stay or are deleted together, and the tree that they form.

Whole subtrees are cut, as Almeida & Martins (2013, section 3.2) do. Arcs that may never be cut join words to units, so
that the tree has about half as many nodes as the sentence has words. Two changes of the tree make more cuts possible:

* Where a reported clause depends on the verb of saying (*police said that a man died*), the verb depends on the
  clause instead, with the label ``report``: cutting it leaves the clause, which is a new root.
* The members of a coordination depend on the one with the conjunction (*a, b and c*), so that no list ends without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ramify.compression.grammar import Word, is_clause, is_fixed, words_of
from ramify.data import Sentence
from ramify.errors import InvalidInputError
from ramify.trees.projectivity import is_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["ROOT", "Units", "units_of"]

ROOT = -1
_MOST_REPORTS = 3  # verbs of saying around one clause


@dataclass(frozen=True)
class Units:
    """The units of a sentence; each comes after its head.

    Attributes
    ----------
    words : the sentence, with the changes of its tree
    unit : (words,) the unit of each word, −1 for punctuation, which is no unit's
    heads : (units,) head of each unit, `ROOT` for the first
    tops : (units,) word that depends on a word of the head unit
    lengths : (units,) words of the unit, counted at spaces
    characters : (units,) characters of these, each with a blank
    """

    words: tuple[Word, ...]
    unit: NDArray[np.int64]
    heads: NDArray[np.int64]
    tops: NDArray[np.int64]
    lengths: NDArray[np.int64]
    characters: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.heads)

    def kept_words(self, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return (words,) which words stay; punctuation does not.

        Parameters
        ----------
        kept : (units,) which units stay
        """
        return np.append(kept, False)[self.unit]

    def below(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (units,) sums of values over all units below each, without its own.

        Parameters
        ----------
        values : (units,)
        """
        sums = np.zeros(len(self))
        for u in range(len(self) - 1, -1, -1):
            if self.heads[u] >= 0:
                sums[self.heads[u]] += sums[u] + values[u]
        return sums

    def closest(self, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return (units,) the cuts that the tree allows and that agree with the most words.

        Parameters
        ----------
        kept : (words,) which words shall stay
        """
        from ramify.compression.decoding import best_cuts

        votes = np.where(kept, 1.0, -1.0)
        gains = np.zeros(len(self) + 1)
        np.add.at(gains, self.unit, votes)
        return best_cuts(self.heads, np.zeros(len(self)), gains[:-1])


def units_of(sentence: Sentence, *, rules: bool = True, reports: bool = True) -> Units:
    """Return the units of a sentence with a tree.

    Parameters
    ----------
    sentence : parsed
    rules : whether subjects, objects, function words, names and the like belong to their heads; otherwise every word
        that stands alone between blanks can be cut
    reports : whether verbs of saying can be cut from the clause that they report
    """
    _expect_tree(sentence)
    words = words_of(sentence)
    heads = np.asarray(sentence.heads, dtype=np.int64) - 1
    labels = list(sentence.deprels)
    if reports:
        _hang_reports(words, heads, labels)
    _hang_coordinations(words, heads, labels)
    words = tuple(word.hung(int(head), label) for word, head, label in zip(words, heads, labels, strict=True))
    return _joined(words, heads, rules=rules)


def _expect_tree(sentence: Sentence) -> None:
    if not isinstance(sentence, Sentence):
        raise InvalidInputError(f"Compressor expects sentences (ramify.data.Sentence); got {type(sentence).__name__}.")
    if not is_tree(np.concatenate([[0], sentence.heads])):
        raise InvalidInputError(
            f"Compressor expects sentences with trees; the heads of {sentence!r} form no tree. Parse it first."
        )


def _hang_reports(words: Sequence[Word], heads: NDArray[np.int64], labels: list[str]) -> None:
    for _ in range(_MOST_REPORTS):
        root = next((i for i, head in enumerate(heads) if head == ROOT), None)
        clause = (
            None if root is None else next((i for i in _children(heads, root) if is_clause(i, heads, labels)), None)
        )
        if root is None or clause is None:
            return
        heads[root], labels[root] = clause, "report"
        heads[clause], labels[clause] = ROOT, "root"
        for i in _children(heads, clause):
            if labels[i] == "mark":  # "that" goes with the verb
                heads[i] = root


def _hang_coordinations(words: Sequence[Word], heads: NDArray[np.int64], labels: list[str]) -> None:
    for i in range(len(words)):
        members = [j for j in _children(heads, i) if labels[j].split(":")[0] == "conj"]
        last = [j for j in members if any(labels[k] == "cc" for k in _children(heads, j))]
        if last:
            for j in members:
                if j < last[-1]:
                    heads[j] = last[-1]


def _children(heads: NDArray[np.int64], head: int) -> list[int]:
    return [int(i) for i in np.flatnonzero(heads == head)]


def _joined(words: tuple[Word, ...], heads: NDArray[np.int64], *, rules: bool) -> Units:
    """Join words to units from the root down."""
    n = len(words)
    unit = np.full(n, -1, dtype=np.int64)
    tops: list[int] = []
    unit_heads: list[int] = []
    order = _from_the_root(heads)
    for i in order:
        if words[i].is_punctuation:
            continue
        head = _nearest_word(words, heads, i)
        joins = head != ROOT and (words[i].chunk == words[head].chunk or (rules and is_fixed(words, i, head)))
        if joins:
            unit[i] = unit[head]
            continue
        unit[i] = len(tops)
        tops.append(i)
        unit_heads.append(ROOT if head == ROOT else int(unit[head]))
    lengths, characters = _sizes(words, unit, len(tops))
    return Units(words, unit, np.array(unit_heads, np.int64), np.array(tops, np.int64), lengths, characters)


def _nearest_word(words: Sequence[Word], heads: NDArray[np.int64], i: int) -> int:
    head = int(heads[i])
    while head != ROOT and words[head].is_punctuation:  # a tree by mistake, but a tree
        head = int(heads[head])
    return head


def _from_the_root(heads: NDArray[np.int64]) -> list[int]:
    children: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for i, head in enumerate(heads.tolist()):
        children[head].append(i)  # the last list is that of the root, whose number is -1
    order, stack = [], children[ROOT][::-1]
    while stack:
        i = stack.pop()
        order.append(i)
        stack += children[i][::-1]
    return order


def _sizes(
    words: Sequence[Word], unit: NDArray[np.int64], num_units: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count what stands between blanks; where several units share that, each counts it, so that no count is too low."""
    lengths = np.zeros(num_units, np.int64)
    characters = np.zeros(num_units, np.int64)
    widths = np.bincount([word.chunk for word in words], [word.width for word in words])
    for u, chunk in {(int(u), word.chunk) for u, word in zip(unit, words, strict=True) if u >= 0}:
        lengths[u] += 1
        characters[u] += int(widths[chunk]) + 1
    return lengths, characters
