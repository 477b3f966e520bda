"""The same fixtures as for the tests of single modules."""

from unit.tagging.conftest import ner, sentences, upos

__all__ = ["ner", "sentences", "upos"]
