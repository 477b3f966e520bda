"""Constraints on the trees of a text, whose sentences the caller does not know before the pipeline has found them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ramify.data import Sentence
from ramify.errors import InvalidInputError
from ramify.parsing import Constraint, Head, Label, NotHead, Root

__all__ = ["ConstraintFunction", "TextConstraints", "for_sentences"]

ConstraintFunction = Callable[[Sentence], Sequence[Constraint]]
TextConstraints = ConstraintFunction | Mapping[int, Sequence[Constraint]] | Sequence[Constraint | Sequence[Constraint]]
_KINDS = (Head, NotHead, Label, Root)
_FORMS = (
    "a list of constraints for a text of one sentence, a list of lists with one for each sentence, a mapping from "
    "numbers of sentences (from 1) to lists, or a function that returns the list of a sentence"
)


def for_sentences(constraints: TextConstraints | None, size: int) -> ConstraintFunction | list[Sequence[Constraint]]:
    """Return a list of constraints for each of several sentences, or the function that makes them.

    Parameters
    ----------
    constraints : in one of the forms that `Pipeline.__call__` takes
    size : number of sentences

    Examples
    --------
    >>> for_sentences({2: [Head(1, 3)]}, 3)
    [[], [Head(word=1, head=3)], []]
    """
    if constraints is None:
        return [()] * size
    if isinstance(constraints, Mapping):
        wrong = [number for number in constraints if not isinstance(number, int) or not 1 <= number <= size]
        if wrong:
            raise InvalidInputError(
                f"constraints expect numbers of sentences, 1 to {size} for this text; got {wrong[0]!r}."
            )
        return [_checked(constraints.get(number, [])) for number in range(1, size + 1)]
    if callable(constraints):
        return constraints
    if not isinstance(constraints, (list, tuple)):
        raise InvalidInputError(f"constraints expect {_FORMS}; got {type(constraints).__name__}.")
    if any(isinstance(item, _KINDS) for item in constraints):
        constraints = [constraints]  # a list of both kinds is refused below
        if size != 1:
            raise InvalidInputError(
                f"A single list of constraints is for a text of one sentence; this text has {size} sentences. Give "
                "{1: […], 2: […]} or a list for each sentence."
            )
    if len(constraints) != size:
        raise InvalidInputError(
            f"constraints expect a list for each of {size} sentences; got {len(constraints)} lists. Sentences without "
            "constraints have an empty list."
        )
    return [_checked(mine) for mine in constraints]


def _checked(mine: object) -> Sequence[Constraint]:
    if not isinstance(mine, (list, tuple)):
        raise InvalidInputError(f"constraints expect {_FORMS}; got {mine!r} in the place of a list.")
    return mine
