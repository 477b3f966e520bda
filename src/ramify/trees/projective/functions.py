"""Exact computations over all projective trees of a sentence, by dynamic programming.

Everywhere, ``scores`` is an array (n+1, n+1) indexed [head, modifier], or (batch, n+1, n+1), or an `ArcList` (results
then have one number per arc), or one of the classes of :mod:`ramify.trees.projective.parts` for higher orders. Word 0
is the root; column 0 and the diagonal are ignored; −inf prunes. ``lengths`` (batch,) gives the number of words of each
sentence of a padded batch. With ``single_root``, exactly one word is a modifier of the root. A batch is spread over
``num_threads`` threads. Results are arrays with a leading batch axis if the input has one. Where a tree or a
probability is asked for and a sentence has no allowed tree, that is an `InvalidInputError`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from ramify import _core
from ramify.errors import InvalidInputError
from ramify.options import Integer, check_argument
from ramify.trees._inputs import LARGEST_SCORE, ArcList
from ramify.trees.projective.parts import ArcParts, Parts
from ramify.trees.projectivity import is_projective, is_tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Unpack

    from ramify.trees._inputs import TreeOptions

    Floats = NDArray[np.float64]
    Heads = NDArray[np.int32]
    Scores = ArrayLike | ArcList | Parts

P = TypeVar("P", bound=Parts)


@dataclass(frozen=True)
class _Request:
    """Checked input, in the form the engine takes."""

    who: str
    parts: Parts
    table: Floats
    lengths: NDArray[np.int32]
    single_root: bool
    num_threads: int
    arcs: ArcList | None = None

    def run(self, function: Callable[..., Any], *more: object) -> Any:
        arguments = (self.parts.order, self.table, self.lengths, self.parts.size, self.single_root, self.num_threads)
        return function(*arguments, *more)

    def one_or_all(self, values: NDArray[Any]) -> Any:
        """Drop the batch axis of one value per sentence if the input had none."""
        if self.parts.batched:
            return values
        return values[0] if values.ndim > 1 else values.dtype.type(values[0]).item()

    def unfold(self, table: Floats, add: Callable[..., Floats] = np.sum) -> Any:
        parts = self.parts.unfold(table, add)
        return self.give(np.asarray(parts.arc)) if isinstance(parts, ArcParts) else parts

    def give(self, matrix: Floats) -> Floats:
        """Bring a matrix of arcs to the form the scores came in."""
        return matrix if self.arcs is None else self.arcs.gather(matrix)

    def require_trees(self, log_z: Floats) -> None:
        empty = np.flatnonzero(np.isneginf(log_z))
        if empty.size:
            where = f" (sentence {empty[0]} of the batch)" if self.parts.batched else ""
            raise InvalidInputError(
                f"{self.who} expects scores that allow at least one projective tree; got none{where}. Allow more arcs."
            )


def _request(
    who: str, scores: Scores, *, lengths: ArrayLike | None = None, single_root: bool = False, num_threads: int = 1
) -> _Request:
    arcs = scores if isinstance(scores, ArcList) else None
    dense = scores.to_matrix() if isinstance(scores, ArcList) else scores
    parts = dense if isinstance(dense, Parts) else _as_arcs(who, dense)
    table = parts.table()
    checked = _check_lengths(who, parts, lengths)
    if not _in_range(table):
        _check_scores(who, parts, checked)
    num_threads = check_argument(who, "num_threads", Integer(1), num_threads)
    return _Request(who, parts, table, checked, bool(single_root), num_threads, arcs)


def _as_arcs(who: str, scores: ArrayLike) -> ArcParts:
    try:
        return ArcParts(scores)
    except InvalidInputError as error:
        raise InvalidInputError(str(error).replace("ArcParts expects arc", f"{who} expects scores")) from None


def _check_lengths(who: str, parts: Parts, lengths: ArrayLike | None) -> NDArray[np.int32]:
    count = np.shape(parts.arc)[0] if parts.batched else 1
    longest = parts.size - 1
    if lengths is None:
        return np.full(count, longest, dtype=np.int32)
    if not parts.batched:
        raise InvalidInputError(f"{who} expects lengths only with a batch of scores, (batch, n+1, n+1).")
    array = np.array(lengths)  # a copy: another thread may change the caller's array after the check
    if array.shape != (count,) or not np.issubdtype(array.dtype, np.integer):
        raise InvalidInputError(
            f"{who} expects lengths as {count} integers, one per sentence; got {array.dtype} of shape {array.shape}."
        )
    if count and (array.min() < 0 or array.max() > longest):
        raise InvalidInputError(
            f"{who} expects lengths between 0 and {longest}, the padded length; got {array.min()} to {array.max()}."
        )
    return np.ascontiguousarray(array, dtype=np.int32)


def _in_range(scores: ArrayLike) -> bool:
    """Say whether sums of these scores keep their digits: −inf, or no larger than what `ramify.trees` takes."""
    array = np.asarray(scores)
    return bool(np.all((np.abs(array) <= LARGEST_SCORE) | np.isneginf(array)))


def _check_scores(who: str, parts: Parts, lengths: NDArray[np.int32]) -> None:
    """Reject NaN, +inf and numbers out of range among the entries that count; elsewhere they may stand."""
    limits = f"scores within ±{LARGEST_SCORE:g}, or -inf for a pruned arc,"
    arcs = np.asarray(parts.arc).reshape(-1, parts.size, parts.size)
    for b, n in enumerate(lengths):
        used = arcs[b, : n + 1, : n + 1].copy()
        used[:, 0] = 0.0
        np.fill_diagonal(used, 0.0)
        bad = np.argwhere(~(np.abs(used) <= LARGEST_SCORE) & ~np.isneginf(used))
        if bad.size:
            h, m = bad[0]
            raise InvalidInputError(
                f"{who} expects {limits} and not NaN; got {used[h, m]} for the arc ({h}, {m}). Scale the scores."
            )
    for field in parts.axes:
        value = getattr(parts, field)
        if field != "arc" and value is not None and not _in_range(value):
            raise InvalidInputError(f"{who} expects {limits} and not NaN; {field} has another entry. Scale the scores.")


def max_arborescence(scores: Scores, **options: Unpack[TreeOptions]) -> tuple[Heads, Any]:
    """Find the projective tree of highest score.

    Parameters
    ----------
    scores : (n+1, n+1), or (batch, n+1, n+1), or parts of higher order
    lengths : (batch,), words of each sentence; all n if None
    single_root : exactly one word is a modifier of the root
    num_threads : threads for a batch

    Returns
    -------
    heads : int32 (n+1,) or (batch, n+1); heads[0] = −1, as is what lies past a sentence's length
    value : float or (batch,), the tree's score
    """
    request = _request("max_arborescence", scores, **options)
    heads, values = request.run(_core.projective_best_trees)
    request.require_trees(values)
    return request.one_or_all(heads), request.one_or_all(values)


def log_partition(scores: Scores, **options: Unpack[TreeOptions]) -> Any:
    """Sum over all projective trees: log Z, a float or (batch,); −inf if no tree is allowed.

    Parameters
    ----------
    scores, lengths, single_root, num_threads : as in :func:`max_arborescence`
    """
    request = _request("log_partition", scores, **options)
    return request.one_or_all(request.run(_core.projective_log_partition))


@overload
def marginals(scores: P, **options: Unpack[TreeOptions]) -> tuple[P, Any]: ...
@overload
def marginals(scores: ArrayLike | ArcList, **options: Unpack[TreeOptions]) -> tuple[Floats, Any]: ...
def marginals(scores: Scores, **options: Unpack[TreeOptions]) -> tuple[Any, Any]:
    """Compute the probability of every part in the distribution p(tree) ∝ exp(score(tree)).

    Parameters
    ----------
    scores, lengths, single_root, num_threads : as in :func:`max_arborescence`

    Returns
    -------
    marginals : (n+1, n+1) or (batch, n+1, n+1), 0 in ignored entries; for parts of higher order, parts of the same
        class
    log_z : float or (batch,)
    """
    request = _request("marginals", scores, **options)
    mu, log_z = request.run(_core.projective_marginals)
    request.require_trees(log_z)
    return request.unfold(mu), request.one_or_all(log_z)


def marginals_vjp(
    scores: Scores,
    grad_marginals: ArrayLike | Parts,
    **options: Unpack[TreeOptions],
) -> Any:
    """Compute the gradient of the scores from that of the marginals: the Hessian of log Z times a vector.

    Parameters
    ----------
    scores, lengths, single_root, num_threads : as in :func:`max_arborescence`
    grad_marginals : like scores, finite

    Returns
    -------
    grad_scores : like scores; zeros if no tree is allowed
    """
    who = "marginals_vjp"
    request = _request(who, scores, **options)
    other = grad_marginals if isinstance(grad_marginals, Parts) else _as_arcs(who, grad_marginals)
    direction = _same_kind(request, other, "grad_marginals")
    if not np.isfinite(direction).all():
        raise InvalidInputError(f"{who} expects finite grad_marginals; got NaN or infinity among them.")
    return request.unfold(request.run(_core.projective_marginals_vjp, direction))


def _same_kind(request: _Request, other: Parts, name: str) -> Floats:
    mine = request.parts
    if type(other) is not type(mine) or np.shape(other.arc) != np.shape(mine.arc):
        raise InvalidInputError(
            f"{request.who} expects {name} like scores, {type(mine).__name__} with arcs of shape {np.shape(mine.arc)};"
            f" got {type(other).__name__} with {np.shape(other.arc)}."
        )
    return other.table()


def max_marginals(
    scores: Scores,
    *,
    without: bool = False,
    **options: Unpack[TreeOptions],
) -> Any:
    """Find, for every arc, the score of the best projective tree with it, or of the best one without it.

    Parameters
    ----------
    scores, lengths, single_root, num_threads : as in :func:`max_arborescence`
    without : whether the trees must not contain the arc, instead of must

    Returns
    -------
    (n+1, n+1) or (batch, n+1, n+1), −inf where there is no such tree. With parts of higher order, parts of the same
    class with the best score for each part; but arcs only if `without`.
    """
    request = _request("max_marginals", scores, **options)
    table, values = request.run(_core.projective_max_marginals)
    request.require_trees(values)
    best_with = request.parts.unfold(table, np.max)
    arcs = np.asarray(best_with.arc)
    if without:
        return request.give(_best_other_head(arcs))
    return request.give(arcs) if isinstance(best_with, ArcParts) else best_with


def _best_other_head(best_with: Floats) -> Floats:
    """For every arc (h, m), the maximum of best_with (…, h', m) over the other heads h'; column 0: over everything."""
    result = np.empty_like(best_with)
    if best_with.shape[-1] == 1:
        result[...] = 0.0
        return result
    order = np.sort(best_with, axis=-2)
    first, second = order[..., -1:, :], order[..., -2:-1, :]
    is_first = best_with == first
    # Two heads may share the first place; then the other one is as good.
    tied = is_first.sum(axis=-2, keepdims=True) > 1
    result[...] = np.where(is_first & ~tied, second, first)
    result[..., :, 0] = result[..., 1:].max(axis=(-1, -2))[..., None]
    return result


def k_best(scores: Scores, k: int, **options: Unpack[TreeOptions]) -> Any:
    """Find the k projective trees of highest score.

    Parameters
    ----------
    scores, lengths, single_root, num_threads : as in :func:`max_arborescence`
    k : how many trees, at least 1

    Returns
    -------
    heads : int32 (found, n+1), distinct trees, best first; found < k if there are fewer
    values : (found,), their scores
        For a batch, a list with such a pair per sentence.
    """
    k = check_argument("k_best", "k", Integer(1), k)
    request = _request("k_best", scores, **options)
    heads, values = request.run(_core.projective_k_best, k)
    request.require_trees(values[:, 0])
    found = (~np.isneginf(values)).sum(axis=1)
    pairs = [(heads[b, :count], values[b, :count]) for b, count in enumerate(found)]
    return pairs if request.parts.batched else pairs[0]


def sample(
    scores: Scores,
    num_samples: int = 1,
    seed: int = 0,
    **options: Unpack[TreeOptions],
) -> Heads:
    """Draw projective trees from p(tree) ∝ exp(score(tree)), exactly and independently.

    Parameters
    ----------
    scores, lengths, single_root, num_threads : as in :func:`max_arborescence`
    num_samples : trees per sentence
    seed : non-negative integer below 2⁶⁴; the same seed gives the same trees, whatever num_threads

    Returns
    -------
    heads : int32 (num_samples, n+1) or (batch, num_samples, n+1)
    """
    num_samples = check_argument("sample", "num_samples", Integer(0), num_samples)
    seed = check_argument("sample", "seed", Integer(0, 2**64 - 1), seed)
    request = _request("sample", scores, **options)
    heads, log_z = request.run(_core.projective_sample, seed, num_samples)
    request.require_trees(log_z)
    result: Heads = request.one_or_all(heads)
    return result


def entropy(scores: Scores, **options: Unpack[TreeOptions]) -> Any:
    """Compute the entropy of p(tree) ∝ exp(score(tree)) in nats: a float or (batch,).

    Parameters
    ----------
    scores, lengths, single_root, num_threads : as in :func:`max_arborescence`
    """
    request = _request("entropy", scores, **options)
    values = request.run(_core.projective_entropy)
    request.require_trees(values)
    return request.one_or_all(values)


def kl_divergence(
    scores: Scores,
    other_scores: Scores,
    **options: Unpack[TreeOptions],
) -> Any:
    """Compute KL(p‖q) in nats, a float or (batch,), where p has the scores and q the other_scores.

    Parameters
    ----------
    scores, other_scores : like each other, as in :func:`max_arborescence`
    lengths, single_root, num_threads : as in :func:`max_arborescence`

    Returns
    -------
    +inf where p allows a tree that q forbids.

    Raises
    ------
    InvalidInputError
        If a sentence has no allowed tree under p or under q.
    """
    request = _request("kl_divergence", scores, **options)
    other = _request("kl_divergence", other_scores, **options)
    values = request.run(_core.projective_kl_divergence, _same_kind(request, other.parts, "other_scores"))
    request.require_trees(values)
    return request.one_or_all(values)


def mbr(marginals: ArrayLike | Parts, **options: Unpack[TreeOptions]) -> tuple[Heads, Any]:
    """Find the projective tree with the highest expected number of right heads (minimum Bayes risk).

    Parameters
    ----------
    marginals : (n+1, n+1), or (batch, n+1, n+1), of arcs; or parts, of which the arcs count
    lengths, single_root, num_threads : as in :func:`max_arborescence`

    Returns
    -------
    heads : int32 (n+1,) or (batch, n+1)
    value : float or (batch,), the expected number of right heads
    """
    arcs = np.asarray(marginals.arc) if isinstance(marginals, Parts) else marginals
    request = _request("mbr", arcs, **options)
    heads, values = request.run(_core.projective_best_trees)
    return request.one_or_all(heads), request.one_or_all(values)


def score(scores: Scores, heads: ArrayLike, *, single_root: bool = False) -> float:
    """Add up the scores of the parts of one tree.

    Parameters
    ----------
    scores : (n+1, n+1) or parts of higher order, of one sentence
    heads : (n+1,) integers; heads[0] is ignored
    single_root : exactly one word may be a modifier of the root

    Returns
    -------
    The score; −inf if the tree is not projective, or has several roots where one is asked for.

    Raises
    ------
    InvalidInputError
        If the heads are no tree.
    """
    request = _request("score", scores, single_root=single_root)
    array = np.asarray(heads)
    if request.parts.batched or array.shape != (request.parts.size,):
        raise InvalidInputError(
            f"score expects the scores of one sentence and heads of shape (n+1,); got {np.shape(request.parts.arc)} and"
            f" {array.shape}."
        )
    if not is_tree(array):
        raise InvalidInputError("score expects heads that lead every word to the root; got heads that do not.")
    if not is_tree(array, single_root=single_root) or not is_projective(array):
        return -np.inf
    listed = request.parts.tree_parts(array.astype(np.int32))
    given = ((getattr(request.parts, field), indices) for field, indices in listed.items())
    return float(sum(table[index] for table, indices in given if table is not None for index in indices))
