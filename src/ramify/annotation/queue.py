"""In which order sentences come, what is left to do, and which sentences match a query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.annotation.blocks import lines_of
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.annotation.blocks import Line
    from ramify.annotation.session import Session

__all__ = ["ORDERS", "order", "progress", "search"]

ORDERS = ("file", "least-sure", "disagreement")
_FIELDS = {"form": "FORM", "lemma": "LEMMA", "upos": "UPOS", "xpos": "XPOS", "feats": "FEATS", "label": "DEPREL"}
_TERM = re.compile(r"(?:(form|lemma|upos|xpos|feats|label)[:=](\S+)|p([<>])([01]?\.?\d+)|(\S+))")


def order(session: Session, kind: str) -> list[int]:
    """Return the numbers of all sentences in an order.

    Parameters
    ----------
    session : with its file
    kind : ``"file"``; ``"least-sure"``, by the least probability of an arc; or ``"disagreement"``, by the number of
        words whose arc differs between the files
    """
    if kind not in ORDERS:
        raise InvalidInputError(f"The order must be one of {', '.join(ORDERS)}; got {kind!r}.")
    numbers = list(range(len(session)))
    if kind == "file":
        return numbers
    if kind == "least-sure":
        return sorted(numbers, key=lambda i: _least(session, i))
    if not session.others.names:
        raise InvalidInputError(
            "Only one file is open; the order disagreement needs another one (ramify annotate FILE --compare FILE)."
        )
    return sorted(numbers, key=lambda i: -num_disagreements(session, i))


def _least(session: Session, number: int) -> float:
    sure = session.scan.of(number)
    return float(sure.min()) if sure is not None and sure.size else 2.0


def num_disagreements(session: Session, number: int) -> int:
    """Return how many words have arcs that are not the same in all files."""
    others = session.others.compared(number, session.document.sentence(number))
    return len({word for other in others for word in other["differ"]})


def progress(session: Session) -> dict[str, Any]:
    """Return how much is done, and how many arcs are probably wrong in what is not.

    The probabilities are calibrated, so that the sum of 1 − p is the expected number of wrong heads. Words that are
    locked count as right.
    """
    states = [marks.state for marks in session.document.marks]
    wrong, least_known = 0.0, 0
    for number, marks in enumerate(session.document.marks):
        sure = session.scan.of(number)
        least_known += sure is not None
        if marks.state == "done" or sure is None or not sure.size:
            continue
        passed = [word - 1 for word, mark in marks.words.items() if mark.locked or mark.head is not None]
        wrong += float(np.sum(1 - sure)) - float(np.sum(1 - sure[[i for i in passed if i < sure.size]]))
    return {
        "sentences": len(session),
        "done": states.count("done"),
        "skipped": states.count("skipped"),
        "looked_at": least_known,
        "expected_errors": round(wrong, 1),
    }


def search(session: Session, query: str, most: int = 200) -> list[dict[str, Any]]:
    """Return words that match all terms of a query: their sentences, numbers and forms.

    Parameters
    ----------
    session : with its file
    query : terms such as ``form:walk``, ``upos:VERB``, ``label:nsubj``, ``p<0.5``; a word alone is part of a form
    most : how many matches are returned
    """
    terms = list(_TERM.finditer(query))
    if not terms:
        raise InvalidInputError("A query consists of terms such as form:walk, upos:VERB, label:nsubj or p<0.5.")
    found: list[dict[str, Any]] = []
    for number, block in enumerate(session.document.blocks):
        if not _may_match(block, terms):
            continue
        for line in _matching(session, number, lines_of(block), terms):
            found.append({"number": number, "word": line.word, "form": line["FORM"], "label": line["DEPREL"]})
            if len(found) == most:
                return found
    return found


def _may_match(block: bytes, terms: list[re.Match[str]]) -> bool:
    """Look at the bytes first: most sentences need not be taken apart."""
    folded = block.lower() if block.isascii() else block.decode().lower().encode()
    return all((term[2] or term[5] or "").lower().encode() in folded for term in terms)


def _matching(session: Session, number: int, lines: list[Line], terms: list[re.Match[str]]) -> Iterator[Line]:
    sure = session.scan.of(number)
    for line in lines:
        if line.word and all(_matches(line, term, sure) for term in terms):
            yield line


def _matches(line: Line, term: re.Match[str], sure: Any) -> bool:
    if term[1]:
        value, wanted = line[_FIELDS[term[1]]], term[2]
        if term[1] == "feats":
            return wanted in value.split("|")
        return value.lower() == wanted.lower() or (term[1] == "label" and value.partition(":")[0] == wanted)
    if term[3]:
        if sure is None or line.word > sure.size:
            return False
        return (
            bool(sure[line.word - 1] < float(term[4])) if term[3] == "<" else bool(sure[line.word - 1] > float(term[4]))
        )
    return term[5].lower() in line["FORM"].lower()
