"""Small noisy chains to learn from."""

from __future__ import annotations

import numpy as np
import pytest

from support.chains import STATES


@pytest.fixture(scope="session")
def chains():
    """Noisy examples and their labels."""
    rng = np.random.default_rng(0)
    X, y = [], []
    for _ in range(60):
        labels = [rng.integers(STATES)]
        for _ in range(rng.integers(9)):
            labels.append(labels[-1] if rng.random() < 0.8 else rng.integers(STATES))
        y.append(np.array(labels))
        X.append(np.eye(STATES)[labels] + rng.normal(scale=0.8, size=(len(labels), STATES)))
    return X, y
