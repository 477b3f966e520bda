"""Features of sentences: place, words, length, and how close they are to headline and input.

Martins & Smith (2009, section 4): position, and cosine with the headline and with the rest. Words and pairs of words
tell what a sentence does, such as *in this paper we*.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING

from ramify.summarization.concepts import STOP_WORDS, read_stems, step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ramify.summarization.concepts import Concepts
    from ramify.summarization.source import Source, SourceSentence

__all__ = ["sentence_features"]


def sentence_features(source: Source, concepts: Concepts, query: str = "") -> list[list[str]]:
    """Return for each sentence the names of what is true of it.

    Parameters
    ----------
    source : documents and sentences
    concepts : of the source
    query : what the summary shall be about
    """
    counts = Counter(stem for stems in concepts.stems for stem in set(stems.stems) if stem not in STOP_WORDS)
    norm = math.sqrt(sum(count * count for count in counts.values())) or 1.0
    title = {stem for line in (*source.headlines, query) for stem in read_stems(line).stems} - STOP_WORDS
    sizes = Counter(sentence.document for sentence in source.sentences)
    return [
        list(_of(sentence, sizes[sentence.document], stems.stems, counts, norm, title, concepts.genre))
        for sentence, stems in zip(source.sentences, concepts.stems, strict=True)
    ]


def _of(
    sentence: SourceSentence,
    size: int,
    stems: Sequence[str],
    counts: Counter[str],
    norm: float,
    title: set[str],
    genre: str,
) -> Iterator[str]:
    yield "s"
    yield f"s.g={genre}"
    place, part = step(sentence.number), 10 * sentence.number // size
    yield f"s.place,g={place},{genre}"
    yield f"s.part,g={part},{genre}"
    yield f"s.back,g={step(size - 1 - sentence.number)},{genre}"
    yield f"s.opens,g={sentence.opens},{genre}"
    length = step(len(stems))
    yield f"s.length={length}"
    yield f"s.length,g={length},{genre}"
    content = {stem for stem in stems if stem not in STOP_WORDS}
    near = sum(counts[stem] for stem in content) / (norm * math.sqrt(max(len(content), 1)))
    yield f"s.near={int(20 * near)}"
    yield f"s.near,g={int(20 * near)},{genre}"
    heard = len(content & title)
    yield f"s.heard={min(heard, 5)}"
    yield f"s.heard,g={min(heard, 5)},{genre}"
    yield f"s.digits={min(sum(stem.isdigit() for stem in stems), 5)}"
    yield f"s.end={sentence.text[-1:]}"
    yield f"s.brackets={'(' in sentence.text},{'[' in sentence.text}"
    yield f"s.first={' '.join(stems[:1])}"
    yield f"s.opening={' '.join(stems[:2])}"
    yield f"s.opening3={' '.join(stems[:3])}"
    for stem in set(stems):
        yield f"s.w={stem}"
    for pair in set(itertools.pairwise(stems)):
        yield f"s.b={pair[0]},{pair[1]}"
