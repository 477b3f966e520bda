"""What a check says about a line of a treebank."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Finding"]


@dataclass(frozen=True)
class Finding:
    """Something in a treebank that a rule does not allow.

    Attributes
    ----------
    line : line number in the file, from 1
    level : 1 for the format of lines, 2 for values, 3 for the content of the annotation
    check : name of the check, as the official validator calls it, such as ``"rel-upos-det"``
    message : what is wrong, and what was expected
    word : ID of the word, as the file writes it; ``""`` where the sentence or a comment is meant
    column : name of the column, or ``""``
    warning : whether the rule has exceptions, so that the file can be right nevertheless
    sent_id : of the sentence, or ``""``
    """

    line: int
    level: int
    check: str
    message: str
    word: str = ""
    column: str = ""
    warning: bool = False
    sent_id: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        return asdict(self)
