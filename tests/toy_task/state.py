"""What a trained model consists of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from toy_task.config import Config

__all__ = ["State"]


@dataclass(frozen=True)
class State:
    """Options, names, weights of shape (forms, tags), and the facts of the card."""

    config: Config
    forms: tuple[str, ...]
    tags: tuple[str, ...]
    weights: npt.NDArray[np.float64]
    facts: dict[str, Any] = field(default_factory=dict)

    def build(self) -> dict[str, str]:
        """Return what answers questions: here, the tag of each form."""
        return {form: self.tags[best] for form, best in zip(self.forms, self.weights.argmax(1), strict=True)}
