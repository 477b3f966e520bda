"""Small random factor graphs over all families, with the enumeration that knows the truth about them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from contract.families import CASES
from oracles.enumeration import Enumeration
from ramify.graph import FactorGraph


@dataclass
class RandomGraph:
    graph: FactorGraph
    scores: np.ndarray
    truth: Enumeration  # over all variables and all parts

    @property
    def parts(self):
        return self.graph.part_scores


def place(factor, variables):
    """The same factor over other variables."""
    factor._slots = replace(factor._slots, variables=np.asarray(variables, dtype=np.int64))
    return factor


def join(num_states, placed, scores, part_scores):
    """Build a graph from cases and the variables each is over."""
    graph = FactorGraph()
    graph.add_variables(len(num_states), np.array(num_states))
    starts = np.cumsum([0, *(case.truth.num_parts for case, _ in placed)])
    tables = [dict(zip(case.truth.assignments, case.truth.parts, strict=True)) for case, _ in placed]
    for (case, variables), begin, end in zip(placed, starts, starts[1:], strict=False):
        graph.add(place(case.build(part_scores[begin:end]), variables))

    def parts_of(y):
        on = []
        for (_, variables), begin, table in zip(placed, starts, tables, strict=False):
            row = table.get(tuple(y[v] for v in variables))
            if row is None:
                return None
            on.extend(begin + np.flatnonzero(row))
        return [int(r) for r in on]

    return RandomGraph(graph, scores, Enumeration(num_states, int(starts[-1]), parts_of))


def random_graph(rng, families, *, num_factors=4, size=3, loops=False, spread=1.0, most=8):
    """Hang factor on factor by one shared variable (up to two, where loops are wanted), up to `most` variables."""
    num_states, placed = [2], []
    for _ in range(num_factors):
        case = CASES[families[rng.integers(len(families))]](rng, size)
        variables = _attach(rng, case.truth.num_states, num_states, int(rng.integers(1, 3)) if loops else 1)
        if max(variables) >= most:
            continue
        num_states += [
            case.truth.num_states[slot] for slot in np.argsort(variables) if variables[slot] >= len(num_states)
        ]
        placed.append((case, variables))
    num_coords = sum(1 if k == 2 else k for k in num_states)
    num_parts = sum(case.truth.num_parts for case, _ in placed)
    return join(num_states, placed, spread * rng.normal(size=num_coords), spread * rng.normal(size=num_parts))


def _attach(rng, states, num_states, shared):
    """Variables for a new factor's slots: `shared` old ones where they fit, new ones for the rest."""
    variables, new = [-1] * len(states), len(num_states)
    for slot in rng.permutation(len(states)):
        fits = [v for v, k in enumerate(num_states) if k == states[slot] and v not in variables]
        if shared and fits:
            variables[slot] = int(rng.choice(fits))
            shared -= 1
        else:
            variables[slot], new = new, new + 1
    return variables
