"""The committed type stubs of the C++ core are those its bindings generate."""

from __future__ import annotations

import subprocess
import sys

from ramify import _core


def test_stubs_are_current(tmp_path, pytestconfig):
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", _core.__name__, "-o", str(fresh)]
    subprocess.run(command, check=True)
    committed = pytestconfig.rootpath / "src" / "ramify" / "_core.pyi"
    remedy = "python -m nanobind.stubgen -m ramify._core -o src/ramify/_core.pyi"
    assert committed.read_text() == fresh.read_text(), f"the bindings changed; run: {remedy}"
