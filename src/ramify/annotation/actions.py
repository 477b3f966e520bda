"""What an annotator can do with a sentence: each action gives a new block and new marks."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ramify.annotation import structure
from ramify.annotation.blocks import Line, lines_of, with_cells, written
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ramify.annotation.marks import Marks
    from ramify.annotation.reparse import Tree

__all__ = ["ACTIONS", "Change", "Place"]

_NOTE = re.compile(r"#\s*note\s*=")
_EDITABLE = ("UPOS", "XPOS", "FEATS", "LEMMA")


@dataclass(frozen=True)
class Place:
    """Where an action happens.

    Attributes
    ----------
    blocks : the sentence, and the next one if there is one
    marks : decisions about the sentence
    tree : the present tree
    format : format of the file
    names : function that makes a new, unused ``sent_id`` from another one
    """

    blocks: Sequence[bytes]
    marks: Marks
    tree: Tree
    format: str
    names: Callable[[str], str]

    @property
    def enhanced(self) -> bool:
        """Whether the file has enhanced dependencies in column nine."""
        return self.format == "conllu"

    def word(self, given: dict[str, Any], name: str = "word", least: int = 1) -> int:
        """Return the number of a word that an action names."""
        value = given.get(name)
        n = len(self.tree.heads)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= n:
            raise InvalidInputError(f"The action expects {name} from {least} to {n}; got {value!r}.")
        return value


@dataclass(frozen=True)
class Change:
    """What an action does.

    Attributes
    ----------
    what : description of the change, for people
    marks : decisions about the new sentences
    blocks : the new sentences; None leaves them as they were
    count : how many sentences are replaced
    parse : whether the parser parses the sentence again
    tree : another tree
    """

    what: str
    marks: tuple[Marks, ...]
    blocks: tuple[bytes, ...] | None = None
    count: int = 1
    parse: bool = False
    tree: Tree | None = None


def _head(place: Place, given: dict[str, Any]) -> Change:
    word, head = place.word(given), place.word(given, "head", 0)
    if word == head:
        raise InvalidInputError(f"A word cannot be its own head; got the word {word}.")
    mark = place.marks.of(word)
    forbidden = tuple(other for other in mark.forbidden if other != head)
    label = mark.label
    if given.get("label"):
        label = _label_of(given)
    elif (label == "root") != (head == 0):
        label = None
    marks = place.marks.with_word(word, head=head, label=label, forbidden=forbidden, locked=False, moved=False)
    return Change(f"head of word {word}", (_reopened(marks),), parse=True)


def _label_of(given: dict[str, Any]) -> str:
    label = given.get("label")
    if not isinstance(label, str) or not re.fullmatch(r"[^\s|]{1,60}", label):
        raise InvalidInputError(f"The action expects a label without blanks; got {label!r}.")
    return label


def _label(place: Place, given: dict[str, Any]) -> Change:
    word = place.word(given)
    head = place.tree.heads[word - 1]  # the label is one of this arc
    marks = place.marks.with_word(word, head=head, label=_label_of(given), locked=False, moved=False)
    return Change(f"label of word {word}", (_reopened(marks),), parse=True)


def _forbid(place: Place, given: dict[str, Any]) -> Change:
    word = place.word(given)
    head = place.word({"head": place.tree.heads[word - 1]} | given, "head", 0)
    mark = place.marks.of(word)
    forbidden = tuple(sorted({*mark.forbidden, head}))
    kept = None if mark.head == head else mark.head
    marks = place.marks.with_word(word, head=kept, forbidden=forbidden, locked=False, moved=False)
    if kept is None:
        marks = marks.with_word(word, label=None)
    return Change(f"no arc from {head} to {word}", (_reopened(marks),), parse=True)


def _free(place: Place, given: dict[str, Any]) -> Change:
    word = place.word(given)
    return Change(f"decisions on word {word} dropped", (_reopened(place.marks.without(word)),), parse=True)


def _lock(place: Place, given: dict[str, Any]) -> Change:
    if "word" in given:
        word = place.word(given)
        return Change(f"word {word} accepted", (place.marks.with_word(word, locked=True, moved=False),))
    return Change("words passed", (_locked(place.marks, place.word(given, "through")),))


def _locked(marks: Marks, through: int) -> Marks:
    for word in range(1, through + 1):
        marks = marks.with_word(word, locked=True, moved=False)
    return marks


def _accept(place: Place, _: dict[str, Any]) -> Change:
    return Change("sentence accepted", (replace(_locked(place.marks, len(place.tree.heads)), state="done"),))


def _skip(place: Place, _: dict[str, Any]) -> Change:
    return Change("sentence skipped", (replace(place.marks, state="skipped"),))


def _reopen(place: Place, _: dict[str, Any]) -> Change:
    return Change("sentence opened again", (replace(place.marks, state=""),))


def _reopened(marks: Marks) -> Marks:
    return replace(marks, state="") if marks.state else marks


def _cell(place: Place, given: dict[str, Any]) -> Change:
    row, column, value = given.get("row"), given.get("column"), given.get("value")
    if column not in _EDITABLE or not isinstance(row, str) or not isinstance(value, str):
        raise InvalidInputError(f"The action expects row, column ({', '.join(_EDITABLE)}) and value; got {given!r}.")
    block = with_cells(place.blocks[0], {(row, str(column)): value})
    return Change(f"{column} of {row}", (_reopened(place.marks),), (block,), parse=True)


def _note(place: Place, given: dict[str, Any]) -> Change:
    text = given.get("text")
    if not isinstance(text, str) or re.search(r"[\x00-\x1f\x7f]", text) or len(text) > 2000:
        raise InvalidInputError(f"A note must be one line of text; got {text!r}.")
    lines = lines_of(place.blocks[0])
    at = next((i for i, line in enumerate(lines) if len(line.cells) == 1 and _NOTE.match(line.cells[0])), None)
    first_row = next(i for i, line in enumerate(lines) if line.is_row)
    made = [Line((f"# note = {text.strip()}",), lines[first_row].end)] if text.strip() else []
    start, end = (first_row, first_row) if at is None else (at, at + 1)
    return Change("note", (place.marks,), (written([*lines[:start], *made, *lines[end:]]),))


def _split_token(place: Place, given: dict[str, Any]) -> Change:
    word, at = place.word(given), given.get("at")
    if isinstance(at, bool) or not isinstance(at, int):
        raise InvalidInputError(f"The action expects at, a number of characters; got {at!r}.")
    multiword = bool(given.get("multiword")) and place.enhanced
    lines = structure.split_token(lines_of(place.blocks[0]), word, at, multiword=multiword, enhanced=place.enhanced)
    marks = place.marks.renumbered(lambda w: w + (w > word))
    return Change(f"word {word} split", (_reopened(marks),), (written(lines),))


def _join_tokens(place: Place, given: dict[str, Any]) -> Change:
    word = place.word(given)
    lines = structure.join_tokens(lines_of(place.blocks[0]), word, enhanced=place.enhanced)
    marks = place.marks.without(word).without(word + 1).renumbered(lambda w: w - (w > word))
    return Change(f"words {word} and {word + 1} joined", (_reopened(marks),), (written(lines),))


def _split_sentence(place: Place, given: dict[str, Any]) -> Change:
    word = place.word(given, least=2)
    lines = lines_of(place.blocks[0])
    old = next((line.cells[0] for line in lines if line.cells[0].startswith("# sent_id")), "")
    name = place.names(old.partition("=")[2].strip()) if old else ""
    halves = structure.split_sentence(lines, word, name, enhanced=place.enhanced)
    left = place.marks.renumbered(lambda w: w if w < word else -1)
    right = place.marks.renumbered(lambda w: 0 if w == 0 else w - word + 1 if w >= word else -1)
    marks = tuple(_reopened(mark) for mark in (left, right))
    return Change(f"sentence split at word {word}", marks, tuple(written(half) for half in halves))


def _join_sentences(place: Place, _: dict[str, Any]) -> Change:
    if len(place.blocks) < 2:
        raise InvalidInputError("This is the last sentence, so there is no next one to join it with.")
    one, two = (lines_of(block) for block in place.blocks)
    joined = structure.join_sentences(one, two, enhanced=place.enhanced)
    return Change("sentences joined", (_reopened(place.marks),), (written(joined),), count=2)


ACTIONS: dict[str, Callable[[Place, dict[str, Any]], Change]] = {
    "head": _head,
    "label": _label,
    "forbid": _forbid,
    "free": _free,
    "lock": _lock,
    "accept": _accept,
    "skip": _skip,
    "reopen": _reopen,
    "cell": _cell,
    "note": _note,
    "split_token": _split_token,
    "join_tokens": _join_tokens,
    "split_sentence": _split_sentence,
    "join_sentences": _join_sentences,
}
