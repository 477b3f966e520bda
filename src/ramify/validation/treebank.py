"""What the sentences of a treebank have to agree on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.validation.block import Block
    from ramify.validation.finding import Finding

__all__ = ["TreebankFacts", "check_enhanced_everywhere", "check_enhanced_orphans", "note_features"]


@dataclass
class TreebankFacts:
    """What earlier sentences had; line numbers are 0 where nothing was seen yet.

    Attributes
    ----------
    sent_ids, parallel_ids : all names so far
    parallel_parts : last alternative and last part of every parallel sentence
    no_space_after : whether the last token had ``SpaceAfter=No``
    has_features : whether some word had features, so that words need the universal ones
    waiting : findings that count only if there are features
    with_enhanced, without_enhanced : first sentence with an enhanced graph, and without one
    enhancement : whether an enhanced graph differs from its tree
    empty_node, enhanced_orphan : first line with one
    """

    sent_ids: set[str] = field(default_factory=set)
    parallel_ids: set[str] = field(default_factory=set)
    parallel_parts: dict[tuple[str, str], int | None] = field(default_factory=dict)
    no_space_after: bool = False
    has_features: bool = False
    waiting: list[Finding] = field(default_factory=list)
    with_enhanced: int = 0
    without_enhanced: int = 0
    enhancement: bool = False
    empty_node: int = 0
    enhanced_orphan: int = 0

    def if_features(self, finding: Finding) -> Iterator[Finding]:
        """Report at once if the treebank has features; otherwise as soon as it turns out to have some."""
        if self.has_features:
            yield finding
        else:
            self.waiting.append(finding)


def note_features(block: Block, facts: TreebankFacts) -> Iterator[Finding]:
    """Report what waited for the first word with features, if it is in this sentence."""
    if not facts.has_features and any(row["FEATS"] != "_" for row in block.rows if not row.range):
        facts.has_features = True
        yield from facts.waiting
        facts.waiting = []


def check_enhanced_everywhere(block: Block, facts: TreebankFacts) -> Iterator[Finding]:
    """Check that all sentences have an enhanced graph, or none."""
    rows = [row for row in block.rows if not row.range]
    facts.enhancement |= any(row["DEPS"] not in ("_", f"{row['HEAD']}:{row['DEPREL']}") for row in rows)
    here = any(row.empty or row["DEPS"] != "_" for row in rows)
    first, other = ("with_enhanced", "without_enhanced") if here else ("without_enhanced", "with_enhanced")
    if not getattr(facts, first):
        setattr(facts, first, block.first_row)
        if getattr(facts, other):
            message = f"Either all sentences have DEPS or none; the sentence at line {getattr(facts, other)} differs."
            yield block.finding(block.first_row, 2, "edeps-only-sometimes", message)


def check_enhanced_orphans(block: Block, facts: TreebankFacts) -> Iterator[Finding]:
    """Check that a treebank with empty nodes has no relation ``orphan`` in its enhanced graphs."""
    for row in sorted((row for row in block.rows if not row.range), key=lambda row: row.empty or (int(row["ID"]), 0)):
        if row.empty and not facts.empty_node:
            facts.empty_node = row.line
            if facts.enhanced_orphan:
                message = f"There are empty nodes, so DEPS has no orphan; line {facts.enhanced_orphan} has one."
                yield row.finding(3, "empty-node-after-eorphan", message, "DEPS")
        if any(label.split(":")[0] == "orphan" for _, label in row.deps or []):
            facts.enhanced_orphan = facts.enhanced_orphan or row.line
            if facts.empty_node:
                message = f"DEPS has no orphan, because line {facts.empty_node} has an empty node."
                yield row.finding(3, "eorphan-after-empty-node", message, "DEPS")
