"""AD3 on the ten benchmark problems: instructions, iterations and values against the AD3 C++ program; exact mode.

usage: python bench/ad3.py DIRECTORY [--exact] [--only NAME]     (DIRECTORY holds the problems' .txt files)

Instructions are counted by valgrind's callgrind inside the solve call, as they were for the reference, so they hold on
any x86-64. The bar: at most a third of the reference's instructions, and a value at least as close to the optimum of
HiGHS's linear program. --exact: exact search, 60 seconds a problem.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

from ad3_problems import REFERENCE, load  # noqa: E402

from ramify.inference import AD3  # noqa: E402

# Optima of the linear programs, by HiGHS on the families' constraints().
LINEAR_PROGRAM = {
    "potts30x30k5_attr_s4_sig1.0": 1481.2124280344,
    "potts30x30k5_mixed_s1_sig0.5": 734.3810020897,
    "potts30x30k5_mixed_s2_sig1.0": 972.2079518768,
    "potts30x30k5_mixed_s3_sig2.0": 1522.6247526821,
    "tree_n11_s11": 24.4429673386,
    "tree_n21_s12": 55.4588644023,
    "tree_n41_s13": 134.8484557827,
    "treeha_n11_s21": 17.4233516356,
    "treeha_n21_s22": 38.9929038048,
    "treeha_n41_s23": 81.6939459436,
}


def solve_once(path: Path) -> None:
    """What valgrind watches."""
    graph, scores = load(path)
    result = graph.solve(AD3(), scores)
    print(result.relaxed_value, result.bound, result.iterations, result.status.value.replace(" ", "-"))


def count(path: Path) -> tuple[list[str], float]:
    """Return what solve_once printed and the instructions of the solve call, in millions."""
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=*solve_ad3*", "--callgrind-out-file=/dev/null"]
    run = subprocess.run(
        [*command, sys.executable, __file__, str(path), "--once"], capture_output=True, text=True, check=True
    )
    collected = re.search(r"Collected : (\d+)", run.stderr)
    assert collected is not None, run.stderr
    return run.stdout.split(), int(collected.group(1)) / 1e6


def compare(path: Path) -> None:
    name = path.stem
    value, iterations, instructions = REFERENCE[name]
    (ours, bound, our_iterations, status), millions = count(path)
    lp = LINEAR_PROGRAM[name]
    print(
        f"{name:30} {millions:8.1f} {instructions / millions:6.2f} {our_iterations:>5} {iterations:5} "
        f"{float(ours) - lp:10.1e} {value - lp:10.1e} {float(bound) - lp:10.1e}  {status}",
        flush=True,
    )


def prove(path: Path) -> None:
    graph, scores = load(path)
    result = graph.solve(AD3(exact=True, time_limit=60.0), scores)
    print(
        f"{path.stem:30} {result.value:12.6f} {result.bound:12.6f} {result.seconds:7.2f} s  {result.status.value} "
        f"({result.message})",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        solve_once(options.path)
        return
    if options.exact:
        print(f"{'problem':30} {'value':>12} {'bound':>12}")
    else:
        print(f"{'problem':30} {'Minstr':>8} {'ratio':>6} {'iterations':>11} {'value - LP':>21} {'bound - LP':>10}")
        print(f"{'':30} {'':8} {'':6} {'ours':>5} {'ref':>5} {'ours':>10} {'ref':>10}")
    for name in REFERENCE:
        if options.only in name:
            (prove if options.exact else compare)(options.path / f"{name}.txt")


if __name__ == "__main__":
    main()
