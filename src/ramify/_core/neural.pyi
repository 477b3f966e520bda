"""Networks that score parts."""

from typing import Annotated

import numpy
from numpy.typing import NDArray


class Output:
    @property
    def num_tokens(self) -> int: ...

    @property
    def arcs(self) -> object: ...

    @property
    def label_heads(self) -> object: ...

    @property
    def label_modifiers(self) -> object: ...

    @property
    def siblings(self) -> object: ...

    @property
    def grandparents(self) -> object: ...

    @property
    def tags(self) -> object: ...

class Network:
    def __init__(self, arrays: dict) -> None: ...

    def run(self, lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], tags: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], forms: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], characters: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], spelling_lengths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], num_threads: int) -> list[Output]: ...

    def label_scores(self, output: Output, heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], modifiers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]: ...

    @property
    def num_labels(self) -> int: ...

    @property
    def num_words(self) -> int: ...

    @property
    def num_characters(self) -> int: ...

    @property
    def num_tags(self) -> list[int]: ...

    @property
    def reads_tags(self) -> bool: ...

    @property
    def predicts_tags(self) -> bool: ...

    @property
    def rank(self) -> int: ...

    @property
    def quantised(self) -> bool: ...
