"""Optimizers, averages and penalties written again with numpy, in double precision and without any laziness."""

from __future__ import annotations

import numpy as np


class NumpyLearner:
    """Dense weights that are stepped as the papers say, and the mean of all vectors that they were."""

    def __init__(self, width, *, method, rate, decay=0.0, damping=1e-3, perceptron=False, strength=0.0, size=1):
        self.w = np.zeros(width)
        self.squares = np.zeros(width)
        self.seen = []  # the weights after each example
        self.method, self.rate, self.decay, self.damping = method, rate, decay, damping
        self.perceptron, self.strength, self.size = perceptron, strength, size
        self.epoch = 0

    def batch(self, gradients, losses):
        rate = self.rate / (1 + self.decay * self.epoch)
        if self.method == "AUTOMATIC":
            for gradient, loss in zip(gradients, losses, strict=True):
                norm = gradient @ gradient
                if norm > 0:
                    self.w = self.w - (rate if self.perceptron else min(rate, loss / norm)) * gradient
                self.seen.append(self.w)
            return
        # One step for the batch, after which all of its examples count the same weights in the average.
        gradient = np.sum(gradients, axis=0)
        h = np.ones_like(self.w)
        if self.method == "ADAGRAD":
            self.squares += gradient**2
            h = self.damping + np.sqrt(self.squares)
        self.w = self.w - rate * gradient / h
        # Penalties: argmin over v of lambda' / 2 v^2 + h / 2 (v - w)^2 for every weight.
        step = rate * self.strength * len(losses) / self.size
        self.w = h * self.w / (h + step)
        self.seen += [self.w] * len(losses)

    def average(self):
        return np.mean(self.seen, axis=0)
