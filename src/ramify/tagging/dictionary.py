"""Which labels words may have: from what they were seen with in training."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from ramify._core import tagging as _core
from ramify.data.files import open_for_reading
from ramify.errors import InvalidInputError
from ramify.tagging.lemmas import NEVER, least_characters
from ramify.tagging.sentences import AnySentence, column_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ramify.tagging.config import Config

__all__ = ["label_sets", "read_clusters"]

_SHARE = 0.05
Sets = tuple["npt.NDArray[np.uint64]", "npt.NDArray[np.uint16]", "npt.NDArray[np.uint16]"]


def label_sets(
    config: Config, sentences: Sequence[AnySentence], numbers: Sequence[Sequence[int]], labels: Sequence[str]
) -> Sets:
    """Return the dictionary of a model as `Frame` has it: keys, counts, labels.

    Parameters
    ----------
    config : of the model
    sentences : to learn from
    numbers : of the labels of each sentence
    labels : all labels of the model
    """
    model = config.model
    if model.dictionary == 0:
        return np.empty(0, np.uint64), np.empty(0, np.uint16), np.empty(0, np.uint16)
    columns = [
        list(itertools.chain.from_iterable(column_of(sentence, name) for sentence in sentences))
        for name in model.dictionary_columns
    ]
    keys = _core.dictionary_keys(columns).tolist()
    seen: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for key, number in zip(keys, itertools.chain.from_iterable(numbers), strict=True):
        seen[key][number] += 1
    whole = {i for i, label in enumerate(labels) if model.target == "lemma" and least_characters(label) == NEVER}
    others = set(range(len(labels)))
    if model.rare and model.restrict:
        others = {i for counts in seen.values() if counts.total() <= model.rare for i in counts} or others
    lists = [sorted(others - whole or others)]
    known = sorted(key for key, counts in seen.items() if counts.total() >= model.dictionary)
    # Where the dictionary only informs, labels that a word rarely has would hide what it mostly is.
    least = 0.0 if model.restrict else _SHARE
    lists += [[i for i in sorted(seen[key]) if seen[key][i] > least * seen[key].total()] for key in known]
    return (
        np.array(known, np.uint64),
        np.array([len(items) for items in lists], np.uint16),
        np.array(list(itertools.chain.from_iterable(lists)), np.uint16),
    )


def read_clusters(path: str) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32], tuple[str, ...]]:
    """Read lines of a word and its cluster with white space between; what follows on a line is left out.

    Returns
    -------
    Keys of the C words, ascending, shape (C,); numbers of their clusters, shape (C,); names of the clusters
    """
    words: dict[str, str] = {}
    with open_for_reading(path) as file:
        for number, line in enumerate(file, 1):
            cells = (line.decode() if isinstance(line, bytes) else line).split()
            if not cells:
                continue
            if len(cells) < 2:
                raise InvalidInputError(f"{path}:{number}: expected a word and its cluster; found {cells[0][:60]!r}.")
            words.setdefault(cells[0], cells[1])
    names = tuple(sorted(set(words.values())))
    place = {name: i for i, name in enumerate(names)}
    keys = _core.hash_texts(list(words))
    ids = np.array([place[name] for name in words.values()], np.uint32)
    order = np.unique(keys, return_index=True)[1]
    return keys[order], ids[order], names
