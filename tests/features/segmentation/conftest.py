"""The same fixtures as for the tests of single modules."""

from unit.segmentation.conftest import segmenter

__all__ = ["segmenter"]
