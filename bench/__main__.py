"""Run the benchmarks that need nothing but the repository, and compare their ratios with those that were kept.

    python -m bench [NAME…] [--output bench/results.json] [--against bench/results.json]

Each script runs in a process of its own with small inputs. What is kept are ratios between methods of the same run, as
they are printed, and facts of the machine; seconds depend on the machine and are not compared. Scripts that need data
or models from elsewhere are named in the result and are not run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parent
_SAMPLE = FOLDER.parent / "tests/data/ewt-sample-200.conllu"
_WORSE = 0.8  # of the kept ratio


@dataclass(frozen=True)
class Script:
    """A script with small inputs, and where its output has ratios: higher is better."""

    arguments: tuple[str, ...]
    ratio: str


SCRIPTS = {
    "reader": Script((str(_SAMPLE),), r"is ([\d.]+) times as fast"),
    "relax": Script(("20",), r"^ *\d+ +\d+ +[\de.+-]+ +[\d.]+ +\d+ +[\d.]+ +([\d.]+)"),
    "trees": Script((), r"([\d.]+)x(?: |,|$)"),
}


def run_script(name: str, script: Script) -> dict[str, Any]:
    """Return the lines that a script prints, and their ratios."""
    command = [sys.executable, str(FOLDER / f"{name}.py"), *script.arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]}
    return {"ratios": ratios_of(done.stdout, script.ratio), "lines": done.stdout.splitlines()}


def ratios_of(text: str, pattern: str) -> dict[str, float]:
    """Return the ratios in an output by the line, and the place in the line, where they are printed."""
    return {
        f"line {number}.{place}": float(found)
        for number, line in enumerate(text.splitlines(), 1)
        if not line.rstrip().endswith(")")  # headings name goals
        for place, found in enumerate(re.findall(pattern, line), 1)
    }


def machine() -> dict[str, Any]:
    """Return what figures depend on; no names of machines."""
    from ramify import build_facts

    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    facts = {"cores": os.cpu_count(), "load": load, "machine": platform.machine(), "system": platform.system()}
    return facts | {"python": platform.python_version(), "numpy": np.__version__} | build_facts()


def worse(kept: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Say which ratios are clearly lower than those that were kept."""
    lines = []
    for name, result in found.items():
        before = kept.get(name, {}).get("ratios", {})
        for place, ratio in result.get("ratios", {}).items():
            if place in before and ratio < _WORSE * before[place]:
                lines.append(f"{name}, {place}: {ratio:.1f}, and was {before[place]:.1f}")
    return lines


def main() -> int:
    """Run, write and compare."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*SCRIPTS, []], default=[])
    parser.add_argument("--output", type=Path)
    parser.add_argument("--against", type=Path, default=FOLDER / "results.json")
    arguments = parser.parse_args()
    names = arguments.names or list(SCRIPTS)
    found = {name: run_script(name, SCRIPTS[name]) for name in names}
    others = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in (*SCRIPTS, "__main__"))
    for name, result in found.items():
        print(f"{name}: {result.get('error') or result['ratios']}")
    print(f"not run, as they need data, models or minutes: {', '.join(others)}")
    if arguments.output is not None:
        text = json.dumps({"machine": machine(), "results": found, "not_run": others}, indent=1)
        arguments.output.write_text(text + "\n", encoding="utf-8")
    lost = []
    if arguments.against.exists():
        lost = worse(json.loads(arguments.against.read_text(encoding="utf-8"))["results"], found)
        print("\n".join(lost) or f"no ratio is below {_WORSE} of that in {arguments.against.name}")
    else:
        print(f"nothing to compare with: {arguments.against.name} is not there")
    return 1 if lost or any("error" in result for result in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
