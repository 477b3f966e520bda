"""Learn from an expert who assigns people to tasks under budgets, and assign as well as the expert.

Every pair of a person and a task is a binary variable. Each task gets exactly one person, nobody gets more than two
tasks, and the hours of all assignments stay within a budget. The expert's taste is not known: its weights are learned
from the assignments alone.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from ramify import FactorGraph
from ramify.factors import Budget, ExactlyOne, Knapsack
from ramify.inference import AD3
from ramify.learn import Parts, StructuredModel

PEOPLE, TASKS, MOST = 5, 6, 2


def parts(week):
    """Return the graph of a week: features of pairs, and the three kinds of constraints."""
    features, hours, budget = week
    graph = FactorGraph()
    pairs = graph.add_variables((PEOPLE, TASKS))
    graph.add(ExactlyOne([pairs[:, task] for task in range(TASKS)]))
    graph.add(Budget([pairs[person] for person in range(PEOPLE)], MOST))
    graph.add(Knapsack(pairs.indexes.ravel(), hours.ravel(), budget))
    return Parts(graph).add("pair", pairs, features)


def best(scores, hours, budget):
    """Return the best assignment by HiGHS's integer program, written down independently of ramify."""
    person, task = np.divmod(np.arange(PEOPLE * TASKS), TASKS)
    constraints = [
        LinearConstraint(np.eye(TASKS)[task].T, 1, 1),
        LinearConstraint(np.eye(PEOPLE)[person].T, 0, MOST),
        LinearConstraint(hours.ravel()[None], 0, budget),
    ]
    return np.round(milp(-scores, integrality=1, bounds=Bounds(0, 1), constraints=constraints).x).astype(int)


def greedy(scores, hours, budget):
    """Return an assignment that takes the best pair that still fits, one after the other."""
    out, left, load = np.zeros(PEOPLE * TASKS, dtype=int), budget, Counter()
    cheapest = dict(enumerate(hours.min(axis=0)))
    for pair in np.argsort(-scores):
        person, task = divmod(int(pair), TASKS)
        rest = sum(cheapest.values()) - cheapest.get(task, 0)
        if task in cheapest and load[person] < MOST and hours[person, task] + rest <= left:
            del cheapest[task]
            out[pair], left = 1, left - hours[person, task]
            load[person] += 1
    return out


def generate(rng, size, taste):
    """Return weeks, and what the expert does in them."""
    weeks = []
    for _ in range(size):
        hours = rng.integers(1, 9, (PEOPLE, TASKS))
        weeks.append((rng.normal(size=(PEOPLE * TASKS, taste.size)), hours, int(hours.min(axis=0).sum()) + 8))
    return weeks, [best(features @ taste, hours, budget) for features, hours, budget in weeks]


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    taste = rng.normal(size=6)
    (train, known), (test, wanted) = generate(rng, 80, taste), generate(rng, 60, taste)
    model = StructuredModel(parts, loss="svm", inference=AD3(), decoder=AD3(exact=True), epochs=10).fit(train, known)
    learned = model.coef_["pair"][:, 0]
    own = model.predict(test)
    solved = [best(features @ learned, hours, budget) for features, hours, budget in test]
    quick = [greedy(features @ learned, hours, budget) for features, hours, budget in test]

    def value(answers):
        """Return what the expert thinks of assignments."""
        return sum((week[0] @ taste) @ answer for week, answer in zip(test, answers, strict=True))

    print(f"{'learned scores with':<28}{'as the expert':>14}{'value for the expert':>22}")
    for name, answers in (("AD3, branch and bound", own), ("HiGHS", solved), ("greedy choice", quick)):
        same = sum(int(pair) for a, w in zip(answers, wanted, strict=True) for pair in a * w)
        print(f"{name:<28}{100 * same / (TASKS * len(test)):13.1f}%{100 * value(answers) / value(wanted):21.1f}%")
    angle = learned @ taste / np.linalg.norm(learned) / np.linalg.norm(taste)
    print(f"cosine of learned and true weights: {angle:.3f}")
