"""The table of docs/engine/factors.md says what the families can do, all of them and no more."""

from __future__ import annotations

import re

import numpy as np
import pytest

import ramify.factors as F  # noqa: N812 - short, and clear beside the family names
from contract.families import CASES

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def rows(request):
    text = (request.config.rootpath / "docs" / "engine" / "factors.md").read_text(encoding="utf-8")
    table = text.split("<!-- families -->")[1].split("\n## ")[0]
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): row for row in cells}


def test_table_lists_every_family(rows):
    assert set(rows) == {cls.__name__ for cls in CASES}


@pytest.mark.parametrize("cls", CASES, ids=lambda cls: cls.__name__)
def test_table_row_is_true(cls, rows):
    case = CASES[cls](np.random.default_rng(0), 3)
    factor = case.build(np.zeros(case.truth.num_parts))
    _, _, _, _, projection, kind, missing = rows[cls.__name__]
    everything = {c.names[0] for c in F.Capability}
    assert set(re.findall(r"`(\w+)`", missing)) == everything - set(factor.capabilities.names)
    uses_active_set = factor.projection_state().num_active().size > 0
    assert projection.startswith("active set") == uses_active_set
    if F.Capability.CONSTRAINTS in factor.capabilities:
        assert kind == ("exact" if factor.constraints().exact else "relaxed")
