"""Differentiable layers for PyTorch on the engine: trees, chains and factor graphs in batches.

They need the extra ``neural``. Elsewhere in the package, only the training of networks imports PyTorch.
"""

from ramify.errors import MissingExtraError

try:
    import torch as _torch  # noqa: F401 - only to say clearly that it is missing
except ImportError as error:  # pragma: no cover - the tests of this package need it
    raise MissingExtraError("torch", "neural", "ramify.torch") from error

from ramify.torch._chains import ChainMarginals, Chains
from ramify.torch._graphs import FactorGraphLayer, GraphAnswer
from ramify.torch._parts import Grandparents, GrandSiblings, Siblings, TriSiblings
from ramify.torch._trees import NonprojectiveTrees, ProjectiveTrees

__all__ = [
    "ChainMarginals",
    "Chains",
    "FactorGraphLayer",
    "GrandSiblings",
    "Grandparents",
    "GraphAnswer",
    "NonprojectiveTrees",
    "ProjectiveTrees",
    "Siblings",
    "TriSiblings",
]
