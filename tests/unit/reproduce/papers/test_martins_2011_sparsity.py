"""Tables and claims of chunks and entities, made of what studies measure."""

import json

import pytest

from ramify.reproduce import PAPERS, QUICK, Outcomes, render
from ramify.reproduce.treebanks import Treebank

PAPER = PAPERS["martins-2011-sparsity"]


def probe(right, weights, *, held=(), speed=1000.0, seconds=10.0):
    counts = [[right, 10, 10]] * 30
    return {
        "dev": counts,
        "test": counts,
        "weights": weights,
        "held": [[most, most // 2] for most in held],
        "held in training": [weights],
        "templates": ["pos[0]"],
        "words a second": speed,
        "seconds": seconds,
    }


def outcomes_of(language, by_name, other):
    """Return outcomes with what was measured of some trials, and the same of all others."""
    outcomes = Outcomes()
    for trial in PAPER.study.plan([Treebank(language, "Toy", (), (), ())], QUICK):
        record = {"name": trial.name, "outcomes": {}, "probe": by_name.get(trial.name, other)}
        outcomes.add(language, json.loads(json.dumps(record)))
    return outcomes


def holds(outcomes):
    return {claim.text.partition(": ")[2]: claim.holds for claim in PAPER.study.claims(outcomes)}


@pytest.mark.parametrize(("held", "speed", "few"), [(90, 2500.0, True), (200, 1500.0, False)])
def test_chunks_are_chosen_on_held_out_sentences(held, speed, few):
    found = {
        "all features": probe(8, 1000),
        "B = 10": probe(9, 80, held=[held], speed=speed),
        "B = 30": probe(10, 500, held=[500]),  # better, but too large
    }
    outcomes = outcomes_of("chunks", found, probe(7, 70, held=[held]))
    claims = holds(outcomes)
    assert claims["at most 10% of the features, and F1 at least as good"]
    assert claims["never more than 10% of the features are held"] == few
    assert claims["the chosen model tags at least twice as fast"] == few
    assert claims["a path with five budgets costs ≤ 2 times one budget"]
    text = render(PAPER, outcomes, QUICK, "the command")
    assert "| B = 10 | 90.00 | 90.00 | 80 (8.0%) |" in text
    assert "93.59, 389,065" in text
    assert "## Figure 2: features in memory by epoch" in text


def test_without_a_small_model_nothing_is_chosen():
    claims = holds(outcomes_of("chunks", {"all features": probe(8, 1000)}, probe(9, 900, held=[950])))
    assert not claims["never more than 10% of the features are held"]
    assert not claims["the chosen model tags at least twice as fast"]


def test_group_lasso_is_compared_with_the_best_lasso():
    found = {"all features": probe(7, 1000), "lasso, C = 1": probe(9, 500), "B = 100": probe(8, 100)}
    claims = holds(outcomes_of("es-names", found, probe(6, 50)))
    assert claims["group lasso ≥ all features"]
    assert not claims["group lasso ≥ best lasso"]
