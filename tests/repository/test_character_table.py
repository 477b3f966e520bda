"""The committed table of characters is what its script makes."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest


def test_table_is_current(pytestconfig):
    table = (pytestconfig.rootpath / "cpp/src/segmentation/character_table.hpp").read_text()
    made_with = table.splitlines()[0].rsplit(" ", 1)[1]
    if made_with != unicodedata.unidata_version:
        pytest.skip(f"the table is of Unicode {made_with}, this Python has {unicodedata.unidata_version}")
    script = pytestconfig.rootpath / "cpp/tools/character_table.py"
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stdout == table
