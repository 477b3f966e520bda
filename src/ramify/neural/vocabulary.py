"""Names that a network knows by number: words, characters, tags and labels."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NOTHING", "RESERVED", "ROOT", "UNKNOWN", "Example", "Vocabulary"]

NOTHING = 0
"""Number of the padding, and of what is dropped."""
UNKNOWN = 1
ROOT = 2
RESERVED = ("", "<unknown>", "<root>")


class Example(NamedTuple):
    """What a network reads of a sentence, and what it learns to predict: n words each."""

    forms: Sequence[str]
    upos: Sequence[str]
    xpos: Sequence[str]
    feats: Sequence[str]
    heads: Sequence[int]
    labels: Sequence[str]


@dataclass(frozen=True)
class Vocabulary:
    """Tuples of names. The numbers of `words`, `characters` and tags start with the reserved ones; labels' do not.

    `combinations` are the upos, xpos and feats that a word had in training; their numbers leave the reserved ones out.
    `encoder_width` is the size of the vectors of a pretrained encoder, which the network reads, too; 0: there is none.
    """

    words: tuple[str, ...]
    characters: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    labels: tuple[str, ...]
    combinations: tuple[tuple[int, int, int], ...] = ()
    encoder_width: int = 0

    @classmethod
    def collect(cls, examples: Sequence[Example], min_count: int = 1) -> Vocabulary:
        """Collect the names of training sentences; words that occur less often than `min_count` stay unknown."""
        words: Counter[str] = Counter()
        characters: Counter[str] = Counter()
        tags: tuple[Counter[str], ...] = (Counter(), Counter(), Counter())
        labels: Counter[str] = Counter()
        for example in examples:
            words.update(form.lower() for form in example.forms)
            for form in example.forms:
                characters.update(form)
            for counter, column in zip(tags, (example.upos, example.xpos, example.feats), strict=True):
                counter.update(column)
            labels.update(example.labels)
        frequent = (word for word, count in words.most_common() if count >= min_count)
        upos, xpos, feats = ((*RESERVED, *sorted(counter)) for counter in tags)
        number = [{name: i for i, name in enumerate(sorted(counter))} for counter in tags]
        seen = {names for e in examples for names in zip(e.upos, e.xpos, e.feats, strict=True)}
        combinations = tuple(sorted((number[0][u], number[1][x], number[2][f]) for u, x, f in seen))
        repeated = (character for character, count in characters.most_common() if count > 1)
        spelled = (*RESERVED, *repeated)
        return cls((*RESERVED, *frequent), spelled, upos, xpos, feats, tuple(sorted(labels)), combinations)
