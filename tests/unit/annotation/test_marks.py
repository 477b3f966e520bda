"""Decisions, and the constraints that they make."""

from __future__ import annotations

from ramify.annotation.marks import Mark, Marks
from ramify.parsing import Head, Label, NotHead

MARKS = Marks({1: Mark(head=2, forbidden=(3,)), 3: Mark(locked=True), 4: Mark(label="strange", moved=True)}, "done")


def test_constraints():
    found = MARKS.constraints({1: 5, 3: 1, 4: 1}, {1: "a", 3: "obj", 4: "b"}, {"obj", "nsubj"})
    assert found == [Head(1, 2), NotHead(1, 3), Head(3, 1), Label(3, "obj")]


def test_json_brings_all_back():
    assert Marks.of_json(MARKS.to_json()) == MARKS
    assert Marks.of_json(Marks().to_json()) == Marks()


def test_words_that_lose_all_decisions_are_forgotten():
    assert MARKS.with_word(3, locked=False).words.keys() == {1, 4}
    assert MARKS.without(1).of(1).is_empty


def test_new_numbers():
    def number(word):
        return -1 if word == 2 else word - (word > 2)

    found = MARKS.renumbered(number)
    assert found.words == {2: Mark(locked=True), 3: Mark(label="strange", moved=True)}  # 1 lost its head
