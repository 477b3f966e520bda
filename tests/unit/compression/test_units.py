from __future__ import annotations

import numpy as np
import pytest

from ramify.compression import units_of
from ramify.data import Sentence
from ramify.errors import InvalidInputError


def parsed(text):
    """A sentence of lines "form lemma upos head label", with / where no blank follows."""
    rows = [line.split() for line in text.strip().splitlines()]
    forms, lemmas, upos, heads, labels = zip(*(row[:5] for row in rows), strict=True)
    misc = tuple("SpaceAfter=No" if len(row) > 5 else "_" for row in rows)
    return Sentence(forms, lemmas=lemmas, upos=upos, heads=[int(head) for head in heads], deprels=labels, misc=misc)


SAID = parsed(
    """
    Police police NOUN 2 nsubj
    said say VERB 0 root
    that that SCONJ 6 mark
    two two NUM 5 nummod
    men man NOUN 6 nsubj
    died die VERB 2 ccomp
    in in ADP 8 case
    Rome Rome PROPN 6 obl /
    . . PUNCT 2 punct
    """
)
LIST = parsed(
    """
    She she PRON 2 nsubj
    bought buy VERB 0 root
    red red ADJ 4 amod
    apples apple NOUN 2 obj /
    , , PUNCT 6 punct
    pears pear NOUN 4 conj
    and and CCONJ 8 cc
    plums plum NOUN 4 conj
    """
)


def described(units):
    forms = [[word.form for i, word in enumerate(units.words) if units.unit[i] == u] for u in range(len(units))]
    return [(" ".join(words), int(head)) for words, head in zip(forms, units.heads, strict=True)]


def test_words_that_belong_to_their_heads_are_one_unit():
    units = units_of(SAID, reports=False)
    assert described(units) == [("Police said that two men died", -1), ("in Rome", 0)]
    assert units.lengths.tolist() == [6, 2]
    assert units.characters.tolist() == [len("Police said that two men died") + 1, len("in Rome.") + 1]


def test_a_verb_of_saying_hangs_from_what_is_said():
    units = units_of(SAID)
    assert described(units) == [("two men died", -1), ("Police said that", 0), ("in Rome", 0)]
    assert units.words[units.tops[1]].label == "report"


def test_members_of_a_list_hang_from_the_last():
    assert described(units_of(LIST)) == [("She bought apples", -1), ("red", 0), ("and plums", 0), ("pears", 2)]


def test_without_rules_every_word_can_go():
    units = units_of(LIST, rules=False)
    assert len(units) == 7  # all words but the comma
    assert units.lengths.tolist() == [1] * 7


def test_the_closest_choice_agrees_with_most_words():
    units = units_of(LIST)
    kept = np.array([True, True, False, True, False, True, False, False])  # pears, but not the conjunction
    assert units.kept_words(units.closest(kept)).tolist() == [True, True, False, True, False, False, False, False]


def test_no_word_between_blanks_is_divided():
    sentence = parsed(
        """
        state state NOUN 3 compound /
        - - PUNCT 1 punct /
        owned own VERB 4 amod
        banks bank NOUN 0 root
        """
    )
    units = units_of(sentence, rules=False)
    assert described(units) == [("banks", -1), ("state owned", 0)]


@pytest.mark.parametrize("label", ["nsubj", "obj", "aux", "det", "nummod", "nmod:poss"])
def test_fixed_labels(label):
    sentence = parsed(f"a a NOUN 2 {label}\nb b VERB 0 root")
    assert len(units_of(sentence)) == 1
    assert len(units_of(sentence, rules=False)) == 2


def test_negations_names_and_quotations_stay_whole():
    assert len(units_of(parsed("never never ADV 2 advmod\ncame come VERB 0 root"))) == 1
    assert len(units_of(parsed("New New PROPN 2 compound\nYork York PROPN 0 root"))) == 1
    quoted = parsed('" " PUNCT 3 punct\ngood good ADJ 3 amod\nidea idea NOUN 0 root\n" " PUNCT 3 punct')
    assert len(units_of(quoted)) == 1


@pytest.mark.parametrize("heads", [[-1, 0, 2], [0, 3, 2], [0, 1, 4], [0, 1, -7]])
def test_sentences_without_trees(heads):
    sentence = Sentence(["a", "b", "c"], upos=["NOUN"] * 3, deprels=["dep"] * 3)
    sentence.heads[:] = heads
    with pytest.raises(InvalidInputError, match="sentences with trees; the heads of <Sentence of 3 words: a b c> form"):
        units_of(sentence)


def test_what_is_no_sentence():
    with pytest.raises(InvalidInputError, match=r"sentences .*; got str"):
        units_of("a b c")
