"""Taggers and segmenters: models and trainers made of arrays that do not fit together."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.calls import misuse, spoilt, strange
from fuzz.texts import sentences
from ramify import _core
from ramify.segmentation import Segmenter
from ramify.tagging import SequenceLabeller, Tagger

if TYPE_CHECKING:
    from fuzz.calls import Recorder

core = _core.tagging
TRAINER_CALLS = (
    "run", "restore", "end_epoch", "refit", "shrink", "support", "restrict_to", "freeze", "template_statistics",
    "information_gain", "ngram_weights", "predict_dev",
)  # fmt: skip
WORDS = ["the", "dog", "", "🙂", "a" * 300, "\x00", "e\u0301"]


@cache
def tagger() -> Tagger:
    options = {"training.epochs": 1, "model.order": 1}
    return Tagger.train(list(sentences()), list(sentences())[:5], preset="upos", options=options)


@cache
def segmenter() -> Segmenter:
    options = {"training.epochs": 1, "model.bits": 12}
    return Segmenter.train(list(sentences()), list(sentences())[:5], options=options)


def tag(r: Recorder) -> None:
    """Taggers from right and wrong arrays; whatever is accepted must tag, or refuse to."""
    rng = r.rng
    labels, order = ["A", "B"][: int(rng.integers(1, 3))], r.pick([0, 1, 2])
    model = _tagger_model(r, labels, order)
    if model is None:
        return
    k = len(labels)
    keys, counts = np.sort(rng.integers(0, 2**63, 3).astype(np.uint64)), np.full(3, k, np.uint16)
    pairs = rng.normal(size=(k + 1) ** 2 if order else 0).astype(np.float32)
    triples = rng.normal(size=(k + 1) ** 3 if order == 2 else 0).astype(np.float32)
    weights = (keys, counts, np.tile(np.arange(k), 3).astype(np.uint16), np.ones(3 * k, np.int16), 0.1, pairs, triples)
    r.call("set_weights", model.set_weights, *weights)
    misuse(r, "set_weights", model.set_weights, *weights)
    for _ in range(4):
        source = _source(r)
        if source is not None:
            allowed = r.pick([[], [[[0]]], [[[1, 0]]], [[[k]]], [[[]] * 2] * 2, strange(rng)])
            _ask_tagger(r, model, source, allowed)
    _learn(r, model, k)


def _tagger_model(r: Recorder, labels: list[str], order: int) -> Any:
    rng, none = r.rng, np.zeros(0, np.uint64)
    templates = r.pick([["w[0]", "s3[-1]", "p2[1]|w[0]"], ["w[9]"], [], ["x[0]"], strange(rng)])
    some = np.zeros(0, np.uint16)
    arguments: list[Any] = [
        order, r.pick(list(core.Scheme)), labels, some, ["form"], templates, some, r.chance(0.5), none, some, some,
        none, np.zeros(0, np.uint32), [],
    ]  # fmt: skip
    if r.chance(0.4):  # a dictionary of two words
        arguments[6], arguments[8] = np.zeros(1, np.uint16), core.dictionary_keys([["dog", "the"]])
        arguments[9], arguments[10] = np.array([1, 1, 1], np.uint16), np.zeros(3, np.uint16)
    if r.chance(0.3):
        arguments[11], arguments[12], arguments[13] = core.hash_texts(["dog"]), np.zeros(1, np.uint32), ["0110"]
    if r.chance(0.4):
        return misuse(r, "TaggerModel", core.TaggerModel, *arguments)
    return r.call("TaggerModel", core.TaggerModel, *arguments)


def _source(r: Recorder) -> Any:
    words = [[r.pick(WORDS) for _ in range(int(n))] for n in r.rng.integers(0, 5, 2)]
    makers = [
        lambda: core.ColumnSource(r.pick([[[w] for w in words], [[]], [[words[0], words[1]]], strange(r.rng)])),
        lambda: core.FeatureSource([[w, w[:1]] for w in words], r.pick([[], [[[math.nan]]], strange(r.rng)])),
        lambda: core.TreebankSource([s._core for s in sentences()[:2]], r.pick([[_core.Column.FORM], [], [None]])),
    ]
    return r.call("source", r.pick(makers))


def _ask_tagger(r: Recorder, model: Any, source: Any, allowed: Any) -> None:
    threads = r.pick([1, 2, 0, -1])
    tagged = r.call("tag", model.tag, source, r.chance(0.5), r.pick([1, 3, 0]), allowed, threads)
    for tagging in tagged or ():
        r.expect(not np.isnan(tagging.marginals()).any(), "a marginal is NaN")
    some = [s.copy()._core for s in sentences()[: len(tagged or ())]]
    r.call("set_cells", core.set_cells, r.pick([some, [None]]), _core.Column.UPOS, tagged or [None], ["A", "B"])


def _learn(r: Recorder, model: Any, k: int) -> None:
    rng, learn = r.rng, _core.learn
    loss = learn.Loss(learn.LossKind.FAMILY, r.pick([1.0, math.inf]), 1.0)
    optimizer = learn.Optimizer(r.pick(list(learn.Method)), 0.1, 0.0, 0.001, r.chance(0.5))
    regularizer = learn.Regularizer(rows=r.pick([0.0, 0.1]))
    options = [r.chance(0.5), 0, loss, optimizer, regularizer, 1.0, r.pick([0.0, 0.2, math.nan]), 0.0, 1, 2, 2]
    trainer = r.call("Trainer", core.Trainer, model, *options)
    if trainer is None:
        return
    source = core.ColumnSource([[["the", "dog"]], [["dog"]]])
    gold = [[0, k - 1], [0]]
    r.call("load", trainer.load, model, source, r.pick([None, source]), r.pick([gold, gold, [[0], [k]], strange(rng)]))
    states = [r.call("state", trainer.state)]
    for _ in range(5):
        ask = r.pick([*TRAINER_CALLS, "run", "restore"])
        state = dict(r.pick(states) or {})
        if state and r.chance(0.7):
            name = r.pick(sorted(state))
            state[name] = spoilt(rng, state[name])
        arguments: dict[str, tuple[Any, ...]] = {
            "run": (r.pick([np.array([0, 1]), np.array([1, 2]), np.array([-1]), strange(rng)]),),
            "restore": (state,),
            "refit": (r.pick([0, 5]), 0.0),
            "restrict_to": (np.array([1], np.uint64), np.array([1], np.uint16), np.array([r.pick([0, k])], np.uint16)),
            "freeze": (r.pick([0, 5, 2**62]), r.pick([0.0, math.nan])),
        }
        r.call(ask, getattr(trainer, ask), *arguments.get(ask, ()))
        states.append(r.call("state", trainer.state))


def label(r: Recorder) -> None:
    """Whole taggers and labellers, with sentences and features of all kinds."""
    rng = r.rng
    some = [r.pick(sentences()).copy() for _ in range(2)]
    k = r.pick([1, 3, 0, strange(rng)])
    if not isinstance(k, int) or k < 100:
        r.call("tag", tagger().tag, r.pick([some, [None], strange(rng)]), marginals=r.chance(0.5), k=k)
    X = [[{"a": 1.0, "b": r.pick([2.0, math.nan, 1e308])}, {"c": 1.0}], [{}]]
    y = [["X", "Y"], [r.pick(["X", "", "\x00"])]]
    labeller = SequenceLabeller(epochs=1, loss=r.pick(["softmax-margin", "perceptron", "crf"]))
    X = r.pick([X, X, [[strange(rng)]], strange(rng)])
    if r.call("fit", labeller.fit, X, y) is not None:
        r.call("predict", labeller.predict, r.pick([X, [[]], [], [[{"new": math.inf}]]]))


def segment(r: Recorder) -> None:
    """Segmenters from right and wrong arrays, on text with everything in it."""
    rng, seg = r.rng, _core.segmentation
    size = 16
    arguments: list[Any] = [
        rng.normal(size=size).astype(np.float32), rng.normal(size=size).astype(np.float32),
        rng.integers(0, 2, seg.NUM_CLASSES**2).astype(np.uint8), r.chance(0.5), r.pick([0.0, -math.inf, 1e308]),
        np.arange(3, dtype=np.uint64),
        r.pick([[], [("n't", [(0, 1, "x"), (1, 3, "")])], [("", [(9, 2**32 - 1, "q")])]]),
    ]  # fmt: skip
    model = r.call("Segmenter", seg.Segmenter, *arguments)
    if r.chance(0.3):
        model = misuse(r, "Segmenter", seg.Segmenter, *arguments) or model
    text = "".join(r.pick([*WORDS, " ", "\n\n", ".", "don't", "\u200d", "\U000e0001", "\ud800"]) for _ in range(12))
    if model is not None:
        state = seg.StreamState()
        for _ in range(3):
            r.call("segment", model.segment, r.pick([text, "", strange(rng)]), r.chance(0.5), r.chance(0.5), state)
        r.call("count_known", model.count_known, r.pick([WORDS, [text], strange(rng)]))
    if r.chance(0.3):
        r.call("Segmenter.segment", segmenter().segment, text)
    _learn_to_segment(r)


def _learn_to_segment(r: Recorder) -> None:
    rng, seg = r.rng, _core.segmentation
    trainer = r.call("Trainer", seg.Trainer, r.pick([1, 4, 10, 0, 31]), r.pick([0.1, math.nan]), 0.1, 1)
    if trainer is None:
        return
    text = r.pick(["the dog ran.", "", "é🙂 x", "\x00"])
    tokens = (np.array([0, 2]), np.array([2, 3]), np.array([0, 1], np.uint8))
    states = []
    for _ in range(8):
        ask = r.pick(["count", "count_words", "add", "add", "settle", "run_pass", "restore"])
        if ask in ("count", "count_words", "add"):
            given = r.pick([tokens, tuple(spoilt(rng, t) if r.chance(0.4) else t for t in tokens)])
            r.call(ask, getattr(trainer, ask), text, *given)
        elif ask == "settle":
            r.call(ask, trainer.settle, r.pick([0, 1, -1]), r.pick([0, 1, -1]))
        elif ask == "run_pass":
            r.call(ask, trainer.run_pass, r.pick([0, 1, -1, 10**6]))
        elif states:
            state = dict(r.pick(states))
            name = r.pick(sorted(state))
            state[name] = spoilt(rng, state[name])
            r.call(ask, trainer.restore, r.pick([state, dict(r.pick(states)), {}]))
        found = r.call("state", trainer.state)
        if found:
            states.append(found)
    r.call("lexicon", trainer.lexicon)


def read_text(r: Recorder) -> None:
    """Text of any kind as sentences, by the segmenter; no control character is a word."""
    pieces = ["\ufeff", "\x00", "\x1b[2J", "\u2028", "word", " ", "e.g.", "\r\n", "\u202e", "日本", "\x85", "🙂"]
    text = "".join(r.pick(pieces) for _ in range(20))
    for sentence in r.call("segment", lambda: list(segmenter().segment(text))) or ():
        for form in sentence.forms:
            r.expect(not any(ord(c) < 32 for c in form), f"a word has a control character: {form!r}")
