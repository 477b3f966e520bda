"""Networks of the engine: tensors, sentences and outputs that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fuzz.calls import misuse, spoilt, strange
from fuzz.texts import parser, sentences
from ramify._core import neural
from ramify._core import parsing as core

if TYPE_CHECKING:
    from fuzz.calls import Recorder

WORDS, SIZE, HIDDEN, ARC, LABEL, LABELS = 5, 3, 2, 2, 2, 3


def network(r: Recorder) -> None:
    """A small network of random weights, built, run and asked with right and wrong arrays."""
    rng = r.rng
    arrays = _arrays(r)
    if r.chance(0.5):
        name = r.pick(sorted(arrays))
        arrays[name] = r.pick([spoilt(rng, arrays[name]), strange(rng), arrays[r.pick(sorted(arrays))]])
    if r.chance(0.1):
        del arrays[r.pick(sorted(arrays))]
    made = r.call("Network", neural.Network, arrays)
    if made is None:
        return
    none = np.zeros(0, np.int32)
    lengths = np.array([2, 3], np.int32)
    arguments = (lengths, rng.integers(0, WORDS, 5).astype(np.int32), np.zeros((3, 0), np.int32), none, none, none, 2)
    outputs = r.call("run", made.run, *arguments)
    misuse(r, "run", made.run, *arguments)
    for output in outputs or ():
        for name in ("arcs", "label_heads", "label_modifiers", "siblings", "grandparents", "tags"):
            r.call(name, lambda name=name, output=output: getattr(output, name))
        arcs = r.pick([np.array([0, 1], np.int32), np.array([-1, 10**6], np.int32), none])
        r.call("label_scores", made.label_scores, output, arcs, r.pick([arcs, arcs[::-1].copy(), none, strange(rng)]))
    _parse(r, outputs or [None])


def _arrays(r: Recorder) -> dict[str, Any]:
    rank = int(r.pick([0, 1, 2]))
    shapes: dict[str, tuple[int, ...]] = {"words.weight": (WORDS, SIZE)}
    for suffix in ("_l0", "_l0_reverse"):
        shapes[f"layers.0.weight_ih{suffix}"] = (4 * HIDDEN, SIZE)
        shapes[f"layers.0.weight_hh{suffix}"] = (4 * HIDDEN, HIDDEN)
        shapes |= {f"layers.0.bias_{kind}{suffix}": (4 * HIDDEN,) for kind in ("ih", "hh")}
    rows = 2 * (ARC + LABEL) + 5 * rank
    shapes |= {"arc": (ARC + 1, ARC), "label": (LABEL + 1, LABELS, LABEL + 1)}
    shapes |= {"dense.weight": (rows, 2 * HIDDEN), "dense.bias": (rows,)}
    return {name: r.rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def _parse(r: Recorder, outputs: list[Any]) -> None:
    """A parser that is given outputs of other sentences and other labels."""
    model, some = parser()._model.core, [r.pick(sentences()).copy()._core for _ in range(len(outputs))]
    request = core.ParseRequest(r.chance(0.5), 1, False, False, 1.0, 100)
    r.call("parse", model.parse, some, request, [], 1, outputs)
    r.call("problem", model.problem, some[0], r.pick(list(core.Factorization)), r.chance(0.5), outputs[0])
    heads = np.concatenate([[-1], some[0].heads]).astype(np.int32)
    r.call("score", model.score, some[0], heads, np.zeros(len(heads), np.int32), outputs[0])
