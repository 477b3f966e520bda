from __future__ import annotations

import numpy as np
import pytest

from ramify.compression import aligned, kept_words, with_cuts
from ramify.compression.marks import load_marked
from ramify.data import Sentence
from ramify.errors import InvalidInputError


def test_marks_go_and_come():
    sentence = Sentence(("a", "b", "c"), misc=("_", "X=1", "Cut=Yes|Y=2"))
    kept = np.array([False, False, True])
    marked = with_cuts(sentence, kept)
    assert marked.misc == ("Cut=Yes", "X=1|Cut=Yes", "Y=2")
    assert kept_words(marked).tolist() == kept.tolist()
    assert sentence.misc[0] == "_"


def test_words_are_found_in_their_order():
    forms = ["The", "man", ",", "the", "one", "-", "eyed", "man"]
    assert aligned(forms, "the one-eyed man").tolist() == [True, False, False, False, True, False, True, True]
    assert aligned(forms, "man the the") is None
    assert aligned(forms, "woman") is None


def test_data_without_cuts_teach_nothing():
    with pytest.raises(InvalidInputError, match="Cut=Yes in MISC; found none in the sentences given"):
        load_marked([Sentence(("a",))], "train", None)
