"""Treebanks, label sequences and documents: readers, writers and conversions."""

from ramify.data.sentence import EmptyNode, MultiwordToken, Sentence, Token
from ramify.data.treebanks import Problem, read, write

__all__ = ["EmptyNode", "MultiwordToken", "Problem", "Sentence", "Token", "read", "write"]
