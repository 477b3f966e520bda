"""The text forms of the AD3 benchmark problems as factor graphs: Potts grids, and trees with pairs or head automata."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ramify import FactorGraph
from ramify.factors import ConsecutiveSiblings, Pair, Table, Tree

# name: value, iterations and instructions (millions) of the AD3 C++ program 2.2, residuals 1e-6, 1000 iterations.
REFERENCE = {
    "potts30x30k5_attr_s4_sig1.0": (1481.2124, 563, 2045),
    "potts30x30k5_mixed_s1_sig0.5": (734.3810, 606, 1055),
    "potts30x30k5_mixed_s2_sig1.0": (972.0822, 1000, 3645),
    "potts30x30k5_mixed_s3_sig2.0": (1522.6141, 1000, 7048),
    "tree_n11_s11": (24.4624, 1000, 822),
    "tree_n21_s12": (55.6056, 1000, 4334),
    "tree_n41_s13": (135.3326, 1000, 12125),
    "treeha_n11_s21": (17.4233, 432, 76),
    "treeha_n21_s22": (38.9929, 39, 26),
    "treeha_n41_s23": (81.6996, 1000, 738),
}


def load(path: str | Path) -> tuple[FactorGraph, np.ndarray]:
    """Read one problem: the graph and the scores of its variables."""
    lines = iter(Path(path).read_text().splitlines())
    kind, *head = next(lines).split()
    if kind == "POTTS_GRID":
        return potts_grid(lines)
    return tree(kind, int(head[0]), lines)


def potts_grid(lines) -> tuple[FactorGraph, np.ndarray]:
    """k-ary variables and one table an edge of the grid."""
    size, states = map(int, next(lines).split()[1:])
    unary = np.array([next(lines).split()[1:] for _ in range(size)], dtype=float)
    edges = np.array([next(lines).split() for _ in range(int(next(lines).split()[1]))], dtype=float)
    graph = FactorGraph()
    variables = graph.add_variables(size, states)
    graph.add(Table(variables[edges[:, :2].astype(int)], edges[:, 2:].reshape(-1, states, states)))
    return graph, unary.ravel()


def tree(kind: str, num_nodes: int, lines) -> tuple[FactorGraph, np.ndarray]:
    """Binary variables for the arcs, a tree over them, and pairs or head automata."""
    arcs = np.array([next(lines).split() for _ in range(int(next(lines).split()[1]))], dtype=float)
    heads, modifiers = arcs[:, 1].astype(int), arcs[:, 2].astype(int)
    next(lines)
    graph = FactorGraph()
    variables = graph.add_variables(len(arcs))
    graph.add(Tree(variables, heads, modifiers, num_nodes - 1))
    count = int(next(lines).split()[1])
    if kind == "TREE_PAIRS":
        pairs = np.array([next(lines).split() for _ in range(count)], dtype=float)
        graph.add(Pair(variables[pairs[:, 0].astype(int)], variables[pairs[:, 1].astype(int)], pairs[:, 2]))
        return graph, arcs[:, 3]
    automata = [(next(lines).split()[3:], next(lines).split()) for _ in range(count)]
    modifiers_of = [np.array(indexes, dtype=int) for indexes, _ in automata]
    scores = [np.array(values, dtype=float) for _, values in automata]
    graph.add(ConsecutiveSiblings([variables[m] for m in modifiers_of], scores))
    return graph, arcs[:, 3]
