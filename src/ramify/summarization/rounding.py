"""Good summaries: the rounding of the paper, and a relaxation of our own with a search.

Almeida & Martins (2013, section 3.4) take the sentences with the highest marginals, and the nearest summary that fits,
by dynamic programming over trees and budget. It looks only at marginals; `relax` looks at what a summary scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.compression.decoding import best_cuts_within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ramify._core import summarization as _core
    from ramify.summarization.problem import SummaryProblem

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["best_summary", "nearest_summary", "relax"]

_STEPS, _QUICK = 200, 40
_WORK = 400_000_000  # cells of tables, about half a second


def nearest_summary(problem: SummaryProblem, marginals: Floats, most: int = 6) -> Mask:
    """Return (units,) the summary that is nearest to marginals among those of the most probable sentences.

    Parameters
    ----------
    problem : what is chosen from
    marginals : (units,) of staying
    most : how many sentences are looked at
    """
    order = np.argsort(-marginals[problem.roots], kind="stable")[: min(most, problem.sentences)]
    taken = set(order.tolist())
    order = np.array(sorted(s for s in taken if problem.requires[s] < 0 or int(problem.requires[s]) in taken), int)
    kept = np.zeros(len(problem.heads), bool)
    if not order.size:
        return kept
    units = np.concatenate([np.arange(problem.begin[s], problem.begin[s + 1]) for s in order])
    place = np.full(len(problem.heads) + 1, -1)
    place[units] = np.arange(len(units))
    heads = place[problem.heads[units]]
    gains = 2 * marginals[units] - 1
    own = best_cuts_within(heads, np.zeros(len(units)), gains, problem.lengths[units], problem.budget)
    kept[units] = False if own is None else own
    return _allowed(problem, kept)


def _allowed(problem: SummaryProblem, kept: Mask) -> Mask:
    """Take out sentences that have too few words, and those whose required sentence is missing."""
    for s in range(problem.num_sentences):
        own = slice(int(problem.begin[s]), int(problem.begin[s + 1]))
        needed = int(problem.requires[s])
        is_short = problem.lengths[own][kept[own]].sum() < problem.least[s]
        if is_short or (needed >= 0 and not kept[problem.begin[needed]]):
            kept[own] = False
    return kept


def relax(problem: SummaryProblem, gap: float = 0.0, *, start: Mask | None = None, steps: int = _STEPS) -> _core.Answer:
    """Return a good summary, a bound on all summaries, and bounds on those with and without each unit.

    Concepts that several tokens bring get prices, which steps of a subgradient method change; trees and the budget stay
    exact, by dynamic programming. Every step gives a bound and a summary; a search starts from good summaries: one or
    two of their sentences are taken out, and the place is filled again, by the same dynamic program.

    Parameters
    ----------
    problem : what is chosen from
    gap : the steps end where value and bound are so near, relative to the value
    start : (units,) a summary to begin with
    steps : how many at most
    """
    begin = np.zeros(0, np.uint8) if start is None else start.astype(np.uint8)
    return problem.core.solve(steps, gap, _WORK, begin)


def best_summary(problem: SummaryProblem, start: Mask | None = None, *, quick: bool = False) -> Mask:
    """Return (units,) a good summary.

    Parameters
    ----------
    problem : what is chosen from
    start : (units,) a summary to begin with
    quick : whether fewer steps are made, as in training
    """
    if not problem.num_sentences:
        return np.zeros(0, bool)
    return relax(problem, start=start, steps=_QUICK if quick else _STEPS).kept().astype(bool)
