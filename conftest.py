"""README and docs are tests: Python blocks run as doctests, console blocks run in a shell and are compared."""

from __future__ import annotations

import doctest
import os
import subprocess
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sybil import Sybil
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser, SkipParser

if TYPE_CHECKING:
    from sybil.example import Example

ROOT = Path(__file__).resolve().parent
ELLIPSIS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run_console_block(example: Example) -> str | None:
    """Run every ``$ command`` of the block and compare what it prints with the lines below it."""
    checker = doctest.OutputChecker()
    for command, wanted in _commands(str(example.parsed)):
        scripts = sysconfig.get_path("scripts")
        environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "120"}
        done = subprocess.run(
            command, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        got = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).strip("\n").split("\n")) + "\n"
        if not checker.check_output(wanted, got, ELLIPSIS):
            return f"{command}\nexpected:\n{wanted}\ngot (exit status {done.returncode}):\n{got}"
    return None


def _commands(block: str) -> list[tuple[str, str]]:
    commands: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands and commands[-1][0].endswith("\\"):
            commands[-1] = (commands[-1][0][:-1] + line, [])
        elif commands:
            commands[-1][1].append(line)
    return [(command, "\n".join(lines).strip("\n") + "\n") for command, lines in commands]


def use_repository_root(namespace: dict[str, object]) -> None:
    """Examples name files relative to the repository."""
    os.chdir(ROOT)
    for library in ("torch", "transformers"):  # pages about them say what is skipped without them
        namespace[f"has_{library}"] = find_spec(library) is not None


pytest_collect_file = Sybil(
    parsers=[
        PythonCodeBlockParser(doctest_optionflags=ELLIPSIS),
        CodeBlockParser("console", run_console_block),
        SkipParser(),
    ],
    patterns=["README.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md"],
    setup=use_repository_root,
).pytest()
