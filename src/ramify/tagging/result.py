"""The result of tagging a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.records import recorded
from ramify.tagging.sentences import column_of, with_column

if TYPE_CHECKING:
    import numpy.typing as npt

    from ramify._core import tagging as _core
    from ramify.tagging.coding import Coding
    from ramify.tagging.sentences import AnySentence

__all__ = ["ScoredLabels", "TagResult"]


@dataclass(frozen=True)
class ScoredLabels:
    """One of the best labellings: n labels and their score."""

    labels: tuple[str, ...]
    value: float


@dataclass(frozen=True)
class Naming:
    """How results call things.

    Attributes
    ----------
    names : L labels of the model
    coding : how they become labels of files
    target : column that gets them
    written : what each is in files, if that does not depend on the words around
    """

    names: tuple[str, ...]
    coding: Coding
    target: str
    written: tuple[str, ...] | None


class TagResult:
    """The labels of one sentence, and the other requested results.

    Attributes
    ----------
    found : whether there are labels; False if the constraints allow none
    value : score of the labels (a natural logarithm)
    """

    __slots__ = ("_given", "_naming", "_tagging", "found", "value")

    def __init__(self, given: AnySentence, tagging: _core.Tagging, naming: Naming) -> None:
        self._given = given
        self._tagging = tagging
        self._naming = naming
        self.value = tagging.best.value
        self.found = self.value > -math.inf

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._given, recorded(self._tagging), self._naming)

    def __repr__(self) -> str:
        return f"<TagResult: {' '.join(self.labels)}>" if self.found else "<TagResult: infeasible>"

    def __len__(self) -> int:
        return len(self._given)

    def _decoded(self, labelling: _core.Labelling) -> tuple[str, ...]:
        numbers = labelling.labels().tolist()
        if self._naming.written is not None:
            return tuple(map(self._naming.written.__getitem__, numbers))
        names = [self._naming.names[i] for i in numbers]
        return tuple(self._naming.coding.decode(names, column_of(self._given, "form")))

    @property
    def labels(self) -> tuple[str, ...]:
        """The best labels, n strings as in files; empty if nothing was found."""
        return self._decoded(self._tagging.best) if self.found else ()

    @property
    def sentence(self) -> AnySentence:
        """A copy of the sentence with the labels in their column; unchanged if nothing was found."""
        if not self.found:
            return self._given
        return with_column(self._given, self._naming.target, self.labels)

    @property
    def label_names(self) -> tuple[str, ...]:
        """The L labels of the model, in the order of `marginals`. Spans and lemmas are coded: see the documentation."""
        return self._naming.names

    @property
    def marginals(self) -> npt.NDArray[np.float64] | None:
        """Exact probabilities, shape (n, L); None if they were not requested."""
        values = self._tagging.marginals()
        if values.size == 0 and len(self):
            return None
        return values.reshape(len(self), len(self._naming.names))

    @property
    def probabilities(self) -> npt.NDArray[np.float64] | None:
        """Probability of each predicted label, shape (n,); None if marginals were not requested."""
        marginals = self.marginals
        if marginals is None or not self.found:
            return None
        return marginals[np.arange(len(self)), self._tagging.best.labels()]

    @property
    def log_probability(self) -> float | None:
        """Log-probability of the whole labelling; None if marginals were not requested."""
        return None if self.marginals is None else self.value - self._tagging.log_partition

    @property
    def k_best(self) -> list[ScoredLabels]:
        """The best labellings, best first: the requested number, or fewer if there are not as many."""
        labellings = self._tagging.k_best or ([self._tagging.best] if self.found else [])
        return [ScoredLabels(self._decoded(item), item.value) for item in labellings]
