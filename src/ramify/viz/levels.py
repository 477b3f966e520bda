"""Decide which arc is drawn above which."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Extent", "assign_levels"]


class Extent(NamedTuple):
    """Where a line begins and ends. A line that comes from above is placed over all lines that it meets."""

    left: float
    right: float
    from_above: bool = False

    def meets(self, other: Extent, clear: float) -> bool:
        """Whether two lines on one level would come closer than `clear`."""
        return self.left < other.right + clear and other.left < self.right + clear

    def holds(self, other: Extent) -> bool:
        """Whether the other one runs within this one."""
        return self.left <= other.left and other.right <= self.right


def assign_levels(extents: Sequence[Extent], clear: float = 0.0) -> list[int]:
    """Give every line a level, from 1. Lines on one level do not meet, and each lies above the lines that it encloses.

    Short lines are placed first, each as low as it can be, so that lines which cross share no level either.

    Parameters
    ----------
    extents : of n lines
    clear : smallest distance between two lines on one level

    Returns
    -------
    levels : n numbers from 1

    Examples
    --------
    >>> assign_levels([Extent(0, 4), Extent(0, 1), Extent(2, 4), Extent(1, 3)])
    [3, 1, 1, 2]
    """
    levels = [0] * len(extents)
    order = sorted(range(len(extents)), key=lambda i: (extents[i].from_above, extents[i].right - extents[i].left))
    done: list[int] = []
    for i in order:
        mine = extents[i]
        met = [j for j in done if mine.meets(extents[j], clear)]
        level = 1 + max((levels[j] for j in met if mine.from_above or mine.holds(extents[j])), default=0)
        taken = {levels[j] for j in met}
        while level in taken:
            level += 1
        levels[i] = level
        done.append(i)
    return levels
