"""Algorithms over dependency trees that take scores of arcs. They can be used without the rest of the package.

All functions take `scores` of shape (n + 1, n + 1), indexed [head, modifier], the root 0; or a batch; or an
ArcList.
"""

from __future__ import annotations

from ramify.trees import _maxima, _sums, projective, projectivity
from ramify.trees._inputs import ArcList
from ramify.trees._maxima import *  # noqa: F403 - the two modules say what they offer
from ramify.trees._sums import *  # noqa: F403

__all__ = ["ArcList", "projective", "projectivity", *_maxima.__all__, *_sums.__all__]
