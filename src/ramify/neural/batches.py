"""Sentences as tensors of numbers, in batches of similar length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch

from ramify.neural.network import Batch
from ramify.neural.numbering import Numbering
from ramify.neural.vocabulary import NOTHING, Example, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor

    from ramify.neural.network import Pieces

__all__ = ["Corpus", "Encoding"]


class Encoding(Protocol):
    """What a pretrained encoder adds to sentences."""

    def rows(self, sentences: Sequence[Sequence[str]]) -> list[Any]:
        """Return what is kept of every sentence."""

    def batch(self, rows: Sequence[Any], device: str) -> Tensor | Pieces:
        """Return the vectors, or the pieces, of some sentences."""


class Corpus:
    """Sentences of a treebank as numbers, from which batches are made.

    Parameters
    ----------
    examples, vocabulary : the sentences, and the names that the network knows by number
    device : of the batches
    encoding : makes what a pretrained encoder adds to every sentence
    """

    def __init__(
        self,
        examples: Sequence[Example],
        vocabulary: Vocabulary,
        device: str = "cpu",
        encoding: Encoding | None = None,
    ) -> None:
        self.device = device
        self.encoding = encoding
        self.encoded = [] if encoding is None else encoding.rows([example.forms for example in examples])
        self.lengths = np.array([len(example.forms) + 1 for example in examples])
        self._numbering = numbering = Numbering(vocabulary)
        labels = {name: i for i, name in enumerate(vocabulary.labels)}
        self.rows = []
        for example in examples:
            forms = [0, *map(numbering.form, example.forms)]
            numbers = [
                [numbering.word(form) for form in forms],
                numbering.tags(0, example.upos),
                numbering.tags(1, example.xpos),
                numbering.tags(2, example.feats),
                forms,
                [-1, *example.heads],
                [-1, *(labels.get(label, -1) for label in example.labels)],
            ]
            self.rows.append(np.array(numbers, np.int64))

    def __len__(self) -> int:
        return len(self.rows)

    def batch(self, chosen: Sequence[int]) -> Batch:
        """Make a batch of some sentences."""
        lengths = self.lengths[list(chosen)]
        packed = np.zeros((7, len(chosen), lengths.max()), np.int64)
        packed[5:] = -1
        for i, sentence in enumerate(chosen):
            packed[:, i, : lengths[i]] = self.rows[sentence]
        forms, rows = np.unique(packed[4], return_inverse=True)
        spellings = [self._numbering.spelling(form) for form in forms.tolist()]
        sizes = np.array([len(spelling) for spelling in spellings])
        table = np.full((len(forms), sizes.max()), NOTHING, np.int64)
        for i, spelling in enumerate(spellings):
            table[i, : sizes[i]] = spelling
        packed[4] = rows.reshape(packed[4].shape)
        tensor, spelled = (torch.from_numpy(x).to(self.device) for x in (packed, table))
        return Batch(
            torch.from_numpy(lengths),
            tensor[0],
            tensor[1:4],
            tensor[4],
            spelled,
            torch.from_numpy(sizes),
            tensor[5],
            tensor[6],
            None if self.encoding is None else self.encoding.batch([self.encoded[i] for i in chosen], self.device),
        )

    def in_order(self, size: int) -> Iterator[list[int]]:
        """Yield all sentences, sorted by length, in batches of about `size` words."""
        yield from _cut(np.argsort(self.lengths, kind="stable"), self.lengths, size)

    def shuffled(self, size: int, random: np.random.Generator) -> list[list[int]]:
        """Return all sentences in batches of similar length, in random order."""
        near = np.argsort(self.lengths + random.uniform(0, 4, len(self.lengths)), kind="stable")
        batches = list(_cut(near, self.lengths, size))
        return [batches[i] for i in random.permutation(len(batches))]


def _cut(order: np.ndarray, lengths: np.ndarray, size: int) -> Iterator[list[int]]:
    batch: list[int] = []
    words = 0
    for i in order.tolist():
        if batch and words + lengths[i] > size:
            yield batch
            batch, words = [], 0
        batch.append(i)
        words += int(lengths[i])
    if batch:
        yield batch
