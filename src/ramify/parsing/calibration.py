"""Probabilities of arcs that mean what they say: of the arcs with 0.8, four in five are right.

Training for margins fixes the order of trees, not the scale of their scores. Three numbers mend that: scores are
divided by a temperature, the one under which the heads of the dev treebank are most likely; then the log-odds of chosen
arcs get the slope and offset under which it is most likely that just the right ones are right (Platt 1999).
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ramify.parsing.corpus import has_tree
from ramify.parsing.request import make_request

if TYPE_CHECKING:
    import numpy.typing as npt

    from ramify.data import Sentence
    from ramify.parsing.state import ModelState

__all__ = ["calibrated", "calibration_error", "fit_temperature", "with_temperature"]

_SENTENCES = 400  # one number needs no more
_LOWEST, _HIGHEST = -5.0, 4.0  # powers of two
_STEPS = 8  # of the search; each narrows the interval to 62%
_GOLDEN = (5**0.5 - 1) / 2
_FLOOR = 1e-6
_TINY = 1e-9
_BINS = 10
_NEWTON_STEPS = 20
_PRIOR = 1.0
_FAR = 30.0


class _Arcs(NamedTuple):
    gold: npt.NDArray[np.float64]  # (words,) probability of each word's right head
    chosen: npt.NDArray[np.float64]  # (words,) probability of each word's head in the tree
    right: npt.NDArray[np.bool_]  # (words,) whether that head is right


def fit_temperature(state: ModelState, sentences: list[Sentence], threads: int) -> float:
    """Return the temperature under which the heads of these sentences are most likely, to three digits."""

    def loss(power: float) -> float:
        arcs = _probabilities(with_temperature(state, 2.0**power), sentences, threads)
        return -float(np.log(np.maximum(arcs.gold, _FLOOR)).sum())

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


def calibrated(state: ModelState, sentences: list[Sentence], threads: int) -> ModelState:
    """Return the model with the temperature, slope and offset that fit these sentences."""
    state = with_temperature(state, fit_temperature(state, sentences, threads))
    arcs = _probabilities(state, sentences, threads)
    several = arcs.chosen < 1.0  # words with one candidate keep it
    slope, offset = _fit_line(np.clip(arcs.chosen[several], _TINY, 1 - _TINY), arcs.right[several])
    inference = dataclasses.replace(state.config.inference, slope=slope, offset=offset)
    return dataclasses.replace(state, config=dataclasses.replace(state.config, inference=inference))


def _fit_line(chosen: npt.NDArray[np.float64], right: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Logistic regression of being right on the log-odds, by Newton's method, drawn a little to (1, 0)."""
    odds = np.stack([np.log(chosen / (1 - chosen)), np.ones_like(chosen)], axis=1)
    start = np.array([1.0, 0.0])

    def loss(line: npt.NDArray[np.float64]) -> float:
        sign = np.where(right, 1.0, -1.0)
        return float(np.logaddexp(0.0, -sign * (odds @ line)).sum() + _PRIOR / 2 * ((line - start) ** 2).sum())

    line, now = start, loss(start)
    for _ in range(_NEWTON_STEPS):
        p = 1 / (1 + np.exp(-np.clip(odds @ line, -_FAR, _FAR)))
        gradient = odds.T @ (p - right) + _PRIOR * (line - start)
        step = np.linalg.solve(odds.T @ (odds * (p * (1 - p))[:, None]) + _PRIOR * np.eye(2), gradient)
        while loss(line - step) > now and np.abs(step).max() > _FLOOR:
            step = step / 2
        line, now = line - step, loss(line - step)
    if line[0] <= 0:
        return 1.0, 0.0
    return float(f"{line[0]:.3g}"), float(f"{line[1]:.3g}")


def calibration_error(state: ModelState, sentences: list[Sentence], threads: int) -> float:
    """Return by how much the probabilities of the chosen arcs are off: expected calibration error with ten bins."""
    arcs = _probabilities(state, sentences, threads)
    bins = np.minimum((arcs.chosen * _BINS).astype(np.int64), _BINS - 1)
    off = np.bincount(bins, weights=arcs.chosen - arcs.right, minlength=_BINS)
    return float(np.abs(off).sum() / max(len(arcs.chosen), 1))


def with_temperature(state: ModelState, temperature: float) -> ModelState:
    """Return the model at another temperature."""
    inference = dataclasses.replace(state.config.inference, temperature=temperature)
    return dataclasses.replace(state, config=dataclasses.replace(state.config, inference=inference))


def _probabilities(state: ModelState, sentences: list[Sentence], threads: int) -> _Arcs:
    usable = [sentence for sentence in sentences if has_tree(sentence, single_root=False)]
    some = usable[:: -(-len(usable) // _SENTENCES)] if usable else []
    copies = [sentence._core.copy() for sentence in some]
    parses = state.build().parse(copies, make_request(marginals=True), [], threads)
    found: list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.bool_]]] = []
    for sentence, parsed, parse in zip(some, copies, parses, strict=True):
        heads, modifiers, values = parse.arc_heads(), parse.arc_modifiers(), parse.arc_marginals()
        dense = np.zeros((len(sentence) + 1, len(sentence) + 1))
        dense[heads, modifiers] = values
        words = np.arange(1, len(sentence) + 1)
        found.append((dense[sentence.heads, words], dense[parsed.heads, words], sentence.heads == parsed.heads))
    if not found:
        return _Arcs(np.empty(0), np.empty(0), np.empty(0, np.bool_))
    gold, chosen, right = (np.concatenate(column) for column in zip(*found, strict=True))
    return _Arcs(gold, np.clip(chosen, 0.0, 1.0), right)
