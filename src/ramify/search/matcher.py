"""Finds the words of a sentence that fit a block of clauses: candidates of each word first, then a join."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.search.clauses import OPERATORS, Distance, Dominance, Edge, Precedence, Reference

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ramify.search.clauses import Block, Clause, Comparison
    from ramify.search.words import Words

__all__ = ["BlockMatcher"]

Bound = dict[str, int]


class BlockMatcher:
    """A block, prepared: tests of single words apart from relations between two.

    Parameters
    ----------
    block : what is to be found
    given : words that are known already, where the block is a condition on what another one found
    """

    def __init__(self, block: Block, given: Iterable[str] = ()) -> None:
        self._given = frozenset(given)
        self._names = [name for name in block.tests if name not in self._given]
        self._tests = block.tests
        self._edges = [clause for clause in block.clauses if isinstance(clause, Edge)]
        self._pairs = [clause for clause in block.clauses if len(_words_of(clause)) == 2]

    def find(self, words: Words, bound: Mapping[str, int]) -> Iterator[Bound]:
        """Yield every way to choose different words of the sentence, `bound` among them, that the block allows."""
        candidates: dict[str, list[int]] = {}
        for name in self._given & set(self._tests):
            if not self._filter(name, words, [bound[name]]):
                return
        # The strictest description first: most sentences end here.
        for name in sorted(self._names, key=self._looseness):
            candidates[name] = self._filter(name, words, range(1, words.size + 1))
            if not candidates[name]:
                return
        known = {name: bound[name] for name in self._given}
        if all(_holds(clause, words, known) for clause in self._pairs if self._given.issuperset(_words_of(clause))):
            yield from self._extend(words, self._order(candidates), candidates, known)

    def _looseness(self, name: str) -> int:
        return -len(self._tests[name]) - sum(edge.dependent == name and edge.label is not None for edge in self._edges)

    def _filter(self, name: str, words: Words, chosen: Iterable[int]) -> list[int]:
        """Keep the words that pass all tests of a name, and have the edges that it needs."""
        left = list(chosen)
        for alternatives in self._tests.get(name, ()):
            if len(alternatives) == 1:
                for test in alternatives[0]:
                    left = _passing(test, words, left)
            else:
                kept = {word for tests in alternatives for word in _all_passing(tests, words, left)}
                left = [word for word in left if word in kept]
        for edge in self._edges:
            if left and edge.dependent == name:
                left = _below(edge, words, left)
            elif left and edge.head == name:
                left = _above(edge, words, left)
        return left

    def _order(self, candidates: dict[str, list[int]]) -> list[str]:
        """Return the names in the order in which they are chosen: few candidates first, then neighbours."""
        order: list[str] = []
        known = set(self._given)
        left = set(candidates)
        while left:
            near = {name for name in left if any(self._leads_to(clause, name, known) for clause in self._pairs)}
            best = min(near or left, key=lambda name: (len(candidates[name]), name))
            order.append(best)
            known.add(best)
            left.remove(best)
        return order

    @staticmethod
    def _leads_to(clause: Clause, name: str, known: set[str]) -> bool:
        words = _words_of(clause)
        direct = isinstance(clause, (Edge, Dominance)) or (isinstance(clause, Precedence) and clause.immediate)
        return direct and name in words and bool(set(words) & known)

    def _extend(
        self, words: Words, order: list[str], candidates: dict[str, list[int]], bound: Bound
    ) -> Iterator[Bound]:
        if not order:
            yield dict(bound)
            return
        name, rest = order[0], order[1:]
        taken = set(bound.values())
        clauses = [
            clause
            for clause in self._pairs
            if name in _words_of(clause) and {*bound, name}.issuperset(_words_of(clause))
        ]
        for word in self._choices(name, words, candidates[name], bound):
            if word in taken:
                continue
            bound[name] = word
            if all(_holds(clause, words, bound) for clause in clauses):
                yield from self._extend(words, rest, candidates, bound)
            del bound[name]

    def _choices(self, name: str, words: Words, candidates: list[int], bound: Bound) -> Iterable[int]:
        """Return candidates, but only those next to a word that is known where there is such a one."""
        for clause in self._pairs:
            near: list[int] | None = None
            if isinstance(clause, Edge):
                if clause.head == name and clause.dependent in bound:
                    near = [words.heads[bound[clause.dependent]]]
                elif clause.dependent == name and clause.head in bound:
                    near = words.children[bound[clause.head]]
            elif isinstance(clause, Dominance):
                if clause.above == name and clause.below in bound:
                    near = words.ancestors(bound[clause.below])
                elif clause.below == name and clause.above in bound:
                    near = words.descendants(bound[clause.above])
            elif isinstance(clause, Precedence) and clause.immediate:
                if clause.first == name and clause.second in bound:
                    near = [bound[clause.second] - 1]
                elif clause.second == name and clause.first in bound:
                    near = [bound[clause.first] + 1]
            if near is not None:
                allowed = set(candidates)
                return [word for word in near if word in allowed]
        return candidates


def _words_of(clause: Clause) -> list[str]:
    """Return the names that a clause is about."""
    if isinstance(clause, Edge):
        names = (clause.head, clause.dependent)
    elif isinstance(clause, Dominance):
        names = (clause.above, clause.below)
    elif isinstance(clause, Reference):
        names = (clause.left, clause.right)
    else:
        names = (clause.first, clause.second)
    return [name for name in names if name is not None]


def _passing(test: Comparison, words: Words, chosen: list[int]) -> list[int]:
    return test.select(words.values(test.feature), chosen) if chosen else []


def _all_passing(tests: tuple[Comparison, ...], words: Words, chosen: list[int]) -> list[int]:
    left = chosen
    for test in tests:
        left = _passing(test, words, left)
    return left


def _labelled(edge: Edge, words: Words, chosen: list[int]) -> list[int]:
    return chosen if edge.label is None else edge.label.select(words.values("deprel"), chosen)


def _below(edge: Edge, words: Words, chosen: list[int]) -> list[int]:
    """Keep the words that an edge of this kind points at."""
    least = 0 if edge.head is None else 1
    heads = words.heads
    return [word for word in _labelled(edge, words, chosen) if heads[word] >= least]


def _above(edge: Edge, words: Words, chosen: list[int]) -> list[int]:
    """Keep the words that an edge of this kind starts from."""
    heads = {words.heads[word] for word in _labelled(edge, words, list(range(1, words.size + 1)))}
    return [word for word in chosen if word in heads]


def _holds(clause: Clause, words: Words, bound: Mapping[str, int]) -> bool:
    """Tell whether a relation holds between two words that are known."""
    if isinstance(clause, Edge):
        head, dependent = bound[str(clause.head)], bound[str(clause.dependent)]
        return words.heads[dependent] == head and bool(_labelled(clause, words, [dependent]))
    if isinstance(clause, Dominance):
        return bound[clause.above] in words.ancestors(bound[clause.below])
    if isinstance(clause, Reference):
        left, right = words.values(clause.left_feature), words.values(clause.right_feature)
        return clause.holds(left[bound[clause.left]], right[bound[clause.right]])
    distance = bound[clause.second] - bound[clause.first]
    if isinstance(clause, Distance):
        return OPERATORS[clause.operator](distance if clause.signed else abs(distance), clause.number)
    return distance == 1 if clause.immediate else distance > 0
