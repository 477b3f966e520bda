"""Algorithms for best trees: the maximum arborescence, max-marginals, the k best trees, minimum Bayes risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify import _core
from ramify.errors import InvalidInputError
from ramify.trees._inputs import ArcList, Problem, as_problem, raise_for_item

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from ramify.trees._inputs import Floats, Ints, Scores, TreeOptions

__all__ = ["k_best", "max_arborescence", "max_marginals", "mbr", "sample", "score"]


def max_arborescence(scores: Scores, **options: Unpack[TreeOptions]) -> tuple[Ints, Any]:
    """Find the best tree and its value.

    Parameters
    ----------
    scores : float array of shape (n + 1, n + 1) or (batch, n + 1, n + 1), indexed [head, modifier], or an
        ArcList; the root is 0; column 0 and the diagonal are ignored; minus infinity prunes an arc
    single_root : whether exactly one word must have the root as its head
    lengths : int array of shape (batch,), the number of words of each item of a padded batch; all n if None
    num_threads : threads to spread a batch over; the result does not depend on it

    Returns
    -------
    heads : int32 array of shape (n + 1,) or (batch, n + 1); heads[0] = -1, and -1 in the padding
    value : float, or float array of shape (batch,)

    Raises
    ------
    InvalidInputError : if there is no tree; the message names the words that cannot be reached

    Notes
    -----
    Chu & Liu (1965), Edmonds (1967), in the arrangement of Tarjan (1977): O(n²) for a matrix, O(a log a) for
    a list of a arcs. A single root arc is preferred in a lexicographic order, not by a large constant, so no
    digit is lost.
    """
    if isinstance(scores, ArcList) and options.get("lengths") is None:
        return _max_arborescence_of_arcs(scores, **options)
    problem = as_problem(scores, **options)
    heads = np.empty(problem.scores.shape[:2], np.int32)
    values = np.empty(len(problem.scores))
    problem.run(_core.trees_max_arborescence, heads, values)
    return (heads, values) if problem.is_batch else (heads[0], float(values[0]))


def _max_arborescence_of_arcs(arcs: ArcList, *, single_root: bool = False, **unused: Any) -> tuple[Ints, float]:
    heads = np.empty(arcs.num_words + 1, np.int32)
    found = _core.trees_max_arborescence_of_arcs(
        arcs.heads, arcs.modifiers, arcs.scores, arcs.num_words, single_root, heads
    )
    if not found:
        raise_for_item(as_problem(arcs, single_root=single_root), 0)
    chosen = heads[arcs.modifiers] == arcs.heads
    return heads, float(arcs.scores[chosen].sum())


def max_marginals(
    scores: Scores,
    *,
    without: bool = False,
    **options: Unpack[TreeOptions],
) -> Floats:
    """Compute for every arc the value of the best tree with it, or without it; O(n³) for all arcs together.

    Parameters
    ----------
    scores, single_root, lengths, num_threads : as for `max_arborescence`
    without : whether the trees must not contain the arc, instead of must

    Returns
    -------
    float array of the shape of `scores` (for an ArcList, shape (num_arcs,)); minus infinity where there is
    no such tree. In column 0, on the diagonal and in the padding, where no arcs are: minus infinity, or the
    value of the best tree if `without`

    Notes
    -----
    From the exchange graph of the best tree as a common base of two matroids; see the page on max-marginals.
    """
    problem = as_problem(scores, **options)
    with_arc = problem.matrices()
    without_arc = problem.matrices() if without else None
    heads = np.empty(problem.scores.shape[:2], np.int32)
    problem.run(_core.trees_max_marginals, with_arc, without_arc, heads)
    return problem.give(with_arc if without_arc is None else without_arc)  # type: ignore[no-any-return]


def k_best(scores: Scores, k: int, *, single_root: bool = False, lengths: ArrayLike | None = None) -> Any:
    """List the k best trees, no tree twice.

    Parameters
    ----------
    scores, single_root, lengths : as for `max_arborescence`
    k : number of trees; fewer are returned if there are fewer

    Returns
    -------
    heads : int32 array of shape (k', n + 1), k' <= k
    values : float array of shape (k',), falling
        For a batch, a list with such a pair per item.
    """
    if k < 1:
        raise InvalidInputError(f"k_best expects k >= 1; got {k}.")
    problem = _with_trees(scores, single_root=single_root, lengths=lengths)
    pairs = [_core.trees_k_best(item, k, single_root) for item in problem.items()]
    return pairs if problem.is_batch else pairs[0]


def sample(
    scores: Scores,
    num_samples: int = 1,
    seed: int = 0,
    **options: Unpack[TreeOptions],
) -> Ints:
    """Draw independent trees, each with a probability proportional to e to the power of its score.

    Parameters
    ----------
    scores, single_root, lengths : as for `max_arborescence`
    num_samples : how many trees, for each item of a batch
    seed : 0 … 2⁶⁴ − 1; the same seed gives the same trees on every machine and number of threads
    num_threads : threads to draw with

    Returns
    -------
    int32 array of shape (num_samples, n + 1) or (batch, num_samples, n + 1); heads[..., 0] = -1, as is the padding

    Notes
    -----
    Wilson's algorithm (1996) where its expected number of steps, which the marginals tell, is small; else
    one head after the other, each given those before, in O(n³) per tree. So extreme scores cost time but
    cannot hang it.
    """
    if num_samples < 0:
        raise InvalidInputError(f"sample expects num_samples >= 0; got {num_samples}.")
    if not 0 <= seed < 2**64:
        raise InvalidInputError(f"sample expects a seed in 0 … 2**64 - 1; got {seed}.")
    problem = _with_trees(scores, **options)
    heads = np.full((len(problem.scores), num_samples, problem.size), -1, np.int32)
    for i, item in enumerate(problem.items()):
        drawn = np.empty((num_samples, len(item)), np.int32)
        # One stream per item of a batch: with one stream, items alike would get trees alike.
        own = int(np.random.SeedSequence([seed, i]).generate_state(1, np.uint64)[0]) if problem.is_batch else seed
        _core.trees_sample(item, problem.single_root, own, problem.num_threads, drawn)
        heads[i, :, : len(item)] = drawn
    return heads if problem.is_batch else heads[0]


def _with_trees(scores: Scores, **options: Unpack[TreeOptions]) -> Problem:
    """Check the input, and that every item has a tree."""
    problem = as_problem(scores, **options)
    max_arborescence(problem.scores, **problem.options)
    return problem


def _as_single(scores: Scores, who: str) -> Problem:
    problem = as_problem(scores)
    if problem.is_batch:
        raise InvalidInputError(f"{who} expects one matrix of shape (n + 1, n + 1); got {problem.scores.shape}.")
    return problem


def mbr(marginals: ArrayLike, **options: Unpack[TreeOptions]) -> tuple[Ints, Any]:
    """Find the minimum-Bayes-risk tree, which has the largest expected number of right heads.

    Parameters
    ----------
    marginals : float array of shape (n + 1, n + 1) or (batch, n + 1, n + 1), probabilities of arcs; arcs of
        probability zero are taken only where nothing else makes a tree
    single_root, lengths, num_threads : as for `max_arborescence`

    Returns
    -------
    heads : int32 array of shape (n + 1,) or (batch, n + 1)
    value : float, or float array of shape (batch,); the expected number of right heads
    """
    return max_arborescence(marginals, **options)


def score(scores: Scores, heads: ArrayLike, *, single_root: bool = False) -> float:
    """Return the value of a tree, or minus infinity if it uses a pruned arc, or several root arcs with ``single_root``.

    Parameters
    ----------
    scores : float array of shape (n + 1, n + 1), indexed [head, modifier], or an ArcList
    heads : int array of shape (n + 1,); heads[0] is ignored
    single_root : whether exactly one word must have the root as its head

    Raises
    ------
    InvalidInputError : if the heads are no tree
    """
    problem = _as_single(scores, "score")
    tree = np.asarray(heads)
    if tree.shape != (problem.size,) or tree.dtype.kind not in "iu":
        raise InvalidInputError(f"heads must be integers of shape ({problem.size},); got {tree.dtype} {tree.shape}.")
    if tree[1:].min() < 0 or tree[1:].max() >= problem.size:
        raise InvalidInputError(f"heads must lie in 0…{problem.size - 1}; got {tree[1:].min()} to {tree[1:].max()}.")
    above = tree.copy()
    above[0] = 0
    for _ in range(problem.size.bit_length()):
        above = above[above]
    if above.any():
        raise InvalidInputError(
            f"heads must lead to the root; word {int(np.flatnonzero(above)[0])} is on a cycle or below one."
        )
    if single_root and np.count_nonzero(tree[1:] == 0) != 1:
        return -np.inf
    return float(problem.scores[0, tree[1:], np.arange(1, problem.size)].sum())
