from __future__ import annotations

import io
from pathlib import Path

import pytest

from ramify.errors import InvalidInputError
from ramify.evaluation import Punctuation, attachment_counts, attachment_scores, evaluate
from support.treebank_text import conllu

SAMPLE = Path(__file__).parents[2] / "data" / "evaluation"
GOLD = conllu(
    "she/PRON/nsubj:pass/2 left/VERB/root/0 ,/PUNCT/punct/2 »/SYM/dep/2 !?/PUNCT/punct/2",
    "go/VERB/root/0 $/PUNCT/punct/1",
)
# Wrong: a subtype, the head of a comma, the label of a quote, and the root of the second sentence.
SYSTEM = conllu(
    "she/PRON/nsubj/2 left/VERB/root/0 ,/PUNCT/punct/1 »/SYM/obj/2 !?/PUNCT/punct/2",
    "go/VERB/dep/2 $/PUNCT/root/0",
)


def score(**options):
    return attachment_scores(io.StringIO(GOLD), io.StringIO(SYSTEM), **options)


def test_all_words():
    scores = score()
    assert (scores.num_words, scores.num_sentences) == (7, 2)
    assert (scores.heads, scores.labels, scores.arcs) == (4, 3, 2)
    assert (scores.uas, scores.las, scores.label_accuracy) == (4 / 7, 2 / 7, 3 / 7)
    assert (scores.exact_heads, scores.exact_arcs) == (0, 0)
    assert scores.root_accuracy == 1 / 2


def test_subtypes_are_left_aside_on_request():
    assert (score(subtypes=False).arcs, score(subtypes=True).arcs) == (3, 2)


def test_punctuation_by_form_is_unicode_punctuation():
    scores = score(punctuation="skip-form")
    # she, left, go and $ count: $ is a currency sign (Sc), not punctuation; » is (Pf), whatever its tag.
    assert (scores.num_words, scores.heads, scores.arcs) == (4, 2, 1)
    assert (scores.unlabelled_exact_match, scores.labelled_exact_match) == (1 / 2, 0)


def test_punctuation_by_upos():
    scores = score(punctuation=Punctuation.SKIP_UPOS)
    assert (scores.num_words, scores.heads, scores.arcs) == (4, 3, 1)


def test_missing_heads_are_wrong():
    scores = attachment_scores(io.StringIO(conllu("a/X/dep/_")), io.StringIO(conllu("a/X/dep/_")))
    assert (scores.heads, scores.labels, scores.arcs) == (0, 1, 0)


def test_agrees_with_conll18_where_words_are_the_same():
    files = SAMPLE / "gold.conllu", SAMPLE / "parser.conllu"
    scores, official = attachment_scores(*files, subtypes=False), evaluate(*files)
    assert (scores.uas, scores.las) == (official.uas.f1, official.las.f1)


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("punctuation", list(Punctuation))
def test_counts_per_sentence_sum_to_the_scores(punctuation, labelled):
    files = SAMPLE / "gold.conllu", SAMPLE / "parser.conllu"
    counts = attachment_counts(*files, punctuation=punctuation, labelled=labelled)
    scores = attachment_scores(*files, punctuation=punctuation)
    right = scores.arcs if labelled else scores.heads
    assert counts.sum(axis=0).tolist() == [right, scores.num_words, scores.num_words]
    assert counts.shape == (20, 3)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (conllu("a/X/root/0 c/X/dep/1", "d/X/root/0"), r"sentence 1, word 2: gold has 'b', system 'c'"),
        (conllu("a/X/root/0 b/X/dep/1", "d/X/root/0 e/X/dep/1"), r"sentence 2: gold has 1 words, system 2"),
        (conllu("a/X/root/0 b/X/dep/1"), r"same sentences in gold and system; gold has 2, system 1"),
    ],
)
def test_other_words_are_an_error_that_says_which(system, message):
    gold = conllu("a/X/root/0 b/X/dep/1", "d/X/root/0")
    with pytest.raises(InvalidInputError, match=message):
        attachment_scores(io.StringIO(gold), io.StringIO(system))


def test_unknown_option_is_an_error():
    with pytest.raises(InvalidInputError, match="one of 'count', 'skip-form', 'skip-upos'; got 'no'"):
        score(punctuation="no")


def test_to_dict_has_the_shares():
    assert score().to_dict()["las"] == 2 / 7


def test_nothing_to_score():
    assert attachment_scores([], []).uas == 0.0
