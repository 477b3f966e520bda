"""The parser under the annotator's decisions: the best tree, probabilities, candidates and their prices.

If the file has an arc that the parser would not choose, somebody has probably chosen it. Such arcs stay as long as no
decision contradicts them: they are weak constraints. All other arcs are chosen by the parser.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ramify.parsing import Head, Label, NotHead

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from ramify.annotation.marks import Marks
    from ramify.data import Sentence
    from ramify.parsing import Constraint, Parser, ParseResult

__all__ = ["Answer", "Candidate", "Reparser", "Tree"]

_REMEMBERED = 64
_MANY = 60  # words


@dataclass(frozen=True)
class Tree:
    """Heads and labels of a sentence; −1 and ``"_"`` where there are none."""

    heads: tuple[int, ...]
    labels: tuple[str, ...]

    @classmethod
    def of(cls, sentence: Sentence) -> Tree:
        """Return the tree that a sentence has."""
        return cls(tuple(int(head) for head in sentence.heads), tuple(sentence.deprels))

    @property
    def is_whole(self) -> bool:
        """Whether every word has a head."""
        return all(head >= 0 for head in self.heads)


@dataclass(frozen=True)
class Answer:
    """What the parser says to a change.

    Attributes
    ----------
    tree : the new tree; None if the decisions contradict each other
    conflict : a smallest set of decisions that no tree obeys
    """

    tree: Tree | None
    conflict: tuple[Constraint, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """A head or a label that a word could have.

    Attributes
    ----------
    value : the head, or the label
    probability : of the arc, or of the label if the arc is right
    price : how much lower the score of the best tree with it is; None if no tree has it
    """

    value: int | str
    probability: float
    price: float | None


@dataclass
class Reparser:
    """A parser that answers decisions.

    Attributes
    ----------
    parser : parser with probabilities and constraints
    likely : an arc is likely if its probability is at least this
    price : penalty for changing a likely arc, in units of the score; with 0 there is no penalty
    max_words : longer sentences are not parsed
    tag : function that writes tags into sentences without tags
    """

    parser: Parser
    likely: float = 0.6
    price: float = 0.0
    max_words: int = 250
    tag: Callable[[list[Sentence]], object] | None = None
    _known: OrderedDict[tuple[object, tuple[Constraint, ...], bool], ParseResult] = field(default_factory=OrderedDict)

    def tagged(self, sentence: Sentence) -> Sentence:
        """Return the sentence with tags: its own, or those of the tagger if it has none."""
        if self.tag is None or any(tag != "_" for tag in sentence.upos):
            return sentence
        copy = sentence.copy()
        self.tag([copy])
        return copy

    def best(
        self, sentence: Sentence, constraints: Sequence[Constraint] = (), *, marginals: bool = True
    ) -> ParseResult:
        """Parse; the last answers are remembered.

        Parameters
        ----------
        sentence : with tags
        constraints : on the tree
        marginals : whether probabilities are needed
        """
        # Without heads: they are the answer, and after a decision the same constraints come with another tree.
        tokens = (sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats)
        key = (tokens, tuple(constraints), marginals)
        found = self._known.get(key)
        if found is None:
            given = list(constraints) or None
            found = self.parser.parse(sentence, constraints=given, marginals=marginals, max_words=self.max_words)
            self._known[key] = found
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return found

    def hard(self, marks: Marks, tree: Tree) -> list[Constraint]:
        """Return the decisions as constraints.

        Parameters
        ----------
        marks, tree : of the sentence
        """
        heads = dict(enumerate(tree.heads, 1))
        return marks.constraints(heads, dict(enumerate(tree.labels, 1)), set(self.parser.labels))

    def given(
        self, sentence: Sentence, tree: Tree, marks: Marks, constraints: Sequence[Constraint]
    ) -> list[Constraint]:
        """Return the arcs that are not the parser's, and that nobody has decided about since the file was opened.

        Parameters
        ----------
        sentence : with tags
        tree : the present one
        marks, constraints : decisions so far, as such and for the parser
        """
        free = self.best(sentence, constraints)
        if not free.found or not tree.is_whole:
            return [Head(w, head) for w, head in enumerate(tree.heads, 1) if head >= 0 and not _decided(marks, w)]
        known = set(self.parser.labels)
        found: list[Constraint] = []
        pairs = zip(tree.heads, tree.labels, free.heads, free.labels, strict=True)
        for word, (head, label, other, other_label) in enumerate(pairs, 1):
            if not _decided(marks, word) and (head, label) != (other, other_label):
                found.append(Head(word, head))
                if label in known and label != other_label:
                    found.append(Label(word, label))
        return found

    def _all(self, tree: Tree, before: Marks, after: Marks) -> list[Constraint]:
        """Return all arcs but those of the words that the new decision is about."""
        words = (w for w in range(1, len(tree.heads) + 1) if before.of(w) == after.of(w) and not _decided(after, w))
        known = set(self.parser.labels)
        found: list[Constraint] = []
        for word in words:
            if tree.heads[word - 1] >= 0:
                found.append(Head(word, tree.heads[word - 1]))
                if tree.labels[word - 1] in known:
                    found.append(Label(word, tree.labels[word - 1]))
        return found

    def answer(
        self,
        sentence: Sentence,
        tree: Tree,
        before: Marks,
        after: Marks,
        *,
        changed: Sentence | None = None,
        alone: bool = False,
    ) -> Answer:
        """Find the best tree under new decisions.

        Parameters
        ----------
        sentence : with tags
        tree : the present tree
        before, after : decisions without and with the new one
        changed : the sentence with its new tags, if these have changed
        alone : whether no other arc may change, unless the decision leaves no tree with all of them
        """
        old = self.hard(before, tree)
        hard = self.hard(after, tree)
        sure = self.best(sentence, old).marginals
        soft = self._all(tree, before, after) if alone else self.given(sentence, tree, after, old)
        soft = _compatible(hard, soft, sure)
        found = self._under(changed or sentence, hard, soft)
        if isinstance(found, list):
            return Answer(None, tuple(found))
        result, kept = found
        result = self._cautious(changed or sentence, tree, after, [*hard, *kept], sure, result)
        labels = list(result.labels)
        for word, mark in after.words.items():  # labels that the parser does not know cannot be constraints
            label = mark.label or (tree.labels[word - 1] if mark.locked else None)
            if label and label not in self.parser.labels:
                labels[word - 1] = label
        for word, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True), 1):
            same = result.heads[word - 1] == head and after.of(word).label is None
            if same and label not in self.parser.labels and label != "_":
                labels[word - 1] = label
        return Answer(Tree(tuple(int(head) for head in result.heads), tuple(labels)))

    def _under(
        self, sentence: Sentence, hard: list[Constraint], soft: list[Constraint]
    ) -> tuple[ParseResult, list[Constraint]] | list[Constraint]:
        """Parse, without weak constraints that cannot hold. Return the conflict if the others contradict each other."""
        while True:
            result = self.best(sentence, [*hard, *soft], marginals=not soft)
            if result.found:
                return result, soft
            conflict = [c for c in result.conflict if c in soft and c not in hard]
            if not conflict:
                return list(result.conflict)
            soft = [c for c in soft if c not in conflict]

    def _cautious(
        self,
        sentence: Sentence,
        tree: Tree,
        marks: Marks,
        constraints: list[Constraint],
        sure: npt.NDArray[np.float64] | None,
        free: ParseResult,
    ) -> ParseResult:
        """Keep arcs that were likely, one after the other, where that costs less than their change."""
        if sure is None or self.price <= 0 or not tree.is_whole:
            return free
        best = free
        kept: list[Constraint] = []
        # The likeliest arcs come first: with them in place, others often stay by themselves.
        for word in sorted(range(1, len(tree.heads) + 1), key=lambda w: -sure[tree.heads[w - 1], w]):
            head = tree.heads[word - 1]
            if head < 0 or sure[head, word] < self.likely:
                break
            if head == best.heads[word - 1] or _decided(marks, word):
                continue
            stay = self.best(sentence, [*constraints, *kept, Head(word, head)], marginals=False)
            if stay.found and best.value - stay.value <= self.price:
                kept.append(Head(word, head))
                best = stay
        return best

    def heads(self, sentence: Sentence, tree: Tree, marks: Marks, word: int, most: int = 9) -> list[Candidate]:
        """Return the likely heads of a word, with their prices, likely ones first.

        Parameters
        ----------
        sentence, tree, marks : of the sentence
        word : number of the word
        most : how many
        """
        most = most if len(tree.heads) <= _MANY else 4  # each price costs a parse
        free = self.hard(marks.without(word), tree)
        result = self.best(sentence, free)
        dense = result.marginals
        if dense is None or not result.found:
            return []
        column = dense[:, word]
        ranked = [int(h) for h in np.argsort(-column, kind="stable") if column[h] > 0 and h != word][:most]
        own = tree.heads[word - 1]
        if own >= 0 and own not in ranked:
            ranked = [*ranked[: most - 1], own]
        trees = self.parser.parse(
            [sentence] * len(ranked),
            constraints=[[*free, Head(word, head)] for head in ranked],
            max_words=self.max_words,
        )
        best = max((other.value for other in trees if other.found), default=0.0)
        return [
            Candidate(head, float(column[head]), best - other.value if other.found else None)
            for head, other in zip(ranked, trees, strict=True)
        ]

    def labels(self, sentence: Sentence, tree: Tree, word: int) -> list[Candidate]:
        """Return all labels of the parser for the arc of a word, likely ones first.

        Parameters
        ----------
        sentence, tree : of the sentence
        word : number of the word
        """
        known = self.parser.labels
        labels = [label if label in known else known[0] for label in tree.labels]
        if not tree.is_whole:
            return [Candidate(label, 0.0, None) for label in known]
        values = []
        for label in known:
            labels[word - 1] = label
            values.append(self.parser.score(sentence, tree.heads, labels))
        scores = np.array(values)
        sure = np.exp((scores - scores.max()) / self.parser.config.inference.temperature)
        sure /= sure.sum()
        ranked = np.argsort(-scores, kind="stable")
        return [Candidate(known[i], float(sure[i]), float(scores.max() - scores[i])) for i in ranked]


def _compatible(
    hard: list[Constraint], soft: list[Constraint], sure: npt.NDArray[np.float64] | None
) -> list[Constraint]:
    """Remove weak constraints that contradict others: those that make a cycle, a second root, or no root at all.

    The parser would name all that contradict each other; here as few as possible are removed, unlikely arcs first.
    """
    fixed = {c.word: c.head for c in hard if isinstance(c, Head)}
    forbidden = {(c.word, c.head) for c in hard if isinstance(c, NotHead)}
    decided = {c.word for c in hard}
    arcs = [c for c in soft if isinstance(c, Head) and c.word not in fixed]
    if sure is not None:
        arcs.sort(key=lambda c: -sure[c.head, c.word])
    kept = _acyclic(fixed, forbidden, arcs)
    words = {c.word for c in soft}
    if 0 not in {**fixed, **kept}.values() and all((w, 0) in forbidden or w in kept for w in words if w not in fixed):
        kept = {word: head for word, head in kept.items() if head not in decided}  # one of these becomes the root
    return [c for c in soft if c.word in kept and (not isinstance(c, Head) or kept[c.word] == c.head)]


def _acyclic(fixed: dict[int, int], forbidden: set[tuple[int, int]], arcs: Sequence[Head]) -> dict[int, int]:
    """Return arcs that together with the fixed ones have no cycle and one root at most."""
    kept: dict[int, int] = {}
    for arc in arcs:
        heads = {**fixed, **kept}
        above, steps = arc.head, 0
        while above in heads and above != arc.word and steps <= len(heads):  # the fixed ones may have a cycle
            above, steps = heads[above], steps + 1
        second_root = arc.head == 0 and 0 in heads.values()
        if above != arc.word and not second_root and (arc.word, arc.head) not in forbidden:
            kept[arc.word] = arc.head
    return kept


def _decided(marks: Marks, word: int) -> bool:
    mark = marks.of(word)
    return mark.locked or mark.head is not None
