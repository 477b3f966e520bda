"""Constraints on a tree that the user knows before parsing: heads, forbidden heads, labels and the root.

Constraints are given in Python, in column MISC (``Head=3``, ``NotHead=2,5``, ``Deprel=nsubj``, ``Root=Yes``) or in a
file of three columns separated by tabs: the sentence (its number from 1, or its ``sent_id``; ``id=7`` is the sentence
whose ``sent_id`` is 7), the number of a word, and the constraint as in MISC. Empty lines and lines that start with
``#`` are skipped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ramify.data.files import PathOrFile, file_name, open_for_reading, read_utf8
from ramify.errors import InvalidInputError, ParseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ramify.data import Sentence

__all__ = [
    "Constraint",
    "ConstraintFile",
    "Head",
    "Label",
    "NotHead",
    "Root",
    "check_constraints",
    "constraints_of_misc",
    "read_constraints",
]

_MAX_BYTES = 1 << 28
_FORMS = "Head=NUMBER, NotHead=NUMBER,…, Deprel=LABEL or Root=Yes"


@dataclass(frozen=True)
class _OnWord:
    """A condition on a word, which prints itself as column MISC has it: a key, and the value if there is one."""

    key: ClassVar[str]
    word: int

    def __str__(self) -> str:
        word, *value = vars(self).values()
        return f"word {word}: {self.key}={value[0] if value else 'Yes'}"


@dataclass(frozen=True)
class _OnHead(_OnWord):
    """A condition on the head of a word."""

    head: int


class Head(_OnHead):
    """Word `word` (from 1) has this head; 0 is the root."""

    key = "Head"


class NotHead(_OnHead):
    """Word `word` (from 1) does not have this head; 0 is the root."""

    key = "NotHead"


@dataclass(frozen=True)
class Label(_OnWord):
    """The arc into word `word` (from 1) has this label."""

    key = "Deprel"
    label: str


class Root(_OnWord):
    """Word `word` (from 1) has head 0, and no other word has."""

    key = "Root"


Constraint = Head | NotHead | Label | Root
_KEYS = tuple(kind.key for kind in (Head, NotHead, Label, Root))


def check_constraints(constraints: Iterable[Constraint], num_words: int, labels: Sequence[str]) -> list[Constraint]:
    """Check that constraints speak of words of the sentence and of labels that the model has.

    Parameters
    ----------
    constraints : of one sentence
    num_words : n
    labels : of the model
    """
    known = set(labels)
    found = list(constraints)
    for constraint in found:
        problem = _problem(constraint, num_words, known)
        if problem:
            raise InvalidInputError(f"A constraint expects {problem}; got {constraint!r}.")
    return found


def _problem(constraint: object, n: int, labels: set[str]) -> str:
    if not isinstance(constraint, _OnWord):
        return "Head, NotHead, Label or Root"
    if not 1 <= constraint.word <= n:
        return f"a word of the sentence, 1 to {n}"
    if isinstance(constraint, _OnHead) and (not 0 <= constraint.head <= n or constraint.head == constraint.word):
        return f"another word of the sentence (1 to {n}) or 0 (root) as head"
    if isinstance(constraint, Label) and constraint.label not in labels:
        return f"a label that the model has ({', '.join(sorted(labels)[:8])}, …)"
    return ""


def constraints_of_misc(sentence: Sentence) -> list[Constraint]:
    """Return the constraints in column MISC; sentences in CoNLL-X have no such column, and none.

    Raises
    ------
    InvalidInputError
        A value is malformed; the message says where.
    """
    if sentence.format != "conllu":
        return []
    found: list[Constraint] = []
    for word, misc in enumerate(sentence.misc, 1):
        if "=" not in misc:
            continue
        for item in misc.split("|"):
            if item.partition("=")[0] not in _KEYS:
                continue
            try:
                found += _parse(word, item)
            except ValueError:
                where = f"sentence {sentence.sent_id}, " if sentence.sent_id else ""
                raise InvalidInputError(
                    f"{where}word {word}: MISC expects constraints like {_FORMS}; got {item!r}."
                ) from None
    return found


def _parse(word: int, text: str) -> list[Constraint]:
    """Read one constraint as MISC writes it; a ValueError if it is none."""
    key, _, value = text.partition("=")
    if key == "Head":
        return [Head(word, _number(value))]
    if key == "NotHead":
        return [NotHead(word, _number(head)) for head in value.split(",")]
    if key == "Deprel" and value:
        return [Label(word, value)]
    if key == "Root" and value == "Yes":
        return [Root(word)]
    raise ValueError


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise ValueError
    return int(text)


class ConstraintFile:
    """Constraints of many sentences, as `read_constraints` gives them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lines: dict[int | str, list[tuple[int, Constraint]]] = {}
        self._used: set[int | str] = set()

    def _add(self, sentence: int | str, line: int, constraints: list[Constraint]) -> None:
        self._lines.setdefault(sentence, []).extend((line, constraint) for constraint in constraints)

    def of(self, sentence: Sentence, number: int, labels: Sequence[str]) -> list[Constraint]:
        """Return the constraints of a sentence.

        Parameters
        ----------
        sentence : the sentence
        number : its place in the input, from 1
        labels : of the model

        Raises
        ------
        ParseError
            One of them does not fit the sentence or the model; the error names its line.
        """
        keys: list[int | str] = [number]
        # Most files name sentences one way; comments are not searched for nothing.
        identifier = sentence.sent_id if any(isinstance(key, str) for key in self._lines) else None
        if identifier is not None:
            keys.append(identifier)
        found: list[Constraint] = []
        known = set(labels)
        for key in keys:
            for line, constraint in self._lines.get(key, ()):
                problem = _problem(constraint, len(sentence), known)
                if problem:
                    raise ParseError(self.name, line, "", problem, str(constraint))
                found.append(constraint)
            self._used.add(key)
        return found

    def unused(self) -> list[int | str]:
        """Return the sentences that the file names and `of` was never asked for."""
        return [sentence for sentence in self._lines if sentence not in self._used]


def read_constraints(source: PathOrFile) -> ConstraintFile:
    r"""Read a file of constraints.

    Parameters
    ----------
    source : path, ``"-"`` or an open file, as in `ramify.data.read`

    Raises
    ------
    ParseError
        The file is malformed; the error says where.

    Examples
    --------
    >>> import io
    >>> from ramify.data import Sentence
    >>> file = read_constraints(io.StringIO("1\t2\tRoot=Yes\n1\t1\tNotHead=0\n"))
    >>> file.of(Sentence(["Dogs", "bark"]), 1, ["nsubj", "root"])
    [Root(word=2), NotHead(word=1, head=0)]
    """
    name = file_name(source)
    content = bytearray()
    with open_for_reading(source) as file:
        for chunk in read_utf8(file, name):
            content += chunk
            if len(content) > _MAX_BYTES:
                raise ParseError(name, 0, "", f"at most {_MAX_BYTES} bytes of constraints", "more")
    found = ConstraintFile(name)
    for number, line in enumerate(bytes(content).split(b"\n"), 1):
        _read_line(found, number, line.rstrip(b"\r"))
    return found


def _read_line(found: ConstraintFile, number: int, line: bytes) -> None:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise ParseError(found.name, number, "", "UTF-8 text", f"byte 0x{line[error.start]:02X}") from None
    if not text.strip() or text.startswith("#"):
        return
    cells = text.split("\t")
    if len(cells) != 3:
        raise ParseError(
            found.name, number, "", "sentence, word, constraint with tabs between", f"{len(cells)} columns"
        )
    sentence: int | str = cells[0].removeprefix("id=")
    if not cells[0]:
        raise ParseError(found.name, number, "SENTENCE", "a number or a sent_id", "nothing")
    if cells[0].isascii() and cells[0].isdigit():
        sentence = _checked_number(found, number, "SENTENCE", cells[0])
    word = _checked_number(found, number, "WORD", cells[1])
    try:
        constraints = _parse(word, cells[2])
    except ValueError:
        raise ParseError(found.name, number, "CONSTRAINT", _FORMS, repr(cells[2])) from None
    found._add(sentence, number, constraints)


def _checked_number(found: ConstraintFile, line: int, column: str, text: str) -> int:
    try:
        number = _number(text)
    except ValueError:
        number = 0
    if number < 1:
        raise ParseError(found.name, line, column, "a number from 1", repr(text))
    return number
