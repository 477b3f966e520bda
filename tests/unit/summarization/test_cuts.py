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
LIST = parsed("Dogs and cats bark .", "NOUN CCONJ NOUN VERB PUNCT", [4, 3, 1, 0, 4], "obj cc conj root punct")


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
