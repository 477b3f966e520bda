"""A sentence of a treebank: columns of words, and views of single tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ramify import _core
from ramify.drawable import Drawable
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

__all__ = ["EmptyNode", "MultiwordToken", "Sentence", "Token"]

NO_HEAD = -1
MAX_SENTENCE_BYTES = 1 << 25
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class MultiwordToken:
    """One surface token that stands for the words ``first`` to ``last`` (from 1, both included)."""

    first: int
    last: int
    form: str
    feats: str = "_"
    misc: str = "_"

    def _row(self) -> tuple[str, ...]:
        return (f"{self.first}-{self.last}", self.form, "_", "_", "_", self.feats, "_", "_", "_", self.misc)


@dataclass(frozen=True)
class EmptyNode:
    """Node number ``index`` (from 1) after word ``after``; it is in the enhanced graph only."""

    after: int
    index: int
    form: str = "_"
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    deps: str = "_"
    misc: str = "_"

    def _row(self) -> tuple[str, ...]:
        words = self.form, self.lemma, self.upos, self.xpos, self.feats
        return (f"{self.after}.{self.index}", *words, "_", "_", self.deps, self.misc)


def _check_cell(value: object, owner: str) -> str:
    if not isinstance(value, str) or not value or _CONTROL.search(value):
        raise InvalidInputError(
            f"{owner} expects non-empty strings without tabs, line breaks or other control characters ('_' for no "
            f"value); got {value!r}."
        )
    return value


class _TextColumn:
    """A column of text under the name of an attribute."""

    _what = ""

    def __init__(self, column: _core.Column, doc: str) -> None:
        self._column = column
        self.__doc__ = f"{doc}{self._what}, ``'_'`` for no value."

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name


class _WordColumn(_TextColumn):
    """A text column of a sentence: it is read as a tuple of n strings, and assigned as a whole."""

    _what = ": n strings"

    @overload
    def __get__(self, sentence: None, owner: type) -> _WordColumn: ...
    @overload
    def __get__(self, sentence: Sentence, owner: type) -> tuple[str, ...]: ...
    def __get__(self, sentence: Sentence | None, owner: type) -> tuple[str, ...] | _WordColumn:
        return self if sentence is None else sentence._core.column(self._column)

    def __set__(self, sentence: Sentence, values: Sequence[str]) -> None:
        sentence._core.set_column(self._column, _checked_column(self._name, values, len(sentence)))


class _WordCell(_TextColumn):
    """One word's cell of a text column."""

    @overload
    def __get__(self, token: None, owner: type) -> _WordCell: ...
    @overload
    def __get__(self, token: Token, owner: type) -> str: ...
    def __get__(self, token: Token | None, owner: type) -> str | _WordCell:
        return self if token is None else token._sentence._core.cell(token._index, self._column)

    def __set__(self, token: Token, value: str) -> None:
        token._sentence._core.set_cell(token._index, self._column, _check_cell(value, f"Token.{self._name}"))


class Sentence(Drawable):
    """A sentence as a compact store of columns.

    Word *i* (from 1) is item *i* − 1 of every column. Columns are tuples, so a change is an assignment of a whole
    column (``sentence.upos = tags``) or of one token's attribute (``sentence[3].upos = "VERB"``); ``heads`` is a
    numpy array that can be changed in place.

    Parameters
    ----------
    forms : n ≥ 1 strings
    lemmas, upos, xpos, feats, deprels, deps, misc : n strings each; ``"_"`` everywhere if not given
    heads : n integers; 0 is the root, −1 is no head; all −1 if not given
    comments : lines that start with ``#``
    multiword_tokens, empty_nodes : in the order of the words
    multiple_roots : whether several words may have head 0

    Examples
    --------
    >>> s = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> s.heads
    array([2, 0], dtype=int32)
    >>> s[0].form, s[0].head, s[0].deprel
    ('Dogs', 2, 'nsubj')
    """

    __slots__ = ("_core",)

    forms = _WordColumn(_core.Column.FORM, "Word forms")
    lemmas = _WordColumn(_core.Column.LEMMA, "Lemmas")
    upos = _WordColumn(_core.Column.UPOS, "Universal part-of-speech tags (CPOSTAG in CoNLL-X)")
    xpos = _WordColumn(_core.Column.XPOS, "Language-specific tags (POSTAG in CoNLL-X)")
    feats = _WordColumn(_core.Column.FEATS, "Morphological features as the file writes them")
    deprels = _WordColumn(_core.Column.DEPREL, "Dependency labels")
    deps = _WordColumn(_core.Column.DEPS, "Enhanced dependencies (PHEAD in CoNLL-X)")
    misc = _WordColumn(_core.Column.MISC, "Other annotation (PDEPREL in CoNLL-X)")

    def __init__(
        self,
        forms: Sequence[str],
        *,
        lemmas: Sequence[str] | None = None,
        upos: Sequence[str] | None = None,
        xpos: Sequence[str] | None = None,
        feats: Sequence[str] | None = None,
        heads: Sequence[int] | npt.NDArray[np.integer[Any]] | None = None,
        deprels: Sequence[str] | None = None,
        deps: Sequence[str] | None = None,
        misc: Sequence[str] | None = None,
        comments: Sequence[str] = (),
        multiword_tokens: Sequence[MultiwordToken] = (),
        empty_nodes: Sequence[EmptyNode] = (),
        multiple_roots: bool = False,
    ) -> None:
        n = len(forms)
        texts = {"forms": forms, "lemmas": lemmas, "upos": upos, "xpos": xpos, "feats": feats}
        texts |= {"heads": None, "deprels": deprels, "deps": deps, "misc": misc}
        columns: list[Sequence[str]] = [[str(i) for i in range(1, n + 1)]]
        for name, column in texts.items():
            if name == "heads" and heads is not None:
                column = ["_" if head == NO_HEAD else str(int(head)) for head in heads]
            columns.append(_checked_column(name, ["_"] * n if column is None else column, n))
        words = list(zip(*columns, strict=True))
        extra: dict[int, list[tuple[str, ...]]] = {}
        for node in empty_nodes:
            extra.setdefault(node.after, []).append(node._row())
        for token in multiword_tokens:
            extra.setdefault(token.first - 1, []).append(token._row())
        rows = extra.pop(0, [])
        for i, word in enumerate(words, 1):
            rows += [word, *extra.pop(i, [])]
        if extra:
            raise InvalidInputError(
                f"Sentence expects multiword tokens and empty nodes at its {n} words; got one at word {min(extra)}."
            )
        self._core = _parse_rows(_checked_comments(comments), rows, multiple_roots)

    @classmethod
    def _wrap(cls, core: _core.Sentence) -> Sentence:
        self = cls.__new__(cls)
        self._core = core
        return self

    def __len__(self) -> int:
        return len(self._core)

    def __iter__(self) -> Iterator[Token]:
        return (Token(self, i) for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> list[Token]: ...
    def __getitem__(self, index: int | slice) -> Token | list[Token]:
        """Token(s) by position, from 0; word *i* of the tree is item *i* − 1."""
        if isinstance(index, slice):
            return [Token(self, i) for i in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"Sentence of {len(self)} words has no item {index}.")
        return Token(self, position)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sentence):
            return NotImplemented
        return self.format == other.format and self.to_bytes() == other.to_bytes()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        forms = self.forms
        start = " ".join(forms[:8]) + (" …" if len(forms) > 8 else "")
        return f"<Sentence of {len(forms)} words: {start}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_bytes, (self.to_bytes(), self.format)

    def __copy__(self) -> Sentence:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Sentence:
        return self.copy()

    def copy(self) -> Sentence:
        """Return an independent copy."""
        return Sentence._wrap(self._core.copy())

    @property
    def format(self) -> str:
        """``"conllu"`` or ``"conllx"``: what columns nine and ten mean."""
        return "conllu" if self._core.format == _core.Format.CONLLU else "conllx"

    def to_bytes(self, format: str | None = None) -> bytes:
        """Return the sentence's lines as a file would hold them, in its own format if none is named."""
        return _core.to_bytes([self._core], core_format(format or self.format), first=False, last=True)

    def to_conllu(self) -> str:
        """Return the sentence's lines in CoNLL-U."""
        return self.to_bytes("conllu").decode()

    @property
    def heads(self) -> npt.NDArray[np.int32]:
        """Heads, shape (n,): 0 is the root, −1 is no head. The array is the sentence's own: change it in place."""
        return self._core.heads

    @heads.setter
    def heads(self, values: Sequence[int] | npt.NDArray[np.integer[Any]]) -> None:
        heads = np.asarray(values)
        n = len(self)
        if heads.shape != (n,) or heads.dtype.kind not in "iu":
            raise InvalidInputError(
                f"Sentence.heads expects {n} integers; got shape {heads.shape} of type {heads.dtype}."
            )
        check_heads(heads)
        self._core.heads[:] = heads

    @property
    def comments(self) -> list[str]:
        """Comment lines, each with its ``#``."""
        return self._core.comments()

    @comments.setter
    def comments(self, lines: Sequence[str]) -> None:
        self._core.set_comments(_checked_comments(lines))

    def metadata(self, key: str) -> str | None:
        """Return the value of the comment ``# key = value``, or None."""
        for line in self._core.comments():
            name, equals, value = line[1:].partition("=")
            if equals and name.strip() == key:
                return value.strip()
        return None

    def set_metadata(self, key: str, value: str) -> None:
        """Set the comment ``# key = value``: in its place if there is one, else as the last comment."""
        comments = self.comments
        line = f"# {key} = {value}"
        for i, old in enumerate(comments):
            name, equals, _ = old[1:].partition("=")
            if equals and name.strip() == key:
                comments[i] = line
                break
        else:
            comments.append(line)
        self.comments = comments

    @property
    def sent_id(self) -> str | None:
        """The sentence's identifier, from its comments."""
        return self.metadata("sent_id")

    @property
    def text(self) -> str | None:
        """The raw text, from the sentence's comments."""
        return self.metadata("text")

    @property
    def multiword_tokens(self) -> list[MultiwordToken]:
        """Surface tokens that stand for several words."""
        tokens = []
        for row in self._core.rows(_core.RowKind.RANGE):
            first, last = row[0].split("-")
            tokens.append(MultiwordToken(int(first), int(last), form=row[1], feats=row[5], misc=row[9]))
        return tokens

    @property
    def empty_nodes(self) -> list[EmptyNode]:
        """Nodes of the enhanced graph that are not words."""
        nodes = []
        for row in self._core.rows(_core.RowKind.EMPTY_NODE):
            after, index = row[0].split(".")
            nodes.append(EmptyNode(int(after), int(index), row[1], row[2], row[3], row[4], row[5], row[8], row[9]))
        return nodes


class Token:
    """A view of one word of a sentence; what is assigned here changes the sentence."""

    __slots__ = ("_index", "_sentence")

    form = _WordCell(_core.Column.FORM, "Word form")
    lemma = _WordCell(_core.Column.LEMMA, "Lemma")
    upos = _WordCell(_core.Column.UPOS, "Universal part-of-speech tag")
    xpos = _WordCell(_core.Column.XPOS, "Language-specific tag")
    feats = _WordCell(_core.Column.FEATS, "Morphological features")
    deprel = _WordCell(_core.Column.DEPREL, "Dependency label")
    deps = _WordCell(_core.Column.DEPS, "Enhanced dependencies")
    misc = _WordCell(_core.Column.MISC, "Other annotation")

    def __init__(self, sentence: Sentence, index: int) -> None:
        self._sentence = sentence
        self._index = index

    def __repr__(self) -> str:
        return f"<Token {self.id}: {self.form}>"

    @property
    def id(self) -> int:
        """Number of the word in its sentence, from 1."""
        return self._index + 1

    @property
    def sentence(self) -> Sentence:
        """The sentence that holds the word."""
        return self._sentence

    @property
    def head(self) -> int:
        """Number of the head: 0 is the root, −1 is no head."""
        return int(self._sentence._core.heads[self._index])

    @head.setter
    def head(self, head: int) -> None:
        n = len(self._sentence)
        if not NO_HEAD <= head <= n or head == self.id:
            raise InvalidInputError(
                f"Token.head of word {self.id} expects another word (1 to {n}), 0 (root) or -1 (none); got {head}."
            )
        self._sentence._core.heads[self._index] = head


def check_heads(heads: npt.NDArray[np.integer[Any]]) -> None:
    """Check that every head is another word of the sentence, the root (0) or none (−1)."""
    n = len(heads)
    bad = np.flatnonzero((heads < NO_HEAD) | (heads > n) | (heads == np.arange(1, n + 1)))
    if bad.size:
        word = int(bad[0])
        raise InvalidInputError(
            f"Sentence.heads expects other words (1 to {n}), 0 (root) or -1 (none); "
            f"got {int(heads[word])} as the head of word {word + 1}."
        )


def core_format(name: str) -> _core.Format:
    """Return the core's constant for a format name."""
    try:
        return {"conllu": _core.Format.CONLLU, "conllx": _core.Format.CONLLX}[name]
    except KeyError:
        raise InvalidInputError(f"format expects 'conllu' or 'conllx'; got {name!r}.") from None


def _checked_column(name: str, values: Sequence[str], n: int) -> list[str]:
    if len(values) != n or isinstance(values, str):
        raise InvalidInputError(f"Sentence.{name} expects {n} strings, one per word; got {len(values)}.")
    return [_check_cell(value, f"Sentence.{name}") for value in values]


def _checked_comments(lines: Sequence[str]) -> list[str]:
    for line in lines:
        if not line.startswith("#") or "\n" in line or "\r" in line:
            raise InvalidInputError(f"Sentence.comments expects single lines that start with '#'; got {line!r}.")
    return list(lines)


def _parse_rows(comments: list[str], rows: Sequence[tuple[str, ...]], multiple_roots: bool) -> _core.Sentence:
    # One set of checks for sentences from files and from memory: the reader's.
    lines = comments + ["\t".join(row) for row in rows]
    return _parse_one("\n".join(lines).encode() + b"\n\n", _core.Format.CONLLU, multiple_roots)


def _parse_one(text: bytes, format: _core.Format, multiple_roots: bool) -> _core.Sentence:
    reader = _core.Reader(format, True, multiple_roots, MAX_SENTENCE_BYTES)
    try:
        (sentence,) = reader.feed(text) or reader.finish()
    except _core.ParseFailure as failure:
        line, column, expected, found = failure.args
        where = f"{column} of line {line}" if column else f"line {line}"
        raise InvalidInputError(f"Sentence expects in {where} {expected}; got {found}.") from None
    return sentence


def _from_bytes(text: bytes, format: str) -> Sentence:
    return Sentence._wrap(_parse_one(text, core_format(format), True))
