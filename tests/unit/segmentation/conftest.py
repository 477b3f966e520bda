"""What the tests of segmentation share."""

from __future__ import annotations

import pytest

from ramify.segmentation import Segmenter


@pytest.fixture(scope="session")
def segmenter(sample):
    """A segmenter that has learned 200 sentences."""
    return Segmenter.train(sample, options={"bits": 16, "epochs": 4}, licence="CC BY-SA 4.0")
