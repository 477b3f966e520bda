"""Projective trees: those whose arcs can be drawn above the sentence without crossing.

The functions have the names of their non-projective counterparts in :mod:`ramify.trees` and take arc scores or, for
higher orders, an instance of one of the ``…Parts`` classes.
"""

from ramify.trees.projective.functions import (
    entropy,
    k_best,
    kl_divergence,
    log_partition,
    marginals,
    marginals_vjp,
    max_arborescence,
    max_marginals,
    mbr,
    sample,
    score,
)
from ramify.trees.projective.parts import (
    ArcParts,
    GrandparentParts,
    GrandSiblingParts,
    Parts,
    SiblingParts,
    TriSiblingParts,
)
from ramify.trees.projectivity import (
    closest_projective,
    crossing_arcs,
    gap_degree,
    is_projective,
    is_tree,
    nonprojective_arcs,
    projectivize,
)

__all__ = [
    "ArcParts",
    "GrandSiblingParts",
    "GrandparentParts",
    "Parts",
    "SiblingParts",
    "TriSiblingParts",
    "closest_projective",
    "crossing_arcs",
    "entropy",
    "gap_degree",
    "is_projective",
    "is_tree",
    "k_best",
    "kl_divergence",
    "log_partition",
    "marginals",
    "marginals_vjp",
    "max_arborescence",
    "max_marginals",
    "mbr",
    "nonprojective_arcs",
    "projectivize",
    "sample",
    "score",
]
