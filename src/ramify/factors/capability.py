"""What a family of factors can be asked for, and what it is."""

from __future__ import annotations

from enum import Flag

__all__ = ["Capability", "Trait"]


class Capability(Flag):
    """Bits of what a family offers; the order is that of the C++ enumeration."""

    SCORE = 1 << 0
    MARGINALS = 1 << 1
    MARGINALS_VJP = 1 << 2
    ARGMAX = 1 << 3
    MAX_MARGINALS = 1 << 4
    PROJECT = 1 << 5
    PROJECT_VJP = 1 << 6
    ENTROPY = 1 << 7
    CONSTRAINTS = 1 << 8

    @property
    def names(self) -> list[str]:
        """Method names of the bits that are set."""
        return [(member.name or "").lower() for member in Capability if member in self]


class Trait(Flag):
    """Bits of what a family is; the order is that of the C++ enumeration."""

    SOFT = 1 << 0
    """It forbids nothing by itself: without its scores it says nothing."""
    TREE = 1 << 1
    """What is on forms a tree."""
    TABLE = 1 << 2
    """It has a score for each joint state of a few variables."""
