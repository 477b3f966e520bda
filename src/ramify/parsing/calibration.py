"""Calibrated probabilities of arcs: of the arcs with probability 0.8, four in five are correct.

Training with margins determines the order of trees, but not the scale of their scores. Therefore, scores are divided
by a temperature that maximizes the likelihood of the heads of the dev treebank. After that, an increasing curve maps
the probability of a predicted arc to the fraction of such arcs that are correct in the dev treebank.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ramify.parsing.corpus import has_tree
from ramify.parsing.request import make_request

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from ramify.data import Sentence
    from ramify.parsing.state import ModelState

__all__ = [
    "Calibration",
    "calibrated",
    "calibration_error",
    "calibration_sentences",
    "fit_temperature",
    "with_temperature",
]

_SENTENCES = 400  # one number needs no more
_BATCH = 50  # sentences between two signs of life
_LOWEST, _HIGHEST = -5.0, 4.0  # powers of two
_STEPS = 8  # of the search; each narrows the interval to 62%
_GOLDEN = (5**0.5 - 1) / 2
_FLOOR = 1e-6
_TINY = 1e-9
_BINS = 10
_FIRST_KNOT, _LAST_KNOT = -4.0, 10.0  # of the curve, log-odds; the first is also the core's
_PRIOR = 3.0  # arcs


class _Arcs(NamedTuple):
    gold: npt.NDArray[np.float64]  # (words,) probability of each word's right head
    chosen: npt.NDArray[np.float64]  # (words,) probability of each word's head in the tree
    right: npt.NDArray[np.bool_]  # (words,) whether that head is right


@dataclass
class Calibration:
    """The intermediate results of a calibration, and the functions that are told about its progress.

    Attributes
    ----------
    losses : loss at each temperature that was tried; keys are the exponents of the powers of two as text. An
        interrupted calibration continues with them
    parsed : function that is called with each batch of sentences after it was parsed
    tried : function that is called when the loss at another temperature is known
    """

    losses: dict[str, float] = field(default_factory=dict)
    parsed: Callable[[list[Sentence]], None] = lambda sentences: None
    tried: Callable[[], None] = lambda: None

    @property
    def turns(self) -> int:
        """How many more times the sentences must be parsed: once for each untried temperature, and for the curve."""
        return max(_STEPS + 2 - len(self.losses), 0) + 1


def fit_temperature(
    state: ModelState, sentences: list[Sentence], threads: int, calibration: Calibration | None = None
) -> float:
    """Return the temperature that maximizes the likelihood of the gold heads, rounded to three digits."""
    progress = calibration or Calibration()

    def loss(power: float) -> float:
        key = repr(power)
        if key not in progress.losses:
            arcs = _probabilities(with_temperature(state, 2.0**power), sentences, threads, progress)
            progress.losses[key] = -float(np.log(np.maximum(arcs.gold, _FLOOR)).sum())
            progress.tried()
        return progress.losses[key]

    low, high = _LOWEST, _HIGHEST
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    left_loss, right_loss = loss(left), loss(right)
    for _ in range(_STEPS):
        if left_loss <= right_loss:
            high, right, right_loss = right, left, left_loss
            left = high - _GOLDEN * (high - low)
            left_loss = loss(left)
        else:
            low, left, left_loss = left, right, right_loss
            right = low + _GOLDEN * (high - low)
            right_loss = loss(right)
    return float(f"{2.0 ** ((low + high) / 2):.3g}")


def calibrated(
    state: ModelState, sentences: list[Sentence], threads: int, calibration: Calibration | None = None
) -> ModelState:
    """Return the model with the temperature and the curve fitted to these sentences."""
    progress = calibration or Calibration()
    state = with_temperature(state, fit_temperature(state, sentences, threads, progress))
    arcs = _probabilities(state, sentences, threads, progress)
    several = arcs.chosen < 1.0  # words with one candidate keep it
    curve = _fit_curve(np.clip(arcs.chosen[several], _TINY, 1 - _TINY), arcs.right[several])
    inference = dataclasses.replace(state.config.inference, curve=curve)
    return state.with_config(dataclasses.replace(state.config, inference=inference))


def _fit_curve(chosen: npt.NDArray[np.float64], right: npt.NDArray[np.bool_]) -> tuple[float, ...]:
    """Return the fraction of correct arcs around each knot, smoothed towards it and made increasing (isotonic)."""
    knots = np.arange(_FIRST_KNOT, _LAST_KNOT + 1.0)
    place = np.clip(np.log(chosen / (1 - chosen)), _FIRST_KNOT, _LAST_KNOT) - _FIRST_KNOT
    low = np.minimum(place.astype(np.int64), len(knots) - 2)
    beyond = place - low

    def spread(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        below = np.bincount(low, weights * (1 - beyond), len(knots))
        return np.asarray(below + np.bincount(low + 1, weights * beyond, len(knots)), dtype=np.float64)

    count = spread(np.ones_like(beyond)) + _PRIOR
    share = (spread(right.astype(np.float64)) + _PRIOR / (1 + np.exp(-knots))) / count
    pools: list[tuple[float, float, int]] = []  # share, count, knots; neighbours that fall are pooled
    for s, c in zip(share, count, strict=True):
        pools.append((float(s), float(c), 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (s1, c1, n1), (s2, c2, n2) = pools[-2:]
            pools[-2:] = [((s1 * c1 + s2 * c2) / (c1 + c2), c1 + c2, n1 + n2)]
    return tuple(float(f"{s:.4f}") for s, _, n in pools for _ in range(n))


def calibration_error(
    state: ModelState, sentences: list[Sentence], threads: int, calibration: Calibration | None = None
) -> float:
    """Return the expected calibration error of the predicted arcs, with ten bins."""
    arcs = _probabilities(state, sentences, threads, calibration or Calibration())
    bins = np.minimum((arcs.chosen * _BINS).astype(np.int64), _BINS - 1)
    off = np.bincount(bins, weights=arcs.chosen - arcs.right, minlength=_BINS)
    return float(np.abs(off).sum() / max(len(arcs.chosen), 1))


def with_temperature(state: ModelState, temperature: float) -> ModelState:
    """Return the model with another temperature."""
    inference = dataclasses.replace(state.config.inference, temperature=temperature)
    return state.with_config(dataclasses.replace(state.config, inference=inference))


def calibration_sentences(sentences: list[Sentence]) -> list[Sentence]:
    """Return the sentences that a calibration uses: an evenly spaced sample of those that have trees."""
    usable = [sentence for sentence in sentences if has_tree(sentence, single_root=False)]
    return usable[:: -(-len(usable) // _SENTENCES)] if usable else []


def _probabilities(state: ModelState, sentences: list[Sentence], threads: int, calibration: Calibration) -> _Arcs:
    some = calibration_sentences(sentences)
    model, request = state.build(), make_request(marginals=True)
    found: list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]] = []
    for begin in range(0, len(some), _BATCH):
        batch = some[begin : begin + _BATCH]
        copies = [sentence._core.copy() for sentence in batch]
        parses = model.parse(copies, request, [], threads)
        for sentence, parsed, parse in zip(batch, copies, parses, strict=True):
            heads, modifiers, values = parse.arc_heads(), parse.arc_modifiers(), parse.arc_marginals()
            dense = np.zeros((len(sentence) + 1, len(sentence) + 1))
            dense[heads, modifiers] = values
            words = np.arange(1, len(sentence) + 1)
            found.append((dense[sentence.heads, words], dense[parsed.heads, words], sentence.heads == parsed.heads))
        calibration.parsed(batch)
    if not found:
        return _Arcs(np.empty(0), np.empty(0), np.empty(0, np.bool_))
    gold, chosen, right = (np.concatenate(column) for column in zip(*found, strict=True))
    return _Arcs(gold, np.clip(chosen, 0.0, 1.0), right)
