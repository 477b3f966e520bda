"""Several labels for each example, where some labels come together: a graph of all pairs of labels.

Every label is a binary variable with weights of its own for the features, and every pair of labels has a score for
being on together. Independent classifiers know nothing of pairs. With seven labels, inference goes through all 128
combinations, so that learning and prediction are exact.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from sklearn.linear_model import LogisticRegression

from ramify import FactorGraph
from ramify.factors import Pair
from ramify.inference import Exact
from ramify.learn import Parts, StructuredModel

LABELS = 7
GRAPH = FactorGraph()
VARIABLES = GRAPH.add_variables(LABELS)
FIRST, SECOND = np.array(list(combinations(range(LABELS), 2))).T
PAIRS = GRAPH.add(Pair(VARIABLES[FIRST], VARIABLES[SECOND], np.zeros(FIRST.size)))


def parts(x):
    """Return the graph of all labels: label i has the features of block i, and pair p has its own constant."""
    built = Parts(GRAPH)
    for label in range(LABELS):
        built.add(f"label {label}", VARIABLES[[label]], np.append(x, 1.0)[None])
    return built.add("pairs", PAIRS, np.eye(FIRST.size))


def generate(rng, size, features=10):
    """Return examples whose labels attract and repel each other, and whose features are weak."""
    weights = rng.normal(scale=0.5, size=(features, LABELS))
    couplings = rng.choice([-2.5, 0.0, 2.5], size=FIRST.size)
    states = (np.arange(2**LABELS)[:, None] >> np.arange(LABELS)) & 1
    joint = (states[:, FIRST] * states[:, SECOND]) @ couplings
    X = rng.normal(size=(size, features))
    scores = X @ weights @ states.T + joint + rng.gumbel(size=(size, len(states)))
    return X, states[scores.argmax(axis=1)]


if __name__ == "__main__":
    X, y = generate(np.random.default_rng(3), 900)
    train, test = slice(0, 600), slice(600, 900)
    independent = [LogisticRegression(max_iter=1000).fit(X[train], y[train, i]) for i in range(LABELS)]
    alone = np.stack([each.predict(X[test]) for each in independent], axis=1)
    model = StructuredModel(parts, inference=Exact(), decoder=Exact(), epochs=5).fit(X[train], y[train])
    together = np.array(model.predict(X[test]))
    likely = np.array([p[:, 1] > 0.5 for p in model.predict_marginals(X[test])])
    known = [{0: int(row[0]), 1: int(row[1])} for row in y[test]]  # the first two labels are given
    informed = np.array(model.predict(X[test], evidence=known))
    print(f"{'model':<36}{'labels right':>14}{'all right':>12}")
    for name, guess in (
        ("independent logistic regressions", alone),
        ("all pairs, each label by itself", likely),
        ("all pairs, best set of labels", together),
    ):
        print(f"{name:<36}{100 * np.mean(guess == y[test]):13.2f}%{100 * np.mean((guess == y[test]).all(1)):11.2f}%")
    rest = slice(2, None)
    print("the other five labels:")
    for name, guess in (("independent, the other five", alone), ("all pairs, first two labels known", informed)):
        right = (guess == y[test])[:, rest]
        print(f"{name:<36}{100 * np.mean(right):13.2f}%{100 * np.mean(right.all(1)):11.2f}%")
