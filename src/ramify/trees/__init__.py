"""Algorithms over dependency trees that take scores of arcs. They can be used without the rest of the package.

All functions take `scores` of shape (n + 1, n + 1), indexed [head, modifier], the root 0; or a batch; or an
ArcList.
"""

from __future__ import annotations

from ramify.trees import projective, projectivity
from ramify.trees._inputs import ArcList
from ramify.trees._maxima import k_best, max_arborescence, max_marginals, mbr, sample, score
from ramify.trees._sums import entropy, kl_divergence, log_partition, marginals, marginals_vjp, messages

__all__ = [
    "ArcList",
    "entropy",
    "k_best",
    "kl_divergence",
    "log_partition",
    "marginals",
    "marginals_vjp",
    "max_arborescence",
    "max_marginals",
    "mbr",
    "messages",
    "projective",
    "projectivity",
    "sample",
    "score",
]
