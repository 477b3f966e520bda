"""The English network that comes with the package."""

from __future__ import annotations

import pytest

import ramify
from ramify.parsing import Head
from support.processes import printed_without


@pytest.fixture(scope="module")
def english():
    return ramify.load("en-neural")


def test_it_is_more_accurate_than_features(english, pytestconfig):
    """On test sentences that neither of the two models learned from; the documentation has the whole file."""
    treebank = pytestconfig.rootpath.parent / "shared/data/treebanks/UD_English-EWT/en_ewt-ud-test.conllu"
    if not treebank.exists():
        pytest.skip("the full treebank is not here")
    sentences = list(ramify.read(treebank))[:300]
    las = [nlp.evaluate(sentences, gold_tokens=True)["LAS"].f1 for nlp in (ramify.load("en"), english)]
    assert las[1] > las[0] + 0.02


def test_it_obeys_constraints_and_knows_alternatives(english):
    doc = english("I saw the man with the telescope.", constraints=[Head(7, 2)])
    assert doc[6].head.form == "saw"
    trees = english("I saw the man with the telescope.").sentences[0].k_best(2)
    assert len({int(tree.heads[6]) for tree in trees}) == 2
    assert trees[0].value >= trees[1].value


def test_it_needs_no_pytorch():
    printed = printed_without("torch", "import ramify; print(ramify.load('en-neural')('It works.')[1].deprel)")
    assert printed == "root\n"


def test_its_card_names_machine_and_licence(english):
    assert "NVIDIA H200" in english.card
    assert "CC BY-SA 4.0" in english.card
