"""What a trained model consists of."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from typing_extensions import Self

    from ramify.learn.linear import Linear

__all__ = ["LinearState", "TrainedState"]

C = TypeVar("C")
F = TypeVar("F")
W = TypeVar("W")


@dataclass(frozen=True)
class TrainedState(Generic[C, F, W]):
    """A trained model as plain values and arrays.

    Attributes
    ----------
    config : options of training
    frame : what the data showed before any weight was learned
    weights : what was learned
    facts : for the card
    """

    config: C
    frame: F
    weights: W
    facts: dict[str, Any] = field(default_factory=dict)

    def with_config(self, config: C) -> Self:
        """Return the same model with other options."""
        return replace(self, config=config)


@dataclass(frozen=True)
class LinearState(Generic[C]):
    """A trained model whose parts Python describes, so that no C++ model is built from it.

    Attributes
    ----------
    config : options of training
    weights : of features
    facts : for the card
    """

    config: C
    weights: Linear
    facts: dict[str, Any] = field(default_factory=dict)

    def build(self) -> Self:
        """Return what answers questions: the state itself."""
        return self
