"""Belief propagation on the UAI networks: errors of marginals and log Z by schedule and damping.

usage: python bench/uai.py DIRECTORY [--iterations 300] [--only NAME]

DIRECTORY has MAR and PR, each with NAME.uai, NAME.uai.evid and the reference (NAME.uai.MAR or NAME.uai.PR). Fails where
a number is NaN, where evidence is not honoured, or where a network that is acyclic is not solved to 1e-6.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

from ramify.graph_files import UAIModel, read_uai, read_uai_evidence, read_uai_marginals, read_uai_partition
from ramify.inference import BeliefPropagation, Result, Status

OPTIONS = {
    "parallel": {"schedule": "parallel"},
    "parallel ½": {"schedule": "parallel", "damping": 0.5},
    "sequential": {},
    "sequential ½": {"damping": 0.5},
    "residual": {"schedule": "residual"},
    "residual ½": {"schedule": "residual", "damping": 0.5},
    "concave ½": {"schedule": "parallel", "counting": "concave", "damping": 0.5},
}


def distributions(model: UAIModel, result: Result) -> list[np.ndarray]:
    """One array of probabilities per variable of the file."""
    out = []
    offsets = model.graph.coordinate_offsets
    for v, k in enumerate(model.num_states):
        own = result.marginals[offsets[v] : offsets[v + 1]]
        out.append((np.array([1.0 - own[0], own[0]]) if own.size == 1 else own)[:k])
    return out


def error_of(model: UAIModel, result: Result, evidence: dict[int, int], reference: Path) -> float:
    assert not np.isnan(result.marginals).any(), reference
    assert not np.isnan(result.log_partition), reference
    found = distributions(model, result)
    if result.status is not Status.INFEASIBLE:
        assert all(found[v][state] == 1.0 for v, state in evidence.items()), reference
    if reference.suffix == ".PR":
        return abs(result.log_partition + model.constant - read_uai_partition(reference))
    wanted = read_uai_marginals(reference)
    return float(np.mean([np.abs(a - b).max() for a, b in zip(found, wanted, strict=True)]))


def is_possible(model: UAIModel, reference: Path) -> bool:
    """False where log Z is said to be more than if all assignments had the best score of every table."""
    if reference.suffix != ".PR":
        return True
    most = model.constant + float(np.log(model.num_states).sum())
    for v, begin in enumerate(model.graph.coordinate_offsets[:-1]):
        own = model.scores[begin : model.graph.coordinate_offsets[v + 1]]
        most += max(0.0, own[0]) if own.size == 1 else own.max()
    for factor in model.graph.factors:
        most += np.maximum.reduceat(factor.scores, factor.part_offsets[:-1]).sum()
    return read_uai_partition(reference) <= most


def cell(result: Result, error: float) -> str:
    if result.status is Status.INFEASIBLE:
        return "infeasible"
    assert not result.exact or error < 1e-6, error
    mark = "=" if result.exact else "" if result.status is Status.CONVERGED else "*"
    return f"{error:.1e}{mark} {result.iterations}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    methods = {name: BeliefPropagation(max_iterations=options.iterations, **chosen) for name, chosen in OPTIONS.items()}
    print("error and iterations (* not converged, = exact: acyclic under the evidence, ½ damping 0.5)")
    for task, what in (("MAR", "mean over variables of the largest error of a marginal"), ("PR", "error of log Z")):
        print(f"\n{what}\n{'network':20}" + "".join(f"{name:>16}" for name in methods))
        for path in sorted((options.path / task).glob("*.uai")):
            if options.only not in path.name:
                continue
            model = read_uai(path)
            evidence = read_uai_evidence(f"{path}.evid", model)
            reference = Path(f"{path}.{task}")
            if not is_possible(model, reference):
                print(f"{path.stem:20}  (the reference lies above what the tables allow)", flush=True)
                continue
            cells = []
            for method in methods.values():
                result = model.graph.solve(method, model.scores, evidence=evidence)
                cells.append(cell(result, error_of(model, result, evidence, reference)))
            print(f"{path.stem:20}" + "".join(f"{text:>16}" for text in cells), flush=True)


if __name__ == "__main__":
    main()
