"""Ranks of trees: numbers that add up, and survive a file."""

from __future__ import annotations

import pytest

from ramify.data import Sentence
from ramify.data.ranks import TreeRank, rank_of, ranks_of_scores, set_rank


def test_probabilities_of_the_trees_add_up():
    ranks = ranks_of_scores([1000.0, 999.0, 0.0])
    assert [rank.rank for rank in ranks] == [1, 2, 3]
    assert sum(rank.probability for rank in ranks) == pytest.approx(1)
    assert ranks[0].probability == pytest.approx(2.718282 * ranks[1].probability, rel=1e-4)
    assert ranks[2].probability == 0


def test_comments_hold_the_rank():
    sentence = Sentence(["a"], heads=[0], deprels=["root"])
    assert rank_of(sentence) is None
    (_, second) = ranks_of_scores([2.5, 1.25])
    set_rank(sentence, second)
    assert sentence.comments == ["# tree_rank = 2", "# tree_score = 1.250000", "# tree_probability = 0.222700"]
    assert rank_of(sentence) == second == TreeRank(2, 1.25, 0.2227)


@pytest.mark.parametrize("value", ["first", "nan", "", "1" * 5000])
def test_comments_of_others_are_left_alone(value):
    sentence = Sentence(["a"], comments=[f"# tree_rank = {value}", f"# tree_score = {value}", "# tree_probability = 2"])
    assert rank_of(sentence) is None
