"""Sentences as tensors of numbers, in batches of similar length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from ramify.neural.network import Batch
from ramify.neural.vocabulary import NOTHING, ROOT, UNKNOWN, Example, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Corpus"]

LONGEST_FORM = 24
"""Characters of a form that are read; the rest of a longer one says little."""


class Corpus:
    """Sentences of a treebank as numbers, from which batches are made."""

    def __init__(self, examples: Sequence[Example], vocabulary: Vocabulary, device: str = "cpu") -> None:
        self.device = device
        self.lengths = np.array([len(example.forms) + 1 for example in examples])
        numbers = [
            {name: i for i, name in enumerate(names)}
            for names in (vocabulary.words, vocabulary.upos, vocabulary.xpos, vocabulary.feats, vocabulary.labels)
        ]
        words, upos, xpos, feats, labels = numbers
        forms: dict[str, int] = {"": 0}
        self._rows = [
            np.array(
                [
                    [ROOT, *(words.get(form.lower(), UNKNOWN) for form in example.forms)],
                    _numbered(upos, example.upos),
                    _numbered(xpos, example.xpos),
                    _numbered(feats, example.feats),
                    [0, *(forms.setdefault(form, len(forms)) for form in example.forms)],
                    [-1, *example.heads],
                    [-1, *(labels.get(label, -1) for label in example.labels)],
                ],
                np.int64,
            )
            for example in examples
        ]
        characters = {name: i for i, name in enumerate(vocabulary.characters)}
        self._spellings = [
            np.array([characters.get(c, UNKNOWN) for c in form[:LONGEST_FORM]] or [ROOT], np.int64) for form in forms
        ]

    def __len__(self) -> int:
        return len(self._rows)

    def batch(self, chosen: Sequence[int]) -> Batch:
        """Make a batch of some sentences."""
        lengths = self.lengths[list(chosen)]
        packed = np.zeros((7, len(chosen), lengths.max()), np.int64)
        packed[5:] = -1
        for i, sentence in enumerate(chosen):
            packed[:, i, : lengths[i]] = self._rows[sentence]
        forms, rows = np.unique(packed[4], return_inverse=True)
        spellings = [self._spellings[form] for form in forms]
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
        )

    def in_order(self, size: int) -> Iterator[list[int]]:
        """Yield all sentences, sorted by length, in batches of about `size` words."""
        yield from _cut(np.argsort(self.lengths, kind="stable"), self.lengths, size)

    def shuffled(self, size: int, random: np.random.Generator) -> Iterator[list[int]]:
        """Yield batches of sentences of similar length in random order, without end."""
        while True:
            near = np.argsort(self.lengths + random.uniform(0, 4, len(self.lengths)), kind="stable")
            batches = list(_cut(near, self.lengths, size))
            for i in random.permutation(len(batches)):
                yield batches[i]


def _numbered(numbers: Mapping[str, int], names: Sequence[str]) -> list[int]:
    return [ROOT, *(numbers.get(name, UNKNOWN) for name in names)]


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
