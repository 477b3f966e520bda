"""The result of parsing a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import parsing as _core
from ramify.derived import Derived
from ramify.drawable import Drawable
from ramify.records import Record, recorded

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ramify.data import Sentence
    from ramify.parsing.constraints import Constraint

__all__ = ["ParseResult", "ParseStatus", "ScoredTree"]


class ParseStatus(str, Enum):
    """The outcome of parsing a sentence."""

    PARSED = "parsed"
    UNPARSED = "unparsed"  # nobody has looked for a tree
    INFEASIBLE = "infeasible"
    TOO_LONG = "too-long"


_STATUS = {
    _core.ParseStatus.PARSED: ParseStatus.PARSED,
    _core.ParseStatus.INFEASIBLE: ParseStatus.INFEASIBLE,
    _core.ParseStatus.TOO_LONG: ParseStatus.TOO_LONG,
}


@dataclass(frozen=True)
class ScoredTree:
    """One of the k best trees.

    Attributes
    ----------
    heads : shape (n,); 0 is the root
    labels : n dependency labels
    value : score of the tree
    """

    heads: npt.NDArray[np.int32]
    labels: tuple[str, ...]
    value: float


class ParseResult(Drawable):
    """The best tree of a sentence, with its score, and whether it is proved to be the best."""

    # Made for every sentence of a stream: nothing is computed before it is asked for.
    __slots__ = ("_bound", "_certified", "_constraints", "_labels", "_parse", "sentence")

    sentence: Sentence
    """The sentence with these heads and labels in it; all else is as it was."""

    def __init__(
        self,
        sentence: Sentence,
        parse: _core.Parse,
        labels: Sequence[str],
        constraints: Sequence[Constraint],
        proof: tuple[float, bool] | None = None,
    ) -> None:
        self.sentence = sentence
        self._parse = parse
        self._labels = labels
        self._constraints = constraints
        self._bound, self._certified = proof or (parse.bound, parse.certified)

    @classmethod
    def of_sentence(cls, sentence: Sentence, status: ParseStatus | None = None) -> ParseResult:
        """Return a result for the tree that a sentence already has, for example in a treebank.

        Its value is NaN, and it has no probabilities, because no parser computed them.

        Parameters
        ----------
        sentence : with heads, if it has a tree
        status : how parsing ended, if that is known; else the heads say whether there is a tree
        """
        if status is None:
            status = ParseStatus.PARSED if bool(np.all(sentence.heads >= 0)) else ParseStatus.UNPARSED
        tree = Record({"value": math.nan})
        ended = next((core for core, known in _STATUS.items() if known is status), None)
        facts = {"status": ended, "tree": tree, "bound": math.inf, "certified": False, "iterations": 0}
        nothing = dict.fromkeys(("arc_heads", "arc_modifiers", "arc_marginals"), np.zeros(0))
        parse: Any = Record(facts | {"k_best": [], "conflict": []}, nothing)
        return cls(sentence, parse, (), ())

    def of_tree(self, sentence: Sentence) -> ParseResult:
        """Return the same result, whose probabilities are then of the arcs that this sentence has."""
        return type(self)(sentence, self._parse, self._labels, self._constraints, (self._bound, self._certified))

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = (self.sentence, recorded(self._parse), self._labels, self._constraints)
        return type(self), (*arguments, (self._bound, self._certified))

    def __repr__(self) -> str:
        if not self.found:
            return f"<ParseResult of {len(self.sentence)} words: {self.status.value}>"
        how = "certified" if self.certified else f"bound {self.bound:.4f}"
        return f"<ParseResult of {len(self.sentence)} words: value {self.value:.4f}, {how}>"

    @property
    def status(self) -> ParseStatus:
        """The outcome: a tree, no tree under the constraints, too many words, or a sentence that was not parsed."""
        return _STATUS.get(self._parse.status, ParseStatus.UNPARSED)

    @property
    def found(self) -> bool:
        """Whether there is a tree."""
        return self._parse.status == _core.ParseStatus.PARSED

    heads = Derived["npt.NDArray[np.int32]"](
        lambda result: result.sentence.heads, "Heads, shape (n,): 0 is the root; −1 everywhere if there is no tree."
    )
    labels = Derived[tuple[str, ...]](
        lambda result: result.sentence.deprels, 'Dependency labels, n of them; ``"_"`` everywhere if there is no tree.'
    )

    @property
    def value(self) -> float:
        """Score of the tree: the sum of the scores of its parts."""
        return self._parse.tree.value

    bound = Derived[float](lambda result: result._bound, "Upper bound: no tree of candidate arcs has a higher score.")
    certified = Derived[bool](
        lambda result: result._certified, "Whether the tree is proved to be the best tree of candidate arcs."
    )

    @property
    def iterations(self) -> int:
        """Number of iterations of inference; 0 if the method is not iterative."""
        return self._parse.iterations

    @property
    def marginals(self) -> npt.NDArray[np.float64] | None:
        """Probabilities of arcs, shape (n + 1, n + 1), indexed [head, modifier]; None if not requested.

        Pruned arcs have probability 0. If the model has parts besides arcs, they are those of belief propagation.
        """
        values = self._parse.arc_marginals()
        if values.size == 0:
            return None
        size = len(self.sentence) + 1
        dense = np.zeros((size, size))
        dense[self._parse.arc_heads(), self._parse.arc_modifiers()] = values
        return dense

    @property
    def probabilities(self) -> npt.NDArray[np.float64] | None:
        """Probabilities of the tree's own arcs, shape (n,); None if marginals were not requested."""
        dense = self.marginals
        return None if dense is None else dense[self.heads, np.arange(1, len(self.sentence) + 1)]

    @property
    def k_best(self) -> list[ScoredTree]:
        """The best trees, best first; empty unless more than one was requested.

        If the parse is not certified, the search for further trees can find a better one than the parse itself.
        """
        names = self._labels
        return [
            ScoredTree(tree.heads()[1:], tuple(names[label] for label in tree.labels()[1:]), tree.value)
            for tree in self._parse.k_best
        ]

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints under which the sentence was parsed."""
        return tuple(dict.fromkeys(self._constraints))

    @property
    def conflict(self) -> list[Constraint]:
        """A minimal set of constraints that no tree satisfies together; empty if there is no conflict."""
        found: list[Constraint] = []
        for index in self._parse.conflict:
            if self._constraints[index] not in found:
                found.append(self._constraints[index])
        return found
