"""Labels of a sequence that mark spans: IOB1, IOB2 and BIOES, and conversion between them."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["LabelScheme", "Span", "convert_labels", "encode_spans", "find_spans"]


class LabelScheme(enum.Enum):
    """How a label says where a span begins and ends.

    IOB1 writes ``B-`` only where a span follows one of the same type without a gap; IOB2 writes ``B-`` at every
    beginning; BIOES also marks the end (``E-``) and spans of one word (``S-``).
    """

    IOB1 = "iob1"
    IOB2 = "iob2"
    BIOES = "bioes"


class Span(NamedTuple):
    """Words ``start`` to ``end`` (from 0, ``end`` not included) form a span of type ``type``."""

    start: int
    end: int
    type: str


def _split(label: str, position: int) -> tuple[str, str]:
    if label == "O":
        return "O", ""
    prefix, dash, kind = label.partition("-")
    if prefix not in ("B", "I", "E", "S") or not dash or not kind:
        raise InvalidInputError(
            f"A span label is 'O' or one of B-, I-, E-, S- and a type, such as 'B-NP'; got {label!r} (item {position})."
        )
    return prefix, kind


def find_spans(labels: Iterable[str]) -> list[Span]:
    """Return the spans that a label sequence marks, in any of the schemes.

    Ill-formed sequences are read as the CoNLL shared tasks' ``conlleval`` reads them: a span begins at ``B`` or
    ``S``, after ``O``, ``E`` or ``S``, and wherever the type changes.
    """
    spans: list[Span] = []
    start = -1
    previous, previous_kind = "O", ""
    position = -1
    for position, label in enumerate(labels):
        prefix, kind = _split(label, position)
        ends = previous != "O" and (prefix in "BSO" or previous in "ES" or kind != previous_kind)
        if ends:
            spans.append(Span(start, position, previous_kind))
        if prefix != "O" and (previous == "O" or ends):
            start = position
        previous, previous_kind = prefix, kind
    if previous != "O":
        spans.append(Span(start, position + 1, previous_kind))
    return spans


def encode_spans(spans: Iterable[Span], length: int, scheme: LabelScheme | str) -> list[str]:
    """Return the labels of ``length`` words that mark the spans in a scheme."""
    scheme = LabelScheme(scheme)
    labels = ["O"] * length
    end_before, type_before = -1, ""
    for start, end, kind in sorted(spans):
        if not 0 <= start < end <= length or start < end_before:
            raise InvalidInputError(
                f"encode_spans expects spans within {length} words that do not overlap; got {Span(start, end, kind)}."
            )
        labels[start:end] = [f"I-{kind}"] * (end - start)
        if scheme is not LabelScheme.IOB1 or (end_before == start and type_before == kind):
            labels[start] = f"B-{kind}"
        if scheme is LabelScheme.BIOES:
            labels[end - 1] = f"S-{kind}" if end - start == 1 else f"E-{kind}"
        end_before, type_before = end, kind
    return labels


def convert_labels(
    labels: Sequence[str], source: LabelScheme | str, target: LabelScheme | str, *, strict: bool = True
) -> list[str]:
    """Convert a label sequence from one scheme to another.

    Parameters
    ----------
    labels : n strings
    source, target : schemes, or their names
    strict : raise if ``labels`` are not well formed in ``source``; if False, read them as ``conlleval`` does

    Examples
    --------
    >>> convert_labels(["I-NP", "I-NP", "B-NP", "O"], "iob1", "bioes")
    ['B-NP', 'E-NP', 'S-NP', 'O']
    """
    spans = find_spans(labels)
    if strict:
        expected = encode_spans(spans, len(labels), source)
        for position, (label, wanted) in enumerate(zip(labels, expected, strict=True)):
            if label != wanted:
                name = LabelScheme(source).name
                raise InvalidInputError(
                    f"convert_labels expects {name} labels; got {label!r} at position {position}, where {name} has "
                    f"{wanted!r}. Pass strict=False to read the labels as they are."
                )
    return encode_spans(spans, len(labels), target)
