"""Tree search: patterns in the syntax of Grew over the sentences of treebanks and parsed texts."""

from ramify.search.match import Match
from ramify.search.pattern import Pattern, search

__all__ = ["Match", "Pattern", "search"]
