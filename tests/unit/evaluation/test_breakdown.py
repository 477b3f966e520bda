from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ramify.data import Sentence
from ramify.errors import InvalidInputError
from ramify.evaluation import Dimension, breakdown, evaluate
from ramify.evaluation.corpus import flatten
from ramify.evaluation.nonprojective import nonprojective_words
from support.treebank_text import conllu

SAMPLE = Path(__file__).parents[2] / "data" / "evaluation"
FILES = SAMPLE / "gold.conllu", SAMPLE / "pipeline.conllu"

GOLD = conllu("a/DET/det/2 b/NOUN/nsubj/3 c/VERB/root/0 d/ADV/advmod:x/3 e/NOUN/obj/3 f/X/dep/5")
SYSTEM = conllu("a/DET/det/3 b/NOUN/nsubj/3 c/VERB/root/0 d/NOUN/advmod/3 e/NOUN/nsubj/3 f/X/dep/3")


def counts(by, gold=GOLD, system=SYSTEM, **options):
    scores = breakdown(io.StringIO(gold), io.StringIO(system), by, **options)
    return {
        kind: (score.gold_correct, score.gold_total, score.system_correct, score.system_total)
        for kind, score in scores.items()
    }


def test_by_label():
    assert counts("label") == {
        "advmod": (1, 1, 1, 1),
        "dep": (0, 1, 0, 1),
        "det": (0, 1, 0, 1),
        "nsubj": (1, 1, 1, 2),
        "obj": (0, 1, 0, 0),
        "root": (1, 1, 1, 1),
    }
    with_subtypes = counts("label", subtypes=True)
    assert (with_subtypes["advmod:x"], with_subtypes["advmod"]) == ((0, 1, 0, 0), (0, 0, 0, 1))


def test_by_label_without_labels_asks_for_heads_only():
    assert counts("label", labelled=False)["obj"] == (1, 1, 0, 0)


def test_by_arc_length():
    # gold: 1 1 root 1 2 1; system: 2 1 root 1 2 3
    assert counts("arc-length") == {
        "root": (1, 1, 1, 1),
        "1": (2, 4, 2, 2),
        "2": (0, 1, 0, 2),
        "3-6": (0, 0, 0, 1),
    }


def test_arc_length_bins():
    words = " ".join(f"w{i}/X/dep/1" for i in range(2, 10))
    text = conllu("w1/X/root/0 " + words)
    found = counts("arc-length", text, text)
    assert {kind: values[1] for kind, values in found.items()} == {"root": 1, "1": 1, "2": 1, "3-6": 4, "7+": 2}


def test_by_direction():
    assert counts("direction") == {"root": (1, 1, 1, 1), "left": (1, 3, 1, 3), "right": (1, 2, 1, 2)}


def test_by_upos_takes_gold_tags():
    assert counts("upos")["ADV"] == (1, 1, 1, 1)


def test_by_sentence_length():
    long = " ".join(f"w{i}/X/dep/1" for i in range(2, 12))
    gold = conllu("w1/X/root/0 " + long, "a/X/root/0 b/X/dep/1")
    system = conllu("w1/X/root/0 " + long + " a/X/dep/1 b/X/dep/12")
    assert counts("length", gold, system) == {"1-10": (1, 2, 1, 2), "11-20": (11, 11, 11, 11)}


def test_by_projectivity():
    gold = conllu("a/X/dep/3 b/X/dep/4 c/X/root/0 d/X/dep/3")
    system = conllu("a/X/dep/3 b/X/dep/3 c/X/root/0 d/X/dep/3")
    assert counts("nonprojective", gold, system) == {"projective": (3, 3, 3, 4), "nonprojective": (0, 1, 0, 0)}


@pytest.mark.parametrize("dimension", list(Dimension))
def test_kinds_sum_to_las(dimension):
    scores = breakdown(*FILES, dimension).values()
    las = evaluate(*FILES).las
    assert sum(score.gold_correct for score in scores) == las.correct
    assert sum(score.system_correct for score in scores) == las.correct
    assert sum(score.gold_total for score in scores) == las.gold_total
    assert sum(score.system_total for score in scores) == las.system_total


def test_figures():
    score = breakdown(io.StringIO(GOLD), io.StringIO(SYSTEM), "arc-length")["1"]
    assert (score.precision, score.recall, score.f1) == (1.0, 1 / 2, 2 / 3)
    assert score.to_dict()["gold_total"] == 4
    absent = breakdown(io.StringIO(GOLD), io.StringIO(SYSTEM), "label")["obj"]
    assert (absent.precision, absent.recall, absent.f1) == (0.0, 0.0, 0.0)


def test_unknown_dimension_is_an_error():
    with pytest.raises(InvalidInputError, match=r"by to be one of 'label', .*; got 'colour'"):
        counts("colour")


def descends(heads: list[int], word: int, head: int) -> bool:
    while word not in (0, head):
        word = heads[word - 1]
    return word == head


@st.composite
def trees(draw):
    """Heads of a random tree over at most nine words, with any number of roots."""
    order = draw(st.permutations(range(1, draw(st.integers(1, 9)) + 1)))
    heads = [0] * len(order)
    for position, word in enumerate(order[1:], 1):
        heads[word - 1] = draw(st.sampled_from([0, *order[:position]]))
    return heads


@given(st.lists(trees(), min_size=1, max_size=4))
def test_nonprojective_words_follow_the_definition(forest):
    corpus = flatten((Sentence(["w"] * len(heads), heads=heads, multiple_roots=True) for heads in forest), "gold")
    expected = [
        head > 0 and any(not descends(heads, k, head) for k in range(min(head, word) + 1, max(head, word)))
        for heads in forest
        for word, head in enumerate(heads, 1)
    ]
    np.testing.assert_array_equal(nonprojective_words(corpus), expected)
