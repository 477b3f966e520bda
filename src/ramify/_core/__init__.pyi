"""The C++ core of ramify. Private: use the packages of ramify instead."""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray

from ramify._core import (
    factors as factors,
    graph as graph,
    inference as inference,
    learn as learn,
    neural as neural,
    parsing as parsing,
    programs as programs,
    segmentation as segmentation,
    summarization as summarization,
    tagging as tagging
)


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

def to_bytes(sentences: Sequence[Sentence], format: Format, first: bool, last: bool) -> bytes: ...

class Reader:
    def __init__(self, format: Format, strict: bool, multiple_roots: bool, max_sentence_bytes: int) -> None: ...

    def feed(self, chunk: bytes) -> list[Sentence]: ...

    def finish(self) -> list[Sentence]: ...

    def take_problems(self) -> list[tuple[int, str, str, str, str]]: ...

def trees_max_arborescence(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, single_root: bool, num_threads: int, heads: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

def trees_log_partition(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, single_root: bool, num_threads: int, log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

def trees_marginals(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, single_root: bool, num_threads: int, marginals: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], complements: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')] | None, log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

def trees_messages(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, single_root: bool, num_threads: int, messages: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], log_z: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> int: ...

def trees_marginals_vjp(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], directions: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, single_root: bool, num_threads: int, products: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')]) -> int: ...

def trees_max_marginals(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, single_root: bool, num_threads: int, with_arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')], without_arc: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu')] | None, heads: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> int: ...

def trees_max_arborescence_of_arcs(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], modifiers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], num_words: int, single_root: bool, tree: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> bool: ...

def trees_k_best(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], k: int, single_root: bool) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

def trees_sample(scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], single_root: bool, seed: int, num_threads: int, heads: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')]) -> bool: ...

class ProjectiveOrder(enum.Enum):
    ARC = 0

    SIBLING = 1

    GRAND = 2

    GRAND_SIBLING = 3

    TRI_SIBLING = 4

def projective_log_partition(order: ProjectiveOrder, parts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: int, single_root: bool, num_threads: int) -> NDArray[numpy.float64]: ...

def projective_best_trees(order: ProjectiveOrder, parts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: int, single_root: bool, num_threads: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]: ...

def projective_marginals(order: ProjectiveOrder, parts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: int, single_root: bool, num_threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]: ...

def projective_marginals_vjp(order: ProjectiveOrder, parts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: int, single_root: bool, num_threads: int, direction: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]: ...

def projective_max_marginals(order: ProjectiveOrder, parts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: int, single_root: bool, num_threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]: ...

def projective_entropy(order: ProjectiveOrder, parts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: int, single_root: bool, num_threads: int) -> NDArray[numpy.float64]: ...

def projective_kl_divergence(order: ProjectiveOrder, parts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: int, single_root: bool, num_threads: int, other: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]: ...

def projective_sample(order: ProjectiveOrder, parts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: int, single_root: bool, num_threads: int, seed: int, num_samples: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]: ...

def projective_k_best(order: ProjectiveOrder, parts: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], stride: int, single_root: bool, num_threads: int, k: int) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]: ...

def is_tree(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], single_root: bool) -> bool: ...

def nonprojective_arcs(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]: ...

def crossing_arcs(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.uint8]: ...

def gap_degree(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int: ...

def projectivize(heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.int32], int]: ...
