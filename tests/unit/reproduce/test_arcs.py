"""Studies of arc-factored parsers: one selection, one parser for each budget."""

import pytest

from ramify.reproduce import Scale
from ramify.reproduce.arcs import ArcStudy
from ramify.reproduce.treebanks import Treebank

pytestmark = pytest.mark.engine

SCALE = Scale(train=30, test=10, max_words=20, epochs=1)
QUICK = {"pruner.bits": "14", "pruner.epochs": "1", "select.epochs": "1", "select.every": "10"}


@pytest.fixture(scope="module")
def bank(sample):
    return Treebank("xx", "UD_Toy", (sample,), (), (sample,))


def test_each_budget_has_a_parser(bank):
    found = ArcStudy({**QUICK, "select.pool": "arc: pool", "select.path": "60,20"})(bank, SCALE)
    assert [point["budget"] for point in found["points"]] == [60, 20]
    assert [len(point["templates"]) <= point["budget"] for point in found["points"]] == [True, True]
    listed = ",".join(found["points"][1]["templates"])
    plain = ArcStudy({**QUICK, "model.templates": listed})(bank, SCALE)["points"][0]
    assert [plain[what] == found["points"][1][what] for what in ("weights", "counts", "templates")] == [True] * 3
    assert 500 < found["pool"] < 700
    for point in found["points"]:
        assert all(name.startswith("arc: ") for name in point["templates"])
        assert len(point["counts"]) == 10
        assert all(right <= words == again for right, words, again in point["counts"])


def test_nothing_is_selected_without_options(bank):
    study = ArcStudy(QUICK)
    point = study(bank, SCALE)["points"][0]
    assert point["budget"] == 0
    assert len(point["templates"]) > 90  # of the standard table
    assert study.__name__ != ArcStudy({**QUICK, "pruner.bits": "13"}).__name__
