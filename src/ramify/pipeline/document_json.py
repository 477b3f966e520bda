"""Documents as JSON: the one form that `Doc.to_json`, `ramify.viz.to_json` and ``ramify parse --json`` write.

``document.schema.json``, beside this file, describes it for other programs.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ramify.data.ranks import rank_of
from ramify.pipeline.layout import layout_of, surface_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ramify.data import EmptyNode, MultiwordToken, Sentence
    from ramify.data.ranks import TreeRank
    from ramify.pipeline.layout import Layout

__all__ = ["VERSION", "SentenceFacts", "Spans", "document_to_json", "sentence_to_json"]

VERSION = 1
_COLUMNS = {"form": "forms", "lemma": "lemmas", "upos": "upos", "xpos": "xpos", "feats": "feats", "deprel": "deprels"}


@dataclass(frozen=True)
class SentenceFacts:
    """What is known of a sentence beyond its columns.

    Attributes
    ----------
    status : why there is no tree, ``"infeasible"`` or ``"too-long"``; None if there is one, or nothing is known
    rank : place of the tree among the k best ones
    probabilities : (n,) of the tree's own arcs
    alternatives : for each word, other heads and their probabilities
    """

    status: str | None = None
    rank: TreeRank | None = None
    probabilities: Sequence[float | None] | None = None
    alternatives: Sequence[Mapping[int, float]] | None = None


class Spans:
    """The characters that words cover; give it the sentences of a document in their order.

    Parameters
    ----------
    layout : of the whole document, if it is known; else MISC tells which spaces there are
    """

    def __init__(self, layout: Layout | None = None) -> None:
        self._layout = layout
        self._number = 0
        self._start = self._next = 0

    def of(self, sentence: Sentence, again: bool = False) -> tuple[list[tuple[int, int]], str]:
        """Return first character and end of every word, and the text of the sentence.

        Parameters
        ----------
        sentence : the next one
        again : whether it is the one before once more, with another tree
        """
        numbers = surface_numbers(sentence)
        if self._layout is not None:
            layout = self._layout
            first = int(layout.offsets[self._number])
            self._number += 1
            starts, ends = layout.starts[first:], layout.ends[first:]
            shift = 0
        else:
            layout = layout_of([sentence])
            starts, ends = layout.starts, layout.ends
            if not again:
                self._start, self._next = self._next, self._next + layout.size
            shift = self._start
        spans = [(int(starts[i]) + shift, int(ends[i]) + shift) for i in numbers.tolist()]
        return spans, layout.text[spans[0][0] - shift : spans[-1][1] - shift]


def document_to_json(
    sentences: Iterable[tuple[Sentence, SentenceFacts]], *, language: str | None = None, layout: Layout | None = None
) -> dict[str, Any]:
    """Return a document as what `json.dumps` takes.

    Parameters
    ----------
    sentences : columns, and what else is known of them
    language : if it is known
    layout : the text and the places of words in it, if they are known
    """
    spans = Spans(layout)
    value: dict[str, Any] = {"version": VERSION, "language": language}
    if layout is not None:
        value["text"] = layout.text
    return value | {"sentences": [sentence_to_json(sentence, facts, spans) for sentence, facts in sentences]}


def sentence_to_json(sentence: Sentence, facts: SentenceFacts, spans: Spans) -> dict[str, Any]:
    """Return one sentence of a document as what `json.dumps` takes."""
    rank = facts.rank or rank_of(sentence)
    places, text = spans.of(sentence, again=rank is not None and rank.rank > 1)
    value: dict[str, Any] = {"start": places[0][0], "end": places[-1][1], "text": text}
    if sentence.sent_id:
        value["sent_id"] = sentence.sent_id
    if sentence.comments:
        value["comments"] = sentence.comments
    if facts.status:
        value["status"] = facts.status
    if rank is not None:
        value["tree"] = {"rank": rank.rank, "score": rank.score, "probability": rank.probability}
    value["words"] = _words(sentence, facts, places)
    for name, rows in (("multiword_tokens", sentence.multiword_tokens), ("empty_nodes", sentence.empty_nodes)):
        if rows:
            value[name] = [_row(row) for row in rows]
    return value


def _words(sentence: Sentence, facts: SentenceFacts, places: list[tuple[int, int]]) -> list[dict[str, Any]]:
    columns = {name: getattr(sentence, attribute) for name, attribute in _COLUMNS.items()}
    extra = {"deps": sentence.deps, "misc": sentence.misc} if sentence.format == "conllu" else {}
    words = []
    for i, head in enumerate(sentence.heads.tolist()):
        word: dict[str, Any] = {"id": i + 1, "start": places[i][0], "end": places[i][1]}
        word |= {name: _value(column[i]) for name, column in columns.items()}
        word["form"] = columns["form"][i]
        word["head"] = None if head < 0 else head
        word |= {name: column[i] for name, column in extra.items() if column[i] != "_"}
        if facts.probabilities is not None and facts.probabilities[i] is not None:
            word["probability"] = facts.probabilities[i]
        if facts.alternatives is not None and facts.alternatives[i]:
            others = facts.alternatives[i].items()
            word["alternatives"] = [{"head": other, "probability": p} for other, p in others]
        words.append(word)
    return words


def _row(row: MultiwordToken | EmptyNode) -> dict[str, Any]:
    """Return all fields that have a value."""
    named = {field.name: getattr(row, field.name) for field in fields(row)}
    return {name: value for name, value in named.items() if name == "form" or value != "_"}


def _value(cell: str) -> str | None:
    return None if cell == "_" else cell
