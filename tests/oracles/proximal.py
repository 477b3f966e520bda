"""Penalties written again with numpy, as Algorithm 1 of Martins et al. (2011) has them: dense, and nothing lazy."""

from __future__ import annotations

import numpy as np


class DenseProxGrad:
    """Weights of every feature in one array, with the template of each; forgotten ones have no past in the average."""

    def __init__(self, templates, *, rate=1.0, sets=(), l1=0.0, l2=0.0, every=1, size=1, budget=None):
        self.templates = np.asarray(templates)
        self.w = np.zeros(self.templates.size)
        self.sum = np.zeros_like(self.w)  # of the weights after each example
        self.held = np.zeros(self.templates.size, bool)
        self.most = 0
        self.template_most = np.zeros(self.templates.max() + 1)
        self.rate, self.sets, self.l1, self.l2 = rate, sets, l1, l2
        self.every, self.size, self.budget, self.time = every, size, budget, 0

    def example(self, gradient):
        self.w = self.w - self.rate * gradient
        self.held |= gradient != 0
        self.most = max(self.most, self.held.sum())
        counts = np.bincount(self.templates[self.held], minlength=self.template_most.size)
        self.template_most = np.maximum(self.template_most, counts)
        self.sum = self.sum + self.w
        self.time += 1
        if self.time % self.every == 0:
            self.proximal_steps()

    def average(self):
        return self.sum / self.time

    def proximal_steps(self):
        length = self.every * self.rate / self.size
        self.w = np.sign(self.w) * np.maximum(np.abs(self.w) - length * self.l1, 0)
        budgets = self.shared_budgets()
        for chosen, budget in zip(self.sets, budgets, strict=True):
            ratios = [self.norm(group) / d for group, d in self.weighted(chosen)]
            if budget is None:
                threshold = length * chosen["strength"]
            else:
                ranked = [*sorted((ratio for ratio in ratios if ratio > 0), reverse=True)]
                if len(ranked) <= budget:
                    continue
                threshold = np.mean(ranked[budget - 1 : budget + 1]) if budget else ranked[0]
            for group, d in self.weighted(chosen):
                mine, norm = np.isin(self.templates, group), self.norm(group)
                self.w[mine] *= max(0.0, norm - threshold * d) / norm if norm else 0.0
                if norm <= threshold * d:
                    self.forget(mine)
        self.w = self.w / (1 + self.rate * self.l2 / self.size) ** self.every
        if self.l1:
            self.forget(self.w == 0)

    def norm(self, group):
        return np.linalg.norm(self.w[np.isin(self.templates, group)])

    def weighted(self, chosen):
        size = {"ONE": lambda n: 1.0, "LOG2": lambda n: np.log2(max(n, 2)), "SQRT": lambda n: np.sqrt(max(n, 1))}
        given = chosen.get("weights") or np.ones(len(chosen["groups"]))
        by_size = size[chosen.get("size", "ONE")]
        sizes = [by_size(self.template_most[group].sum()) for group in chosen["groups"]]
        return [*zip(chosen["groups"], np.multiply(given, sizes), strict=True)]

    def shared_budgets(self):
        if self.budget is None:
            return [chosen.get("budget") for chosen in self.sets]
        ranked = sorted(
            ((-self.norm(group) / d, s) for s, chosen in enumerate(self.sets) for group, d in self.weighted(chosen))
        )
        best = [s for _, s in ranked[: self.budget]]
        return [best.count(s) for s in range(len(self.sets))]

    def forget(self, which):
        self.sum[which] = 0.0
        self.held[which] = False
