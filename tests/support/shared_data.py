"""Where the treebanks lie that are too large, or not free enough, for the repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]


def treebanks(*names: str) -> list[Path]:
    """Return the paths of shared treebank files; skip the test where there are none."""
    shared = Path(os.environ.get("RAMIFY_SHARED", _ROOT.parent / "shared"))
    paths = [shared / "data" / "treebanks" / name for name in names]
    missing = [path for path in paths if not path.exists()]
    if missing:
        pytest.skip(f"no shared treebank {missing[0]}; set RAMIFY_SHARED to the folder that holds data/treebanks")
    return paths
