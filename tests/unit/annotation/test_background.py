"""Training in the background: only a parser that is better on what was held out is taken."""

from __future__ import annotations

import types

import pytest

from ramify.annotation import background
from ramify.annotation.background import BackgroundTraining
from ramify.errors import InvalidInputError
from ramify.parsing import Parser


class Judged:
    """A parser whose LAS is known."""

    def __init__(self, las):
        self.las = las
        self.seen = []

    def evaluate(self, sentences):
        self.seen = [s.sent_id for s in sentences]
        return types.SimpleNamespace(las=types.SimpleNamespace(f1=self.las))


@pytest.mark.parametrize(("las", "swapped"), [(0.9, True), (0.1, False)])
def test_the_better_parser_is_taken(session, monkeypatch, las, swapped):
    fresh, trained = Judged(las), []
    monkeypatch.setattr(
        background, "Parser", types.SimpleNamespace(train=lambda train, preset: (trained.extend(train), fresh)[1])
    )
    taken = []
    monkeypatch.setattr(session, "use", taken.append)
    session.reparser.parser = Judged(0.5)
    training = BackgroundTraining(10)
    marks = session.document.marks
    for i in range(9):
        marks[i] = type(marks[i])(state="done")
    training.step(session)
    assert trained == []  # one too few
    marks[9] = type(marks[9])(state="done")
    training.step(session)
    training.close(20)
    assert len(trained) == 8
    assert not {s.sent_id for s in trained} & set(fresh.seen)
    training.step(session)
    assert taken == ([fresh] if swapped else [])
    assert "held-out sentences" in training.report


def test_training_that_fails_is_reported(session, monkeypatch):
    def fail(train, preset):
        raise InvalidInputError("too few")

    monkeypatch.setattr(background, "Parser", types.SimpleNamespace(train=fail))
    marks = session.document.marks
    for i in range(6):
        marks[i] = type(marks[i])(state="done")
    training = BackgroundTraining(5)
    training.step(session)
    training.close(20)
    assert training.report == "too few"


def test_a_real_parser_is_trained_and_used(session):
    """The session begins with a parser of two sentences; one that saw eighty is better on the twenty held out."""
    document = session.document
    weak = Parser.train(train=[document.sentence(i) for i in (190, 195)], preset="first")
    session.use(weak)
    training = BackgroundTraining(100)
    for i in range(100):
        session.act(i, {"do": "accept"})
    held = [document.sentence(i) for i in range(100) if i % 5 == 4]
    training.step(session)
    training.close(60)
    training.step(session)
    assert session.reparser.parser is not weak
    assert training.num_used == 1
    better = session.reparser.parser.evaluate(held).las.f1
    assert better > weak.evaluate(held).las.f1
    assert training.report.startswith(f"LAS on 20 held-out sentences: {better:.3f} trained here, ")
    assert session.act(150, {"do": "head", "word": 1, "head": 0})["words"][0]["head"] == 0
