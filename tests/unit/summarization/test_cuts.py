from __future__ import annotations

import pytest

from ramify.compression.surface import pieces_of, text_of
from ramify.compression.units import units_of
from ramify.data import Sentence
from ramify.summarization.cuts import safe_units


def parsed(text, upos, heads, labels):
    forms = text.split()
    return Sentence(
        forms, lemmas=[form.lower() for form in forms], upos=upos.split(), heads=heads, deprels=labels.split()
    )


RELATIVE = parsed(
    "The mill , which stood there , burned .", "DET NOUN PUNCT PRON VERB ADV PUNCT VERB PUNCT",
    [2, 8, 5, 5, 2, 5, 2, 0, 8], "det nsubj punct nsubj acl:relcl advmod punct root punct",
)  # fmt: skip
ARGUMENT = parsed("It depends on rain .", "PRON VERB ADP NOUN PUNCT", [2, 0, 4, 2, 2], "nsubj root case obl punct")
CONDITION = parsed(
    "We leave , if he comes .", "PRON VERB PUNCT SCONJ PRON VERB PUNCT", [2, 0, 2, 6, 6, 2, 2],
    "nsubj root punct mark nsubj advcl punct",
)  # fmt: skip
LIST = parsed(
    "We like dogs and cats .", "PRON VERB NOUN CCONJ NOUN PUNCT", [2, 0, 2, 5, 3, 2], "nsubj root obj cc conj punct"
)


@pytest.mark.parametrize(
    ("sentence", "shortest"),
    [(RELATIVE, "The mill burned."), (ARGUMENT, "It depends on rain."), (CONDITION, "We leave, if he comes.")],
)
def test_what_stays_is_a_sentence(sentence, shortest):
    units = safe_units(units_of(sentence))
    kept = units.heads < 0
    assert " ".join(text_of(pieces_of(units, units.kept_words(kept))).split()).replace(" ,", ",") == shortest.replace(
        " .", "."
    )


def test_sums_are_those_of_all_units():
    for sentence in (RELATIVE, ARGUMENT, CONDITION, LIST):
        before, after = units_of(sentence), safe_units(units_of(sentence))
        assert after.lengths.sum() == before.lengths.sum()
        assert after.characters.sum() == before.characters.sum()
        assert (after.heads < range(len(after))).all()
        assert set(after.unit.tolist()) - {-1} == set(range(len(after)))
    assert len(safe_units(units_of(LIST))) == 2


UNSURE = {
    "no subject": (
        "To win we used rules , and left .", "PART VERB PRON VERB NOUN PUNCT CCONJ VERB PUNCT",
        [2, 0, 4, 2, 4, 8, 8, 2, 2], "mark root nsubj acl:relcl obj punct cc conj punct",
    ),
    "a subject with a preposition": (
        "As a rule , Smith , our friend , wins .", "ADP DET NOUN PUNCT PROPN PUNCT PRON NOUN PUNCT VERB PUNCT",
        [3, 3, 10, 3, 3, 8, 8, 5, 8, 0, 10], "case det nsubj punct appos punct nmod:poss appos punct root punct",
    ),
    "members that are counted": (
        "It has parts : ( a ) wheels , and ( b ) wings .",
        "PRON VERB NOUN PUNCT PUNCT NOUN PUNCT NOUN PUNCT CCONJ PUNCT NOUN PUNCT NOUN PUNCT",
        [2, 0, 2, 6, 6, 8, 6, 3, 14, 14, 12, 14, 12, 8, 2],
        "nsubj root obj punct punct dep punct appos punct cc punct dep punct conj punct",
    ),
    "a part of what is in brackets": (
        "We cite work ( Smith and Jones ) .", "PRON VERB NOUN PUNCT NOUN CCONJ NOUN PUNCT PUNCT",
        [2, 0, 2, 5, 3, 7, 5, 5, 2], "nsubj root obj punct dep cc conj punct punct",
    ),
    "names of a citation": (
        "We follow Smith and Jones ( 2000 ) .", "PRON VERB PROPN CCONJ PROPN PUNCT NUM PUNCT PUNCT",
        [2, 0, 2, 5, 3, 7, 3, 7, 2], "nsubj root obj cc conj punct nummod punct punct",
    ),
    "perhaps an object": (
        "It cuts and sorts words .", "PRON VERB CCONJ NOUN NOUN PUNCT", [2, 0, 4, 2, 4, 2],
        "nsubj root cc dep conj punct",
    ),
    "an object of two verbs": (
        "It helps to find and sort words .", "PRON VERB PART VERB CCONJ VERB NOUN PUNCT", [2, 0, 4, 2, 6, 4, 6, 2],
        "nsubj root mark xcomp cc conj obj punct",
    ),
    "a clause that is not a member": (
        "We like rain and snow is used .", "PRON VERB NOUN CCONJ NOUN AUX NOUN PUNCT", [2, 0, 2, 7, 7, 7, 3, 2],
        "nsubj root obj cc nsubj cop conj punct",
    ),
    "both": (
        "It links both cats and dogs .", "PRON VERB DET NOUN CCONJ NOUN PUNCT", [2, 0, 2, 2, 6, 4, 2],
        "nsubj root dep obj cc conj punct",
    ),
    "a comparison": (
        "It is near or better than rain .", "PRON AUX ADJ CCONJ ADJ ADP NOUN PUNCT", [3, 3, 0, 5, 3, 7, 3, 3],
        "nsubj cop root cc conj case dep punct",
    ),
    "a list of three": (
        "We sell hats , coats , and shoes .", "PRON VERB NOUN PUNCT NOUN PUNCT CCONJ NOUN PUNCT",
        [2, 0, 2, 5, 3, 8, 8, 3, 2], "nsubj root obj punct dep punct cc conj punct",
    ),
    "a clause with if": (
        "If it rains at night , we leave .", "SCONJ PRON VERB ADP NOUN PUNCT PRON VERB PUNCT",
        [3, 3, 0, 5, 3, 8, 8, 3, 3], "mark nsubj root case obl punct nsubj parataxis punct",
    ),
    "not only and but": (
        "It is not only new for us but old .", "PRON AUX PART ADV ADJ ADP PRON CCONJ ADJ PUNCT",
        [5, 5, 5, 5, 0, 7, 5, 9, 7, 5], "nsubj cop advmod advmod root case obl cc conj punct",
    ),
    "a word with a hyphen at the end of a line": (
        "It runs on file- based disks .", "PRON VERB ADP NOUN ADJ NOUN PUNCT", [2, 0, 4, 6, 6, 2, 2],
        "nsubj root case nmod amod obj punct",
    ),
    "a predicate": (
        "We know cases where sense is in use .", "PRON VERB NOUN ADV NOUN AUX ADP NOUN PUNCT",
        [2, 0, 2, 8, 8, 8, 8, 3, 2], "nsubj root obj advmod nsubj cop case nmod punct",
    ),
    "a bracket without its partner": (
        "We like it , ) often , and we win .", "PRON VERB PRON PUNCT PUNCT ADV PUNCT CCONJ PRON VERB PUNCT",
        [2, 0, 2, 6, 6, 2, 10, 10, 10, 2, 2], "nsubj root obj punct punct advmod punct cc nsubj conj punct",
    ),
    "an agent": (
        "It is guided in part by rules .", "PRON AUX VERB ADP NOUN ADP NOUN PUNCT", [3, 3, 0, 5, 3, 7, 3, 3],
        "nsubj:pass aux:pass root case dep case obl punct",
    ),
    "the object of a preposition with its clause behind": (
        "It does more in what we see .", "PRON VERB NOUN ADP PRON PRON VERB PUNCT", [2, 0, 2, 5, 2, 7, 2, 2],
        "nsubj root obj case obl nsubj dep punct",
    ),
    "an indirect question": (
        "We show when it rains .", "PRON VERB ADV PRON VERB PUNCT", [2, 0, 5, 5, 2, 2],
        "nsubj root advmod nsubj ccomp punct",
    ),
    "a subject taken for an apposition": (
        "We use rules , Smith finds words .", "PRON VERB NOUN PUNCT PROPN VERB NOUN PUNCT", [2, 0, 2, 5, 3, 2, 6, 2],
        "nsubj root obj punct appos parataxis obj punct",
    ),
    "a set phrase": (
        "It takes time into account .", "PRON VERB NOUN ADP NOUN PUNCT", [2, 0, 2, 5, 2, 2],
        "nsubj root obj case obl punct",
    ),
    "a clause before the verb without a pronoun": (
        "The way we use is new .", "DET NOUN PRON VERB AUX ADJ PUNCT", [2, 6, 4, 2, 6, 0, 6],
        "det nsubj nsubj acl:relcl cop root punct",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSURE)
def test_nothing_is_cut_where_the_tree_is_unsure(name):
    units = units_of(parsed(*UNSURE[name]))
    assert len(units) > 1
    assert len(safe_units(units)) == 1


def test_a_citation_can_go_as_a_whole_and_leaves_the_comma_of_a_list():
    sentence = parsed(
        "We use A ( Och , 2003 ) , B and C .", "PRON VERB PROPN PUNCT PROPN PUNCT NUM PUNCT PUNCT X CCONJ X PUNCT",
        [2, 0, 2, 5, 3, 7, 5, 5, 10, 3, 12, 3, 2],
        "nsubj root obj punct appos punct nmod punct punct dep cc dep punct",
    )  # fmt: skip
    units = safe_units(units_of(sentence))
    kept = units.heads < 0
    assert text_of(pieces_of(units, units.kept_words(kept))) == "We use A, B and C."
