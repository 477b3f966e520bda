"""Sums over all trees: the log-partition function, marginals, and what is computed from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify import _core
from ramify.errors import InvalidInputError
from ramify.trees._inputs import Problem, as_problem
from ramify.trees._maxima import max_arborescence

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from typing_extensions import Unpack

    from ramify.trees._inputs import Floats, Scores, TreeOptions

__all__ = ["entropy", "kl_divergence", "log_partition", "marginals", "marginals_vjp", "messages"]


def log_partition(scores: Scores, **options: Unpack[TreeOptions]) -> Any:
    """Compute log Z, the logarithm of the sum over all trees of e to the power of their score.

    Parameters
    ----------
    scores, single_root, lengths, num_threads : as those of :func:`max_arborescence`

    Returns
    -------
    float, or float array of shape (batch,); minus infinity where there is no tree

    Notes
    -----
    By the matrix-tree theorem, with an elimination that never subtracts, in O(n³): right for scores of any
    magnitude.
    """
    problem = as_problem(scores, **options)
    log_z = np.empty(len(problem.scores))
    problem.run(_core.trees_log_partition, log_z)
    return problem.give_values(log_z)


def marginals(scores: Scores, **options: Unpack[TreeOptions]) -> tuple[Floats, Any]:
    """Compute the probability of every arc, and log Z.

    Parameters
    ----------
    scores, single_root, lengths, num_threads : as for `log_partition`

    Returns
    -------
    marginals : float array of the shape of `scores` (for an ArcList, shape (num_arcs,)); each column but 0
        sums to 1; zero in column 0, on the diagonal and in the padding
    log_z : float, or float array of shape (batch,)

    Raises
    ------
    InvalidInputError : if there is no tree; the message names the words that cannot be reached
    """
    problem = as_problem(scores, **options)
    mu, log_z = problem.matrices(), np.empty(len(problem.scores))
    problem.run(_core.trees_marginals, mu, None, log_z)
    return problem.give(mu), problem.give_values(log_z)


def messages(scores: Scores, **options: Unpack[TreeOptions]) -> Floats:
    """Compute the log-odds of every arc minus its score, the messages of a `Tree` factor in sum-product.

    The result does not depend on the arc's own score, so pruned arcs have one too, and it keeps its digits
    where the probability itself rounds to 0 or 1.

    Parameters
    ----------
    scores, single_root, lengths, num_threads : as for `log_partition`

    Returns
    -------
    float array of the shape of `scores` (for an ArcList, shape (num_arcs,)); plus infinity where the other
    heads of the modifier leave no tree, minus infinity where the arc itself leaves none; 0 in column 0 and
    on the diagonal
    """
    problem = as_problem(scores, **options)
    result, log_z = problem.matrices(), np.empty(len(problem.scores))
    problem.run(_core.trees_messages, result, log_z)
    return problem.give(result)  # type: ignore[no-any-return]


def marginals_vjp(
    scores: Scores,
    vector: ArrayLike,
    **options: Unpack[TreeOptions],
) -> Floats:
    """Multiply the covariance of the arcs by a vector. The covariance is the Hessian of log Z.

    Parameters
    ----------
    scores, single_root, lengths, num_threads : as for `log_partition`
    vector : float array of the shape of the marginals; entries at pruned arcs are ignored

    Returns
    -------
    float array of the shape of the marginals
    """
    problem = as_problem(scores, **options)
    directions = _as_directions(vector, problem)
    products = problem.matrices()
    problem.run(_core.trees_marginals_vjp, products, vectors=(directions,))
    return problem.give(products)  # type: ignore[no-any-return]


def _as_directions(vector: ArrayLike, problem: Problem) -> Floats:
    array = np.ascontiguousarray(vector, dtype=np.float64)
    arcs = problem.arcs
    expected = problem.scores.shape if problem.is_batch else problem.scores.shape[1:]
    if arcs is not None:
        expected = arcs.scores.shape
    if array.shape != expected:
        raise InvalidInputError(f"vector must have the shape of the marginals, {expected}; got {array.shape}.")
    if not np.isfinite(array).all():
        raise InvalidInputError("vector must be finite; got NaN or infinity.")
    if arcs is not None:
        matrix = np.zeros(problem.scores.shape)
        matrix[0, arcs.heads, arcs.modifiers] = array
        return matrix
    return array.reshape(problem.scores.shape)


def entropy(scores: Scores, **options: Unpack[TreeOptions]) -> Any:
    """Compute the entropy of the distribution of trees, in nats.

    Parameters
    ----------
    scores, single_root, lengths, num_threads : as for `log_partition`

    Returns
    -------
    float, or float array of shape (batch,); at least 0
    """
    problem = as_problem(scores, **options)
    shifted = _against_best_tree(problem)
    mu, log_z = marginals(shifted, **problem.options)
    return problem.give_values(np.maximum(log_z - _expectation(mu, shifted), 0.0))


def kl_divergence(
    scores_p: Scores,
    scores_q: Scores,
    **options: Unpack[TreeOptions],
) -> Any:
    """Compute the Kullback–Leibler divergence KL(p || q) of two distributions of trees, in nats.

    Parameters
    ----------
    scores_p, scores_q : scores of one shape, as for `log_partition`
    single_root, lengths, num_threads : as for `log_partition`

    Returns
    -------
    float, or float array of shape (batch,); at least 0; infinite where q prunes an arc that p uses
    """
    p, q = as_problem(scores_p, **options), as_problem(scores_q, **options)
    if p.scores.shape != q.scores.shape:
        raise InvalidInputError(
            f"scores_p and scores_q must have one shape; got {p.scores.shape} and {q.scores.shape}."
        )
    best_p = _against_best_tree(p)
    best_q = _against_best_tree(q)
    mu, log_z_p = marginals(best_p, **p.options)
    log_z_q = log_partition(best_q, **p.options)
    return p.give_values(np.maximum(_expectation(mu, best_p) - log_z_p + (log_z_q - _expectation(mu, best_q)), 0.0))


def _against_best_tree(problem: Problem) -> Floats:
    """Scores minus those of the best tree's arcs, word by word: the same distribution, log Z near 0.

    Sums of the shifted scores keep the digits that would drown in the scores' common size.
    """
    heads, _ = max_arborescence(problem.scores, **problem.options)
    best = np.take_along_axis(problem.scores, np.maximum(heads, 0)[:, np.newaxis, :], axis=1)
    best[:, 0, 0] = 0.0
    best = np.where(heads[:, np.newaxis, :] >= 0, best, 0.0)
    with np.errstate(invalid="ignore"):
        shifted = problem.scores - best
    return np.ascontiguousarray(shifted)


def _expectation(mu: Floats, scores: Floats) -> Floats:
    live = mu > 0.0
    total: Floats = (mu * np.where(live, scores, 0.0)).sum(axis=(1, 2))
    return total
