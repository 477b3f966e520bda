"""Belief propagation: time per sweep against vectorised numpy. Errors on networks with known answers: bench/uai.py.

python bench/belief_propagation.py [--data DIRECTORY]
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from ramify.factors import Table
from ramify.graph import FactorGraph
from ramify.inference import BeliefPropagation
from ramify.variables import VariableArray

DATA = Path(__file__).resolve().parents[1].parent / "shared" / "data"
SWEEPS = 20
REPEATS = 15


def read_potts(path):
    """Scores of shape (variables, k), ends of shape (edges, 2), tables of shape (edges, k, k)."""
    lines = path.read_text().splitlines()
    n, k = (int(x) for x in lines[1].split()[1:])
    scores = np.array([[float(x) for x in line.split()[1:]] for line in lines[2 : 2 + n]])
    edges = [line.split() for line in lines[3 + n :] if line.strip()]
    ends = np.array([[int(x) for x in e[:2]] for e in edges])
    return scores, ends, np.array([[float(x) for x in e[2:]] for e in edges]).reshape(-1, k, k)


def numpy_sweeps(scores, ends, tables, sweeps):
    """Parallel sum-product in logs, all edges at once."""
    n, k = scores.shape
    messages = np.zeros((2, len(ends), k))
    both = ends.T.ravel()
    order = np.argsort(both, kind="stable")
    starts = np.searchsorted(both[order], np.arange(n))
    for _ in range(sweeps):
        beliefs = scores + np.add.reduceat(messages.reshape(-1, k)[order], starts, axis=0)
        q = beliefs[ends.T] - messages
        first = tables + q[1][:, None, :]
        second = tables + q[0][:, :, None]
        high = first.max(axis=2), second.max(axis=1)
        messages[0] = np.log(np.exp(first - high[0][:, :, None]).sum(axis=2)) + high[0]
        messages[1] = np.log(np.exp(second - high[1][:, None, :]).sum(axis=1)) + high[1]
        messages -= messages[:, :, :1]
    beliefs = scores + np.add.reduceat(messages.reshape(-1, k)[order], starts, axis=0)
    p = np.exp(beliefs - beliefs.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def time_of(run, *arguments):
    start = time.process_time()
    run(*arguments)
    return time.process_time() - start


def sweeps_against_numpy(data):
    print(f"CPU time per parallel sweep, milliseconds (median of {REPEATS}, interleaved)")
    print(f"{'problem':32}{'numpy':>9}{'ramify':>9}{'ratio':>8}{'largest difference':>21}")
    for path in sorted((data / "ad3").glob("potts*.txt")):
        scores, ends, tables = read_potts(path)
        graph = FactorGraph()
        graph.add_variables(len(scores), scores.shape[1])
        graph.add(Table(VariableArray(ends, scores.shape[1]), tables.reshape(len(ends), -1)))
        problem = graph.problem(scores.ravel())
        methods = [BeliefPropagation(schedule="parallel", fixed_iterations=t) for t in (1, 1 + SWEEPS)]
        ours, theirs = [], []
        for _ in range(REPEATS):
            one, many = (time_of(numpy_sweeps, scores, ends, tables, t) for t in (1, 1 + SWEEPS))
            theirs.append(many - one)
            one, many = (time_of(method.solve, problem) for method in methods)
            ours.append(many - one)
        a, b = (1e3 * statistics.median(x) / SWEEPS for x in (theirs, ours))
        difference = np.abs(
            methods[1].solve(problem).marginals - numpy_sweeps(scores, ends, tables, 1 + SWEEPS).ravel()
        ).max()
        print(f"{path.stem:32}{a:9.3f}{b:9.3f}{a / b:8.1f}{difference:21.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    sweeps_against_numpy(arguments.data)


if __name__ == "__main__":
    main()
