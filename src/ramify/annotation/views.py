"""What is shown of a sentence, as plain values for JSON."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.annotation.blocks import lines_of
from ramify.validation import Validator

if TYPE_CHECKING:
    import numpy.typing as npt

    from ramify.annotation.marks import Marks
    from ramify.annotation.reparse import Tree
    from ramify.data import Sentence

__all__ = ["describe", "likely_heads"]

_LEAST = 0.001
_SHOWN = 9


def describe(
    block: bytes, tree: Tree, tagged: Sentence, marks: Marks, dense: npt.NDArray[np.float64] | None, *, checked: bool
) -> dict[str, Any]:
    """Return the words with their arcs and probabilities, and everything else that the sentence has.

    Parameters
    ----------
    block : the sentence in the file
    tree : what is shown of it
    tagged : the sentence with tags
    marks : the annotator's
    dense : probabilities of arcs under the decisions, indexed [head, modifier]
    checked : whether the rules of UD are checked, which are for CoNLL-U
    """
    lines = lines_of(block)
    rows = {line.word: line for line in lines if line.word}
    words = []
    for word, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True), 1):
        row, token = rows[word], tagged[word - 1]
        shown: dict[str, Any] = {"id": word, "form": row["FORM"], "lemma": token.lemma, "upos": token.upos}
        shown |= {"xpos": token.xpos, "feats": token.feats, "head": head, "label": label, "deps": row["DEPS"]}
        shown["misc"] = row["MISC"]
        if dense is not None:
            shown["probability"] = round(float(dense[head, word]), 4) if head >= 0 else 0.0
            shown["heads"] = likely_heads(dense[:, word])
        words.append(shown | {"mark": marks.of(word).to_json()})
    comments = [line.cells[0] for line in lines if len(line.cells) == 1 and line.cells[0].startswith("#")]
    facts = {key.strip(): value.strip() for key, mark, value in (c[1:].partition("=") for c in comments) if mark}
    return {
        "words": words,
        "multiword": [
            {"first": line.range[0], "last": line.range[1], "form": line["FORM"]} for line in lines if line.range
        ],
        "empty": [{"id": line.id, "form": line["FORM"], "deps": line["DEPS"]} for line in lines if line.empty],
        "sent_id": facts.get("sent_id", ""),
        "text": facts.get("text", "") or " ".join(tagged.forms),
        "note": facts.get("note", ""),
        "comments": comments,
        "state": marks.state,
        "rtl": _right_to_left(tagged.forms),
        "findings": findings(block) if checked else [],
    }


def likely_heads(column: npt.NDArray[np.float64]) -> list[list[float]]:
    """Return pairs of a head and its probability, likely ones first."""
    ranked = [int(h) for h in np.argsort(-column, kind="stable")[:_SHOWN] if column[h] >= _LEAST]
    return [[h, round(float(column[h]), 4)] for h in ranked]


def findings(block: bytes) -> list[dict[str, Any]]:
    """Return what the universal rules of UD say against a sentence."""
    lines = block.decode().split("\n")
    while len(lines) > 1 and not lines[-1].strip() and not lines[-2].strip():
        lines.pop()
    found = Validator().check([line.rstrip("\r") for line in lines])
    kept = [each for each in found if each.check not in ("missing-sent-id", "missing-text")]
    return [
        {"word": f.word, "column": f.column, "message": f.message, "check": f.check, "warning": f.warning} for f in kept
    ]


def _right_to_left(forms: tuple[str, ...]) -> bool:
    strong = [unicodedata.bidirectional(character) for form in forms for character in form]
    right = sum(kind in ("R", "AL") for kind in strong)
    return right > sum(kind == "L" for kind in strong)
