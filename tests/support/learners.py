"""Learners of the C++ core, and what they are fed with."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ramify._core import learn as core
from ramify.learn.penalties import regularizer


@dataclass
class Batch:
    """Examples of one part each, whose features are numbered columns of one template."""

    columns: list[list[int]]
    gradient: list[float]
    losses: list[float]
    values: list[list[float]] = field(default_factory=list)
    template: int = 0

    @property
    def rows(self):
        return np.cumsum([0, *map(len, self.columns)])

    @property
    def keys(self):
        flat = [column for row in self.columns for column in row]
        return core.feature_keys(self.template, np.array(flat, np.uint64))

    @property
    def flat_values(self):
        return np.array([value for row in self.values for value in row], np.float32)

    def dense(self, width):
        out = np.zeros((len(self.columns), width))
        for i, row in enumerate(self.columns):
            for k, column in enumerate(row):
                out[i, column] += self.values[i][k] if self.values else 1.0
        return out

    def teach(self, learner):
        examples = np.arange(len(self.columns) + 1)
        losses = np.array(self.losses)
        learner.update(examples, self.rows, self.keys, self.flat_values, np.array(self.gradient), losses)


def random_batch(rng, size, width=40, template=0):
    columns = [sorted(rng.choice(width, size=6, replace=False).tolist()) for _ in range(size)]
    values = [np.float32(rng.standard_normal(6)).tolist() for _ in range(size)]
    return Batch(columns, rng.standard_normal(size).tolist(), rng.random(size).tolist(), values, template)


def optimizer(method="AUTOMATIC", rate=0.5, decay=0.0, damping=core.DAMPING, averaged=True):
    return core.Optimizer(getattr(core.Method, method), rate, decay, damping, averaged)


def learner(optimizer, beta=1.0, gamma=0.0, features="COMPLETE", num_buckets=0, batch=1, **penalties):
    loss = core.Loss(core.LossKind.FAMILY, beta, gamma)
    return core.Learner(
        loss, optimizer, regularizer(**penalties), getattr(core.FeatureSet, features), num_buckets, batch
    )


def weights_of(learner, width, template=0, *, averaged=False):
    return learner.weights(core.feature_keys(template, np.arange(width, dtype=np.uint64)), averaged)
