"""Results of the engine as plain values."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from ramify.data import Sentence
from ramify.records import Record, recorded

pytestmark = pytest.mark.engine


def test_a_record_answers_as_the_result_does(parser):
    words = ["I", "like", "it", "very", "much"]
    sentence = Sentence(words, upos=["PRON", "VERB", "PRON", "ADV", "ADV"])
    parse = parser.parse(sentence, marginals=True, k=2)._parse
    assert parse.k_best
    for record in (recorded(parse), pickle.loads(pickle.dumps(recorded(parse), 2)), copy.deepcopy(recorded(parse))):
        assert record.status == parse.status
        np.testing.assert_array_equal(record.arc_marginals(), parse.arc_marginals())
        assert record.tree.value == parse.tree.value
        assert [tree.value for tree in record.k_best] == [tree.value for tree in parse.k_best]
        np.testing.assert_array_equal(record.k_best[-1].heads(), parse.k_best[-1].heads())
    with pytest.raises(AttributeError, match="a Record has no 'length'"):
        _ = record.length


def test_what_is_no_result_stays():
    assert recorded(3) == 3
    record = Record({"a": 1})
    assert recorded(record) is record
