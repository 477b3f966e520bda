"""Counts of `ramify info`: by hand on small trees, and against the published table of the full treebanks."""

from __future__ import annotations

import csv

import pytest

from ramify.data import MultiwordToken, Sentence, read
from ramify.data.statistics import TreebankStatistics, tree_depth

pytestmark = pytest.mark.engine


def test_depth():
    assert tree_depth([-1, 0]) == 1
    assert tree_depth([-1, 2, 3, 0]) == 3
    assert tree_depth([-1, 0, 0, 0]) == 1
    assert tree_depth([-1, 0, *range(1, 5000)]) == 5000


def test_counts_by_hand():
    statistics = TreebankStatistics()
    # 3 -> 1 and 4 -> 2 cross: neither 2 is below 3, nor 3 below 4.
    statistics.add(
        Sentence(
            ["a", "b", "a", "d"],
            upos=["X", "Y", "X", "_"],
            feats=["A=1|B=2", "A=1", "_", "_"],
            heads=[3, 4, 0, 3],
            deprels=["l", "m", "root", "l"],
            multiword_tokens=[MultiwordToken(1, 2, "ab")],
        )
    )
    statistics.add(Sentence(["e"]))
    assert (statistics.sentences, statistics.words, statistics.tokens) == (2, 5, 4)
    assert (statistics.trees, statistics.arcs) == (1, 4)
    assert statistics.nonprojective_arcs == 1  # 4 -> 2 spans 3, which is not below 4
    assert statistics.crossing_arcs == 3  # 3 -> 1 and 4 -> 2; 4 -> 2 and the arc from the root to 3
    assert statistics.gap_degrees == {1: 1}
    assert statistics.depths == {3: 1}
    assert statistics.arc_lengths == {1: 1, 2: 2}
    assert statistics.arc_length_bins() == {"1": 1, "2": 2, "3-6": 0, "7-14": 0, "15+": 0}
    assert statistics.feats == {"A=1": 2, "B=2": 1}
    assert statistics.upos == {"X": 2, "Y": 1}
    assert statistics.to_dict()["forms"] == 4


def test_full_treebanks_have_the_published_counts(treebanks):
    table = treebanks.parent / "treebank_stats.tsv"
    if not table.exists():
        pytest.skip("needs treebank_stats.tsv beside the folder of treebanks")
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert rows
    for row in rows:
        statistics = TreebankStatistics()
        for sentence in read(treebanks.parent / row["file"]):
            statistics.add(sentence)
        assert statistics.sentences == int(row["sentences"]), row
        assert statistics.words == int(row["words"]), row
        assert statistics.multiword_tokens == int(row["mwt"]), row
        assert statistics.empty_nodes == int(row["empty"]), row
        assert statistics.longest_sentence == int(row["maxlen"]), row
        assert f"{100 * statistics.nonprojective_arcs / statistics.words:.2f}" == row["np_arcs%"], row
        assert f"{100 * statistics.nonprojective_sentences / statistics.sentences:.1f}" == row["np_sents%"], row
        assert sum(n for roots, n in statistics.roots.items() if roots > 1) == int(row["multiroot"]), row
