"""Sessions in which a person corrects a treebank and a parser answers every decision; the web page uses them.

A file is a list of blocks, one for each sentence, and an edit replaces cells of a block: all other bytes stay. Every
decision of the annotator is a constraint on the tree; the parser finds the best tree that obeys all of them.
"""

from ramify.annotation.journal import ChangedFileError
from ramify.annotation.marks import Mark, Marks
from ramify.annotation.session import Session

__all__ = ["ChangedFileError", "Mark", "Marks", "Session"]
