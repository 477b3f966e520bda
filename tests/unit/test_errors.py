"""Errors cross process borders: a pool that cannot unpickle one would hang."""

from __future__ import annotations

import pickle

import pytest

from ramify import errors

MADE = {
    errors.InterruptedTrainingError: ("ended", 15),
    errors.MissingExtraError: ("spacy", "spacy", "to_spacy"),
    errors.ModelError: ("model", "vocab.json", "damaged"),
    errors.PatternError: ("X -> ", 5, "a name is missing"),
    errors.ParseError: ("a.conllu", 3, "HEAD", "a number", "x"),
}


@pytest.mark.parametrize("name", errors.__all__)
def test_pickles(name):
    kind = getattr(errors, name)
    error = kind(*MADE.get(kind, ("wrong",)))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert str(again) == str(error)
    assert issubclass(kind, (errors.RamifyError, UserWarning))
