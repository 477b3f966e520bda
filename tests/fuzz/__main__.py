"""The command line of the fuzzer."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fuzz.runner import Watch


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description="Random calls of ramify's engine.")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to run (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="all that is random follows from it (default: 0)")
    parser.add_argument("--case", type=int, help="run this one case only")
    parser.add_argument("--only", action="append", default=[], help="a kind of cases; may be given several times")
    parser.add_argument("--skip", action="append", default=[], help="an inference method that is left alone: Relax")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that one case may take (default: 60)")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        from fuzz import worker

        with options.worker.open("w+") as trace:
            worker.run(options.seed, options.case, options.only, options.skip, trace, sys.stdout)
    watch = Watch(options.seed, options.seconds, options.limit, tuple(options.only), tuple(options.skip))
    outcome = watch.run() if options.case is None else watch.run(options.case, 1)
    for finding in outcome.findings:
        print(finding.text(options.seed))
    print(f"seed {options.seed}\n{outcome.table()}")
    return 1 if outcome.findings else 0


if __name__ == "__main__":
    sys.exit(main())
