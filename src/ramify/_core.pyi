"""The C++ core of ramify. Private: use the packages of ramify instead."""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray

def build_facts() -> dict[str, str]: ...

class ParseFailure(Exception):
    pass

class Format(enum.Enum):
    CONLLU = 0

    CONLLX = 1

class Column(enum.Enum):
    FORM = 1

    LEMMA = 2

    UPOS = 3

    XPOS = 4

    FEATS = 5

    DEPREL = 7

    DEPS = 8

    MISC = 9

class RowKind(enum.Enum):
    WORD = 0

    RANGE = 1

    EMPTY_NODE = 2

class Sentence:
    def __len__(self) -> int: ...
    @property
    def format(self) -> Format: ...
    def copy(self) -> Sentence: ...
    def column(self, column: Column) -> tuple[str, ...]: ...
    def set_column(self, column: Column, values: Sequence[str]) -> None: ...
    def cell(self, word: int, column: Column) -> str: ...
    def set_cell(self, word: int, column: Column, value: str) -> None: ...
    def rows(self, kind: RowKind) -> list[tuple[str, ...]]: ...
    @property
    def heads(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    def comments(self) -> list[str]: ...
    def set_comments(self, lines: Sequence[str]) -> None: ...

def to_bytes(sentences: Sequence[Sentence], format: Format, last: bool) -> bytes: ...

class Reader:
    def __init__(self, format: Format, strict: bool, multiple_roots: bool, max_sentence_bytes: int) -> None: ...
    def feed(self, chunk: bytes) -> list[Sentence]: ...
    def finish(self) -> list[Sentence]: ...
    def take_problems(self) -> list[tuple[int, str, str, str, str]]: ...
