"""Level 2: the enhanced graph as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.validation.block import Block
    from ramify.validation.finding import Finding

__all__ = ["check_connected"]


def check_connected(block: Block) -> Iterator[Finding]:
    """Check that a path leads from the root to every word and every empty node, if there is an enhanced graph."""
    rows = {row["ID"]: row for row in block.rows if not row.range}
    if not any(row.empty or row.deps for row in rows.values()):
        return
    below: dict[str, list[str]] = {}
    for name, row in rows.items():
        for head, _ in row.deps or []:
            below.setdefault(head, []).append(name)
    reached: set[str] = set()
    waiting = ["0"]
    while waiting:
        fresh = set(below.get(waiting.pop(), [])) - reached
        reached |= fresh
        waiting += fresh
    lost = sorted(set(rows) - reached)
    if lost:
        message = f"No path of DEPS leads from the root to {', '.join(lost)}."
        yield rows[lost[0]].finding(2, "unconnected-egraph", message, "DEPS")
