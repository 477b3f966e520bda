from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.conlleval import conlleval
from ramify.errors import InvalidInputError
from ramify.evaluation import chunk_counts, chunk_scores

LABEL = st.sampled_from(["O", *(f"{prefix}-{kind}" for prefix in "BIES" for kind in ("PER", "LOC"))])
SENTENCE = st.lists(st.tuples(LABEL, LABEL), max_size=9)


def total(score):
    return score.correct, score.gold_total, score.system_total


@given(st.lists(SENTENCE, max_size=4))
def test_any_labels_equal_conlleval(sentences):
    gold = [[a for a, _ in sentence] for sentence in sentences]
    predicted = [[b for _, b in sentence] for sentence in sentences]
    right, in_gold, in_predicted, right_words = conlleval(gold, predicted)
    scores = chunk_scores(gold, predicted)
    assert total(scores.overall) == (right.total(), in_gold.total(), in_predicted.total())
    assert scores.words_correct == right_words
    expected = {kind: (right[kind], in_gold[kind], in_predicted[kind]) for kind in in_gold | in_predicted}
    assert {kind: total(score) for kind, score in scores.by_type.items()} == expected
    assert chunk_counts(gold, predicted).sum(axis=0).tolist() == list(total(scores.overall))


def test_hand_computed_case():
    gold = [["B-NP", "I-NP", "O", "B-VP", "B-NP"], ["B-NP", "O"]]
    predicted = [["B-NP", "I-NP", "O", "B-NP", "B-NP"], ["O", "O"]]
    scores = chunk_scores(gold, predicted)
    assert total(scores.overall) == (2, 4, 3)
    assert (scores.overall.precision, scores.overall.recall, scores.overall.f1) == (2 / 3, 1 / 2, 4 / 7)
    assert total(scores.by_type["NP"]) == (2, 3, 3)
    assert total(scores.by_type["VP"]) == (0, 1, 0)
    assert scores.accuracy == 5 / 7


@pytest.mark.parametrize(
    ("labels", "chunks"),
    [
        ("I-X I-X B-X I-X", 2),  # IOB1: B parts two chunks of one type
        ("O I-X I-Y", 2),  # a new type is a new chunk
        ("B-X E-X S-X", 2),
        ("B-X E-X I-X", 2),  # E closes
        ("I-X E-X E-X", 2),
        ("B-X I-Y I-X", 3),
    ],
)
def test_how_many_chunks(labels, chunks):
    sequence = [labels.split()]
    assert chunk_scores(sequence, sequence).overall.gold_total == chunks


@pytest.mark.parametrize(
    ("labels", "scheme", "chunks"),
    [
        ("B-X I-X O I-X", "iob2", 1),
        ("B-X I-Y", "iob2", 1),
        ("B-X E-X S-X B-X O I-X E-X", "bioes", 2),
        ("S-X S-X B-X I-X E-X", "bioes", 3),
        ("I-X B-X O B-X", "iob1", 2),
        ("I-X I-Y B-Y", "iob1", 3),
    ],
)
def test_strict_counts_well_formed_chunks_only(labels, scheme, chunks):
    sequence = [labels.split()]
    assert chunk_scores(sequence, sequence, strict=scheme).overall.gold_total == chunks


def test_counts_for_each_sentence():
    gold, predicted = [["B-X", "O"], ["O", "O"], ["B-X", "B-Y"]], [["B-X", "O"], ["O", "B-X"], ["B-X", "B-X"]]
    np.testing.assert_array_equal(chunk_counts(gold, predicted), [[1, 1, 1], [0, 0, 1], [1, 2, 2]])


def test_nothing_to_score():
    scores = chunk_scores([], [])
    assert (scores.overall.f1, scores.accuracy, scores.by_type) == (0.0, 0.0, {})


def test_errors():
    with pytest.raises(InvalidInputError, match="same sentences; gold has 1, the prediction 0"):
        chunk_scores([["O"]], [])
    with pytest.raises(InvalidInputError, match="sentence 2 has 1 gold labels and 2 predicted ones"):
        chunk_scores([["O"], ["O"]], [["O"], ["O", "O"]])
    with pytest.raises(InvalidInputError, match="strict to be one of 'iob1', 'iob2', 'bioes'; got 'iob3'"):
        chunk_scores([["O"]], [["O"]], strict="iob3")
    with pytest.raises(InvalidInputError, match="got 'NOUN'"):
        chunk_scores([["NOUN"]], [["NOUN"]])
