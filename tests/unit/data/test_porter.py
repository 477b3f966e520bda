from __future__ import annotations

import pytest

from ramify.data.porter import porter_stem

# What the stemmer inside ROUGE-1.5.5 prints; bench/rouge.py compares whole summaries.
STEMS = {
    "caresses": "caress", "ponies": "poni", "cats": "cat", "feed": "feed", "agreed": "agre", "plastered": "plaster",
    "motoring": "motor", "sing": "sing", "conflated": "conflat", "hopping": "hop", "falling": "fall",
    "failing": "fail", "filing": "file", "happy": "happi", "sky": "sky", "relational": "relat", "valenci": "valenc",
    "triplicate": "triplic", "formative": "form", "vietnamization": "vietnam", "hopeful": "hope",
    "goodness": "good", "allowance": "allow", "adjustment": "adjust", "dependent": "depend", "adoption": "adopt",
    "probate": "probat", "rate": "rate", "controlling": "control", "roll": "roll", "syzygy": "syzygi", "as": "as",
    "yes": "ye", "agreement": "agreem",
}  # fmt: skip


@pytest.mark.parametrize("word", STEMS)
def test_stems(word):
    assert porter_stem(word) == STEMS[word]
