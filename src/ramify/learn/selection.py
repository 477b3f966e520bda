"""Selection of feature templates: the options, and the arithmetic that all tasks share (Martins et al. 2011)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from ramify._core import learn as _learn
from ramify.errors import InvalidInputError
from ramify.options import Flag, Integer, Name, Number, Rule, checked, option

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GROUP_SIZES", "GroupWeight", "Penalty", "Select", "disjoint_sets"]


#: Ways to choose templates or features.
Penalty = Literal["group", "coarse-to-fine", "sparse-group", "label-group", "lasso", "information-gain"]
#: How the weight of a group in the penalty depends on its size.
GroupWeight = Literal["sqrt", "log2", "one"]
_LONG_PATH = (400, 300, 240, 200, 160, 120, 90, 60, 40, 20, 10)  # for select.megabytes without a path
GROUP_SIZES: dict[GroupWeight, _learn.GroupSize] = {
    "one": _learn.GroupSize.ONE,
    "log2": _learn.GroupSize.LOG2,
    "sqrt": _learn.GroupSize.SQRT,
}


class Budgets(Rule["tuple[int, ...]"]):
    """Different numbers of templates."""

    expected = "a list of whole numbers of at least 1, each at most once"

    def check(self, value: object) -> tuple[int, ...]:
        """Return them in descending order."""
        if not isinstance(value, (list, tuple)):
            raise ValueError  # noqa: TRY004 - the caller makes the message, of one kind for all
        items = [Integer(1).check(item) for item in value]
        if len(set(items)) < len(items):
            raise ValueError
        return tuple(sorted(items, reverse=True))

    def parse(self, text: str) -> object:
        """Read numbers with commas between."""
        items = text.strip().strip("[]").split(",")
        return [int(item) if item.strip().isdecimal() else item for item in items if item.strip()]


@dataclass(frozen=True, kw_only=True)
class Select(checked):
    """Options of the selection of templates before training."""

    templates: int = option(Integer(0), 0, "Maximum number of templates that the model keeps; 0: no limit.")
    megabytes: float = option(
        Number(0),
        0.0,
        "Maximum size of the model's weights; the largest budget of select.path that fits is used. Without a path, "
        "budgets from 400 down to 10 are tried. 0: no limit.",
    )
    regularizer: Penalty = option(
        Name(Penalty),
        "group",
        "Penalty of the selection. group: template by template; coarse-to-fine: conjunctions only after their parts; "
        "sparse-group: templates, and features within them; label-group: features with all their labels; lasso: "
        "single weights; information-gain: no penalty, templates are ranked before training.",
    )
    group_weight: GroupWeight = option(
        Name(GroupWeight),
        "log2",
        "Weight of a template in the penalty, by the number n of its features: the root of n, log2 of n, or one.",
    )
    epochs: int = option(Integer(1, 1000), 5, "Number of passes over the training sentences for the selection.")
    every: int = option(Integer(1), 1000, "Number of sentences between two steps of the penalty.")
    path: tuple[int, ...] = option(
        Budgets(), (), "Budgets of one selection, which uses them from the largest to the smallest."
    )
    one_stage: bool = option(
        Flag(), False, "Select while the model learns with its own loss, instead of before with a perceptron."
    )
    strength: float = option(
        Number(0),
        1.0,
        "For lasso, sparse-group and label-group: C of Martins et al. (2011); smaller values leave fewer features.",
    )
    frozen: bool = option(
        Flag(),
        True,
        "Whether training afterwards only learns the weights that were not zero after the selection, which gives "
        "smaller models; otherwise it learns all weights of the selected templates.",
    )

    @property
    def active(self) -> bool:
        """Whether there is anything to select."""
        by_strength = self.regularizer in ("lasso", "label-group")
        return bool(self.templates or self.megabytes or self.path or by_strength)

    @property
    def budgets(self) -> tuple[int, ...]:
        """Return the budgets of the path in their order, that of the model among them."""
        wanted = {*self.path, *((self.templates,) if self.templates else ())}
        return tuple(sorted(wanted, reverse=True))

    def with_path(self, size: int) -> Select:
        """Return the same options with budgets to choose from, below the size of the pool, if there are none.

        Examples
        --------
        >>> Select(megabytes=2.0).with_path(100).path
        (90, 60, 40, 20, 10)
        """
        if not self.megabytes or self.budgets:
            return self
        return replace(self, path=tuple(budget for budget in _LONG_PATH if budget < size) or (size,))

    def check(self) -> None:
        """Refuse options that contradict each other."""
        if self.megabytes and not self.frozen:
            raise InvalidInputError("select.megabytes expects select.frozen, so that the size of the model is known.")
        if self.one_stage and (self.path or self.regularizer == "information-gain"):
            raise InvalidInputError(
                "select.one-stage expects one budget and a penalty: leave out select.path and information-gain."
            )


def disjoint_sets(finer: Sequence[Sequence[int]]) -> list[list[int]]:
    """Divide overlapping groups into sets whose groups do not overlap (Martins et al. 2011, §4, eq. 15).

    Parameters
    ----------
    finer : members of each group: the template itself and all that need it, as numbers of templates

    Examples
    --------
    >>> disjoint_sets([[0, 2], [1, 2], [2]])
    [[0], [1], [2]]
    >>> disjoint_sets([[0, 1], [1], [2]])
    [[0, 2], [1]]
    """
    sets: list[tuple[list[int], set[int]]] = []
    for group, members in enumerate(finer):
        for groups, taken in sets:
            if taken.isdisjoint(members):
                groups.append(group)
                taken.update(members)
                break
        else:
            sets.append(([group], set(members)))
    return [groups for groups, _ in sets]
