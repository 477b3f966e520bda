"""Run clang-tidy with ``.clang-tidy`` over the engine, two files at a time.

Run it from the root of the repository on a folder that CMake has configured, with pieces of file names to choose some
files: ``python cpp/tools/run_clang_tidy.py build/dev trees/ inference/ad3``.

A build that joins several files (see cpp/CMakeLists.txt) is the fastest to check, because headers are read once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# The compiler's own warnings are the compiler's business; flags that only GCC knows are none of ours.
_FLAGS = ("-Wno-everything", "-Wno-error")


def sources(folder: Path, chosen: list[str]) -> list[str]:
    """Return the engine's files that the build compiles, the largest first: the last one should be short."""
    commands = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    files = {c["file"] for c in commands if "ramify_engine" in c.get("output", c["command"])}
    found = [f for f in files if not chosen or any(piece in f for piece in chosen)]
    return sorted(found, key=_size, reverse=True)


def _size(file: str) -> int:
    text = Path(file).read_text(encoding="utf-8")
    joined = [line.split('"')[1] for line in text.splitlines() if line.startswith("#include") and "/cpp/src/" in line]
    return sum(Path(other).stat().st_size for other in joined) + len(text)


def check(folder: Path, file: str) -> str:
    """Return what clang-tidy finds in one file: nothing, where all is well."""
    flags = [f"--extra-arg={flag}" for flag in _FLAGS]
    command = ["clang-tidy", "--quiet", f"-p={folder}", *flags, file]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - no shell, our own files
    return done.stdout + done.stderr if done.returncode else ""


def main(arguments: list[str]) -> int:
    """Check all files, or those whose names contain one of the given pieces; the exit status is 1 after a finding."""
    folder = Path(arguments[0])
    files = sources(folder, arguments[1:])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [text for text in pool.map(lambda file: check(folder, file), files) if text]
    print("\n".join(findings))
    print(f"clang-tidy: {len(files)} files, {len(findings)} with findings.")
    return bool(findings) or not files


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
