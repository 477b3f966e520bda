from __future__ import annotations

import io
import sys
from dataclasses import dataclass

import pytest

from ramify.cli import main


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command in this process: starting one anew for each test takes longer than the tests."""

    def call(*arguments, stdin=""):
        monkeypatch.setattr(sys, "argv", ["ramify", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(int(ended.value.code or 0), *capsys.readouterr())

    return call
