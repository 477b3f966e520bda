"""What a treebank holds: counts, shapes of its trees, problems of its files."""

from __future__ import annotations

import collections
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ramify.data.conversion import to_head_array
from ramify.data.sentence import NO_HEAD, Sentence
from ramify.trees.projectivity import crossing_arcs, gap_degree, nonprojective_arcs

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable

    from ramify.data.treebanks import Problem

__all__ = ["TreebankStatistics", "tree_depth"]

ARC_LENGTH_BINS = ((1, 1), (2, 2), (3, 6), (7, 14), (15, None))


def tree_depth(heads: Iterable[int]) -> int:
    """Return the number of arcs between the root and the deepest word; ``heads`` has shape (n+1,), 0 is the root."""
    above = list(heads)
    depths: list[int] = [0] + [-1] * (len(above) - 1)
    for word in range(1, len(above)):
        path = []
        while depths[word] < 0:
            path.append(word)
            word = above[word]
        for depth, passed in enumerate(reversed(path), depths[word] + 1):
            depths[passed] = depth
    return max(depths)


def _counter() -> Counter[Any]:
    return collections.Counter()


@dataclass
class TreebankStatistics:
    """Counts over the sentences added so far.

    Tree shapes count sentences in which every word has a head. An arc is non-projective if some word strictly between
    its ends is not a descendant of its head; arcs from the root are projective by convention.
    """

    sentences: int = 0
    words: int = 0
    tokens: int = 0
    multiword_tokens: int = 0
    empty_nodes: int = 0
    longest_sentence: int = 0
    trees: int = 0
    arcs: int = 0
    nonprojective_arcs: int = 0
    nonprojective_sentences: int = 0
    crossing_arcs: int = 0
    forms: Counter[str] = field(default_factory=_counter)
    lemmas: Counter[str] = field(default_factory=_counter)
    upos: Counter[str] = field(default_factory=_counter)
    xpos: Counter[str] = field(default_factory=_counter)
    feats: Counter[str] = field(default_factory=_counter)
    deprels: Counter[str] = field(default_factory=_counter)
    gap_degrees: Counter[int] = field(default_factory=_counter)
    depths: Counter[int] = field(default_factory=_counter)
    arc_lengths: Counter[int] = field(default_factory=_counter)
    roots: Counter[int] = field(default_factory=_counter)
    problems: list[Problem] = field(default_factory=list)

    def add(self, sentence: Sentence) -> None:
        """Count one sentence."""
        n = len(sentence)
        ranges = sentence.multiword_tokens
        self.sentences += 1
        self.words += n
        self.tokens += n - sum(token.last - token.first for token in ranges)
        self.multiword_tokens += len(ranges)
        self.empty_nodes += len(sentence.empty_nodes)
        self.longest_sentence = max(self.longest_sentence, n)
        self.forms.update(sentence.forms)
        for counter, column in (
            (self.lemmas, sentence.lemmas),
            (self.upos, sentence.upos),
            (self.xpos, sentence.xpos),
            (self.deprels, sentence.deprels),
        ):
            counter.update(value for value in column if value != "_")
        for feats in sentence.feats:
            if feats != "_":
                self.feats.update(feats.split("|"))
        if NO_HEAD not in sentence.heads:
            self._add_tree(sentence)

    def _add_tree(self, sentence: Sentence) -> None:
        heads = to_head_array(sentence)
        above = heads.tolist()
        self.trees += 1
        self.arcs += len(sentence)
        self.roots[above.count(0)] += 1
        self.arc_lengths.update(abs(word - head) for word, head in enumerate(above) if head > 0)
        self.depths[tree_depth(above)] += 1
        nonprojective = int(nonprojective_arcs(heads).sum())
        self.nonprojective_arcs += nonprojective
        self.nonprojective_sentences += nonprojective > 0
        self.crossing_arcs += int(crossing_arcs(heads).sum())
        self.gap_degrees[gap_degree(heads) if nonprojective else 0] += 1

    def arc_length_bins(self) -> dict[str, int]:
        """Arcs between words by length, as few bins; arcs from the root have no length."""
        bins = {}
        for low, high in ARC_LENGTH_BINS:
            name = f"{low}+" if high is None else f"{low}" if low == high else f"{low}-{high}"
            bins[name] = sum(
                n for length, n in self.arc_lengths.items() if length >= low and (not high or length <= high)
            )
        return bins

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON; vocabularies of forms and lemmas as their sizes."""
        result = asdict(self)
        result["forms"] = len(self.forms)
        result["lemmas"] = len(self.lemmas)
        result["problems"] = [problem._asdict() for problem in self.problems]
        for name in ("upos", "xpos", "feats", "deprels"):
            result[name] = dict(getattr(self, name).most_common())
        for name in ("gap_degrees", "depths", "arc_lengths", "roots"):
            result[name] = {str(key): value for key, value in sorted(getattr(self, name).items())}
        return result
