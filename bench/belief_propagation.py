"""Belief propagation: time per sweep against vectorised numpy, and errors on networks with known answers.

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
from ramify.inference import BeliefPropagation, Status
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


def read_uai(path):
    """Numbers of states, scopes and log-tables."""
    words = iter(path.read_text().split())
    next(words)
    states = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    tables = [np.array([float(next(words)) for _ in range(int(next(words)))]) for _ in scopes]
    return states, scopes, tables


def read_evidence(path):
    words = [int(w) for w in path.read_text().split()] if path.exists() else []
    if not words:
        return {}
    pairs = words[1:] if len(words) % 2 else words[2:]
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


def network(path):
    """Graph, scores and evidence; tables of states with one value only are folded away."""
    states, scopes, tables = read_uai(path)
    wide = np.array([max(k, 2) for k in states])
    graph = FactorGraph()
    graph.add_variables(len(states), wide)
    by_size = {}
    constant = 0.0
    with np.errstate(divide="ignore"):
        for scope, table in zip(scopes, tables, strict=True):
            log_table = np.log(table).reshape([states[v] for v in scope])
            if not scope:
                constant += float(log_table)
                continue
            full = np.full([wide[v] for v in scope], -np.inf)
            full[tuple(slice(states[v]) for v in scope)] = log_table
            by_size.setdefault(len(scope), []).append((scope, full.ravel()))
    for group in by_size.values():
        graph.add(Table([VariableArray(scope, wide[scope]) for scope, _ in group], [t for _, t in group]))
    evidence = read_evidence(Path(f"{path}.evid"))
    return graph, states, evidence | {v: 0 for v, k in enumerate(states) if k == 1}, constant


def read_marginals(path, states):
    words = iter(path.read_text().split())
    assert next(words) == "MAR"
    out = [np.array([float(next(words)) for _ in range(int(next(words)))]) for _ in range(int(next(words)))]
    assert [len(p) for p in out] == states
    return out


def marginal_error(graph, result, wanted):
    errors = []
    for v, truth in enumerate(wanted):
        own = result.marginals[graph.coordinate_offsets[v] : graph.coordinate_offsets[v + 1]]
        own = np.array([1.0 - own[0], own[0]]) if own.size == 1 else own
        errors.append(np.abs(own[: truth.size] - truth).max())
    return float(np.mean(errors)), float(np.max(errors))


def stretches(factor):
    return zip(factor.part_offsets[:-1], factor.part_offsets[1:], strict=True)


METHODS = {
    "parallel": BeliefPropagation(schedule="parallel", max_iterations=300),
    "parallel ½": BeliefPropagation(schedule="parallel", damping=0.5, max_iterations=300),
    "sequential": BeliefPropagation(max_iterations=300),
    "sequential ½": BeliefPropagation(damping=0.5, max_iterations=300),
    "residual": BeliefPropagation(schedule="residual", max_iterations=300),
    "concave ½": BeliefPropagation(counting="concave", damping=0.5, max_iterations=300),
}


def describe(result, error):
    if result.status is Status.INFEASIBLE:
        return "infeasible"
    mark = "=" if result.exact else "" if result.status is Status.CONVERGED else "*"
    assert not np.isnan(result.marginals).any()
    return f"{error:.1e}{mark} {result.iterations}"


def errors_on_networks(data, largest):
    print("\nUAI networks: error and iterations (* not converged, = exact by acyclicity, ½ damping 0.5)")
    for task in ("MAR", "PR"):
        what = "mean absolute error of the marginals" if task == "MAR" else "absolute error of log Z"
        print(f"\n{what}\n{'network':24}" + "".join(f"{name:>20}" for name in METHODS))
        for path in sorted((data / "uai" / task).glob("*.uai")):
            reference = Path(f"{path}.{task}")
            if not reference.exists() or path.stat().st_size > largest:
                continue
            graph, states, evidence, constant = network(path)
            most = sum(np.log(states)) + sum(f.scores[a:b].max() for f in graph.factors for a, b in stretches(f))
            cells = []
            for method in METHODS.values():
                result = graph.solve(method, evidence=evidence)
                if task == "MAR":
                    error = marginal_error(graph, result, read_marginals(reference, states))[0]
                else:
                    log_z = float(reference.read_text().split()[-1]) * np.log(10.0)
                    error = abs(result.log_partition + constant - log_z)
                    if log_z > most + constant:
                        error = np.nan  # the reference lies above what all states at their best would sum to
                cells.append(describe(result, error))
            print(f"{path.stem:24}" + "".join(f"{cell:>20}" for cell in cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--largest", type=int, default=3_000_000, help="skip networks whose file has more bytes")
    arguments = parser.parse_args()
    sweeps_against_numpy(arguments.data)
    errors_on_networks(arguments.data, arguments.largest)


if __name__ == "__main__":
    main()
