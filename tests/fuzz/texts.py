"""Readers, and the parser with sentences, constraints and arrays that are not as they should be."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import ramify.data
from fuzz.calls import spoilt, strange
from ramify.parsing import Head, Label, NotHead, Parser, Root

if TYPE_CHECKING:
    from fuzz.calls import Recorder

SAMPLE = Path(__file__).resolve().parent.parent / "data" / "ewt-sample-200.conllu"


@cache
def sentences() -> tuple[ramify.data.Sentence, ...]:
    return tuple(ramify.data.read(SAMPLE))[:40]


@cache
def parser() -> Parser:
    options = {"training.epochs": "1", "pruner.bits": "12"}
    return Parser.train(train=list(sentences()), dev=list(sentences())[:5], preset="second", options=options)


def changed_bytes(r: Recorder) -> bytes:
    """Return a treebank with bytes that are changed, taken away or doubled."""
    data = bytearray(b"".join(r.pick(sentences()).to_conllu().encode() for _ in range(3)))
    for _ in range(int(r.rng.integers(1, 6))):
        at = int(r.rng.integers(len(data)))
        change = r.pick(["flip", "cut", "double", "insert"])
        if change == "flip":
            data[at] = int(r.rng.integers(256))
        elif change == "cut":
            del data[at : at + int(r.rng.integers(1, 20))]
        elif change == "double":
            data[at:at] = data[at : at + 30]
        else:
            data[at:at] = r.pick([b"\t", b"\n", b"\x00", b"\xef\xbb\xbf", b"\xff", b"1-3", b"9" * 30])
        if not data:
            break
    return bytes(data)


def read(r: Recorder) -> None:
    """Treebanks with bytes that are changed."""
    data = changed_bytes(r)
    found = r.call("read", lambda: list(ramify.data.read(io.BytesIO(data), strict=r.chance(0.5), format="conllu")))
    for sentence in found or ():
        r.call("to_conllu", sentence.to_conllu)


def parse(r: Recorder) -> None:
    """Sentences whose heads, tags and constraints are anything, parsed in every way."""
    some = [r.pick(sentences()).copy() for _ in range(3)]
    _spoil(r, some)
    options: dict[str, Any] = {"marginals": r.chance(0.5), "k": r.pick([1, 3, 0, strange(r.rng)])}
    if r.chance(0.5):
        options["constraints"] = [_constraints(r, len(s)) for s in some] if r.chance(0.8) else strange(r.rng)
    if r.chance(0.2):
        options["threads"] = r.pick([1, 2, 0, -1, strange(r.rng)])
    if r.chance(0.2):
        some = r.pick([[some[0], some[0]], [None], [strange(r.rng)], strange(r.rng)])
    r.call("parse", parser().parse, some, **options)
    sentence = r.pick(sentences())
    n = len(sentence)
    heads = r.pick([sentence._core.heads, r.rng.integers(-1, n + 2, n), spoilt(r.rng, sentence._core.heads)])
    r.call("score", parser().score, sentence, heads, r.pick([["root"] * n, strange(r.rng)]))
    r.call("explain", parser().explain, sentence, r.pick([1, 0, n, n + 1, -1]), r.pick([None, 0, 1, n + 5]))
    r.call("factor_graph", parser().factor_graph, sentence, loose=r.chance(0.5))


def _spoil(r: Recorder, some: list[ramify.data.Sentence]) -> None:
    for sentence in some:
        if r.chance(0.3) and len(sentence):
            sentence._core.heads[int(r.rng.integers(len(sentence)))] = r.pick([-1, -7, 10**8, 0])


def _constraints(r: Recorder, n: int) -> list[Any]:
    def number() -> int:
        return int(r.rng.integers(-1, n + 3))

    makers = [
        lambda: Head(number(), number()),
        lambda: NotHead(number(), number()),
        lambda: Root(number()),
        lambda: Label(number(), r.pick(["nsubj", "no-such-label"])),
        lambda: strange(r.rng),
    ]
    return [r.pick(makers)() for _ in range(int(r.rng.integers(0, 4)))]


def model(r: Recorder) -> None:
    """The parser's own model, asked with arrays that do not fit."""
    core, sentence = parser()._model.core, r.pick(sentences())
    n = len(sentence)
    heads = np.concatenate([[-1], sentence._core.heads]).astype(np.int32)
    labels = np.zeros(n + 1, np.int32)
    parts = r.call("parts", core.parts, r.pick([heads, spoilt(r.rng, heads)]), r.pick([labels, spoilt(r.rng, labels)]))
    if parts:
        r.call("explain", core.explain, r.pick(sentences())._core, parts[:20], r.pick([None, strange(r.rng)]))
    r.call("model.score", core.score, sentence._core, heads, r.pick([labels, spoilt(r.rng, labels)]), None)
    for ask, count in {"parse": 5, "problem": 4, "explain": 3, "set_weights": 4, "score": 4}.items():
        given = [r.pick([[sentence._core], sentence._core, [None], strange(r.rng)]) for _ in range(count)]
        r.call(f"model.{ask}", getattr(core, ask), *given)
