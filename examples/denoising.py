"""Clean noisy pictures: a grid of pixels that prefer to agree with their neighbours.

Every pixel is a binary variable. Two weights say how much its grey value counts, two more how much neighbours want to
agree: always, and only where their grey values are alike. The grid has cycles, so belief propagation is approximate;
the best picture is found by AD3 and proved with a minimum cut, which is exact for grids of this kind.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from ramify import FactorGraph
from ramify.factors import Table
from ramify.learn import Parts, StructuredModel

SIZE, NOISE = 24, 0.8
AGREE = np.array([1.0, 0.0, 0.0, 1.0])  # cells (off, off), (off, on), (on, off), (on, on) of a table


@lru_cache
def grid(height, width):
    """Return one graph for all pictures of a size, its pixels, and its pairs of neighbours."""
    graph = FactorGraph()
    pixels = graph.add_variables((height, width))
    at = pixels.indexes
    pairs = np.concatenate(
        [
            np.stack([at[:, :-1].ravel(), at[:, 1:].ravel()], axis=1),
            np.stack([at[:-1].ravel(), at[1:].ravel()], axis=1),
        ]
    )
    tables = graph.add(Table(pairs, np.zeros((len(pairs), 2, 2))))
    return graph, pixels, pairs, tables


def parts(picture):
    """Return the graph of a picture with features of pixels, and of cells of the neighbours' tables."""
    graph, pixels, pairs, tables = grid(*picture.shape)
    grey = picture.ravel()
    alike = np.exp(-((grey[pairs[:, 0]] - grey[pairs[:, 1]]) ** 2))
    smooth = np.stack([np.ones(len(pairs)), alike], axis=1)
    cells = (smooth[:, None, :] * AGREE[:, None]).reshape(-1, 2)
    return Parts(graph).add("pixel", pixels, np.stack([grey, np.ones(grey.size)], axis=1)).add("smooth", tables, cells)


def draw(rng):
    """Return a noisy picture of a few discs and rectangles, and the picture itself."""
    rows, columns = np.mgrid[:SIZE, :SIZE]
    picture = np.zeros((SIZE, SIZE), dtype=np.int32)
    for _ in range(2):
        row, column, radius = *rng.integers(4, SIZE - 4, 2), rng.integers(3, 6)
        picture[(rows - row) ** 2 + (columns - column) ** 2 <= radius**2] = 1
        top, left = rng.integers(0, SIZE - 8, 2)
        picture[top : top + rng.integers(3, 8), left : left + rng.integers(3, 8)] = 1
    return picture + rng.normal(scale=NOISE, size=picture.shape), picture


def minimum_cut(problem):
    """Return the best picture by maximum flow: an answer that owes nothing to ramify's own methods."""
    n = problem.graph.num_variables
    tables, pairs = problem.part_scores.reshape(-1, 4), problem.graph.factors[0].variables.reshape(-1, 2)
    # Whoever is on the other side of the cut pays: a pixel its score, neighbours what they lose by not agreeing.
    lost, unary = tables[:, 0] - tables[:, 1], problem.scores
    rows = np.concatenate([np.full(n, n), np.arange(n), pairs[:, 0], pairs[:, 1]])
    columns = np.concatenate([np.arange(n), np.full(n, n + 1), pairs[:, 1], pairs[:, 0]])
    costs = np.concatenate([np.maximum(unary, 0), np.maximum(-unary, 0), lost, lost])
    capacities = csr_matrix((np.round(costs * 1e5).astype(np.int32), (rows, columns)), shape=(n + 2, n + 2))
    residual = capacities - maximum_flow(capacities, n, n + 1).flow
    residual.eliminate_zeros()
    on = np.zeros(n + 2, dtype=np.int32)
    on[breadth_first_order(residual, n, return_predecessors=False)] = 1
    return on[:n]


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    noisy, clean = zip(*(draw(rng) for _ in range(60)), strict=True)
    train, test = slice(0, 30), slice(30, 60)

    def right(guesses):
        """Return the share of pixels that are right."""
        return 100 * np.mean([np.mean(g == c.ravel()) for g, c in zip(guesses, clean[test], strict=True)])

    thresholds = np.linspace(-0.5, 1.5, 201)
    scores = [np.mean([(x > t) == c for x, c in zip(noisy[train], clean[train], strict=True)]) for t in thresholds]
    best = thresholds[int(np.argmax(scores))]
    model = StructuredModel(parts, loss="svm", epochs=10).fit(noisy[train], clean[train])
    guesses = model.predict(noisy[test])
    cuts = [minimum_cut(model.problem(x)) for x in noisy[test]]
    values = model.decision_function(noisy[test], cuts), model.decision_function(noisy[test], guesses)
    print(f"{'method':<28}pixels right")
    print(f"{'best threshold':<28}{right([(x > best).ravel() for x in noisy[test]]):11.2f}%")
    print(f"{'grid, AD3':<28}{right(guesses):11.2f}%")
    print(f"{'grid, maximum flow':<28}{right(cuts):11.2f}%")
    print(f"largest difference of their scores: {np.max(np.abs(values[0] - values[1])):.4f}")
