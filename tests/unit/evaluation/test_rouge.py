from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ramify.errors import InvalidInputError
from ramify.evaluation import RougeMetric, rouge
from ramify.evaluation.rouge import rouge_words

# Pairs with the scores of the Perl program ROUGE-1.5.5: see bench/rouge.py, which compares any number of them.
PERL = json.loads((Path(__file__).parents[2] / "data/evaluation/rouge.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("many", ["average", "best"])
@pytest.mark.parametrize("metric", ["1", "2", "L", "SU4"])
def test_scores_equal_the_perl_program(metric, many):
    scores = rouge(PERL["summaries"], PERL["references"], metrics=[metric], many=many)[RougeMetric(metric)]
    ours = np.stack([scores.recall, scores.precision, scores.f1], axis=1)
    assert np.ptp(ours[:, 0]) > 0.1  # the pairs are not all alike
    np.testing.assert_allclose(ours, [pair[f"ROUGE-{metric}"] for pair in PERL[many]], atol=2e-5)


def test_words_are_counted_by_hand():
    scores = rouge(["the cat sat"], [["the cat the cat"]], stemming=False)
    assert scores[RougeMetric.ONE].recall[0] == 2 / 4
    assert scores[RougeMetric.ONE].precision[0] == 2 / 3
    assert scores[RougeMetric.TWO].recall[0] == 1 / 3
    assert scores[RougeMetric.LONGEST].recall[0] == 2 / 4
    # the, the cat, the sat, cat, cat sat: of the reference there are 3 words and 6 pairs.
    assert scores[RougeMetric.SKIP].recall[0] == 3 / 9
    assert scores[RougeMetric.SKIP].precision[0] == 3 / 5


def test_sentences_are_lines_or_items():
    summary, reference = ["police killed", "the gunman"], ["the gunman was", "killed by police"]
    lines = rouge(["\n".join(summary)], [["\n".join(reference)]])
    assert rouge([summary], [[reference]])[RougeMetric.LONGEST].f1 == lines[RougeMetric.LONGEST].f1
    assert lines[RougeMetric.LONGEST].recall[0] == 3 / 6  # the gunman, and killed or police


def test_other_alphabets_have_no_words():
    assert rouge_words("Ärger \u212aelvin naïve e-mail 3.5") == ["rger", "elvin", "na", "ve", "e", "mail", "3", "5"]
    scores = rouge(["日本"], [["日本"]])
    assert scores[RougeMetric.ONE].f1[0] == 0.0


def test_limit_counts_words_between_blanks():
    scores = rouge(["a-b c\nd e"], [["a b c d e"]], max_words=3)
    assert scores[RougeMetric.ONE].precision[0] == 3 / 4
    assert scores[RougeMetric.ONE].recall[0] == 1.0


def test_exceptions_come_before_the_rules():
    assert rouge(["went there"], [["go there"]])[RougeMetric.ONE].recall[0] == 0.5
    assert rouge(["went there"], [["go there"]], exceptions={"went": "go"})[RougeMetric.ONE].recall[0] == 1.0


def test_interval_contains_the_mean():
    scores = rouge(PERL["summaries"], PERL["references"])[RougeMetric.ONE]
    interval = scores.interval("f1", samples=200)
    assert interval.value == pytest.approx(scores.f1.mean())
    assert interval.low < interval.value < interval.high


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((["a"], []), {}, "references for each summary; got 1 summaries and 0"),
        (([], []), {}, "at least one summary"),
        ((["a"], [[]]), {}, "summary 0 has none"),
        (([[1, 2]], [["b"]]), {}, r"texts or lists of sentences; got \[1, 2\]"),
        ((["a"], [["b"]]), {"metrics": ["3"]}, "metrics to be one of '1', '2', 'L', 'SU4'; got '3'"),
        ((["a"], [["b"]]), {"max_words": 0}, "max_words to be a whole number, 1 or more, or None; got 0"),
    ],
)
def test_errors(arguments, options, message):
    with pytest.raises(InvalidInputError, match=message):
        rouge(*arguments, **options)


def test_interval_of_what():
    with pytest.raises(InvalidInputError, match="'recall', 'precision' or 'f1'; got 'accuracy'"):
        rouge(["a"], [["a"]])[RougeMetric.ONE].interval("accuracy")
