"""The committed type stubs of the C++ core are those its bindings generate."""

from __future__ import annotations

import subprocess
import sys

from ramify import _core


def test_stubs_are_current(tmp_path, pytestconfig):
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-r", "-m", _core.__name__, "-O", str(tmp_path)]
    subprocess.run(command, check=True)
    committed = pytestconfig.rootpath / "src" / "ramify" / "_core"
    fresh = {path.name: path.read_text() for path in (tmp_path / "_core").iterdir()}
    remedy = "python -m nanobind.stubgen -r -m ramify._core -O src/ramify"
    assert {path.name: path.read_text() for path in committed.iterdir()} == fresh, (
        f"the bindings changed; run: {remedy}"
    )
