"""What Python computes of sentences and texts: compressions, ROUGE, agreement, validation, search."""

from __future__ import annotations

import io
import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import ramify.data
from fuzz.calls import strange
from fuzz.texts import changed_bytes, sentences
from ramify.compression import Compressor, with_cuts
from ramify.evaluation import agreement, rouge
from ramify.search import search
from ramify.validation import Validator, validate

if TYPE_CHECKING:
    from fuzz.calls import Recorder


@cache
def compressor() -> Compressor:
    train = [with_cuts(s, np.arange(len(s)) % 3 > 0) for s in sentences()[:10]]
    return Compressor.train(train, train[:2], options={"training.epochs": 1})


def compress(r: Recorder) -> None:
    """Sentences whose heads are anything; whatever comes back keeps to its limits."""
    some = [r.pick(sentences()).copy() for _ in range(3)]
    for sentence in some:
        if r.chance(0.5):
            n = len(sentence)
            sentence._core.heads[int(r.rng.integers(n))] = r.pick([-1, -7, 10**8, 0, n, n + 1])
    most = r.pick([None, 1, 5, 10**9, 0, strange(r.rng)])
    rate = r.pick([None, 0.3, 1.0, 1e-300, math.nan, 2.0, strange(r.rng)])
    found = r.call("compress", compressor().compress, r.pick([some, [None], strange(r.rng)]), rate=rate, max_words=most)
    for compression in found or ():
        r.expect(not np.isnan(compression.score), "a score is NaN")
        words = compression.text.split()
        r.expect(not isinstance(most, int) or len(words) <= max(most, 1), f"{len(words)} words, {most} at most")


def score_texts(r: Recorder) -> None:
    """ROUGE of texts with everything in it: from 0 to 1, and 1 for a text with itself."""
    pieces = ["the", "cat", "Over-fitted", "\x00", "\n", "", "日本", "3.5", "e\u0301", "\ud800", " ", "--"]
    texts = [" ".join(r.pick(pieces) for _ in range(int(r.rng.integers(0, 8)))) for _ in range(3)]
    options: dict[str, Any] = {
        "stemming": r.chance(0.5),
        "many": r.pick(["average", "best", strange(r.rng)]),
        "max_words": r.pick([None, 1, 100, 0, -1, strange(r.rng)]),
    }
    references = r.pick([[[t] for t in texts], [texts] * 3, [[]] * 3, texts, strange(r.rng)])
    scores = r.call("rouge", rouge, r.pick([texts, [texts] * 3, strange(r.rng)]), references, **options)
    for found in (scores or {}).values():
        for values in (found.recall, found.precision, found.f1):
            r.expect(((values >= 0) & (values <= 1)).all(), f"a score of {found.metric} is not in [0, 1]")
    itself = r.right("rouge", rouge, ["a cat sat", texts[0]], [["a cat sat"], [texts[1]]])
    r.expect(all(found.f1[0] == 1.0 for found in itself.values()), "a text is not like itself")


def check(r: Recorder) -> None:
    """Validation of treebanks whose bytes were changed: findings, and never an error of its own."""
    data = changed_bytes(r)
    findings = r.call("validate", lambda: list(validate(io.BytesIO(data), level=r.pick([1, 2, 3]))))
    for finding in findings or ():
        r.expect(finding.line >= 0, f"a finding is on line {finding.line}")
    lines = data.decode(errors="replace").split("\n")
    r.call("Validator.check", Validator(r.pick([1, 2, 3])).check, lines[:20])


def compare(r: Recorder) -> None:
    """Agreement of treebanks that may differ in anything, and patterns that may be wrong."""
    ours = [r.pick(sentences()).copy() for _ in range(3)]
    theirs = [sentence.copy() for sentence in ours]
    for sentence in theirs:
        sentence._core.heads[int(r.rng.integers(len(sentence)))] = r.pick([0, 1, 10**8, -1])
    options = {"samples": r.pick([10, 100, 100, 1, 0, -1]), "confidence": r.pick([0.95, 0.95, 0.0, 1.0, math.nan])}
    found = r.call("agreement", agreement, ours, r.pick([theirs, theirs[:1], ours[::-1], []]), **options)
    if found is not None:
        r.expect(0.0 <= found.uas.value <= 1.0, "a share is not in [0, 1]")
    clauses = ["V [upos=VERB]", "V -[nsubj]-> S", "S << V", "S.lemma = V.lemma", "X [form=/a(/]", "[", "\x00"]
    pattern = r.pick(["; ", " "]).join(r.pick(clauses) for _ in range(int(r.rng.integers(0, 4))))
    r.call("search", lambda: list(search(ours, pattern)))


def read_documents(r: Recorder) -> None:
    """Column files, documents and references with bytes that are changed."""
    data = changed_bytes(r)
    readers = [ramify.data.read_sequences, ramify.data.read_documents, ramify.data.read_tokenized]
    read = r.pick(readers)
    r.call(read.__name__, lambda: list(read(io.BytesIO(data))))
