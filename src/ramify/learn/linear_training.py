"""Training runs of models whose weights are those of `ramify.learn.linear`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.learn.linear import Linear
from ramify.learn.run import Learner

if TYPE_CHECKING:
    from ramify.learn.linear import LinearWeights
    from ramify.learn.run import Arrays
    from ramify.learn.state import LinearState

__all__ = ["LinearLearner"]


class LinearLearner(Learner):
    """What a task with linear weights knows of one training run: it keeps the best of them, rounded.

    Attributes
    ----------
    config : all options; ``config.model.max_weights`` says how many weights are kept
    best : the best weights so far
    """

    remedy = "Train again with a smaller training.max-step."
    config: Any
    trainer: LinearWeights
    best: Linear | None = None

    @property
    def learned(self) -> Linear:
        """The best weights of a run that is over."""
        assert self.best is not None  # noqa: S101 - the last epoch is one at least
        return self.best

    def end_epoch(self) -> None:
        """Tell the trainer."""
        self.trainer.end_epoch()

    def keep(self) -> None:
        """Round the weights as the model file will hold them."""
        self.best = self.trainer.freeze(self.config.model.max_weights)

    def kept(self) -> Arrays:
        """Return the best weights."""
        if self.best is None:
            return {}
        return {"keys": self.best.keys, "weights": self.best.weights, "scale": np.array([self.best.scale])}

    def restore(self, kept: Arrays) -> None:
        """Take back the best weights."""
        if kept:
            self.best = Linear(kept["keys"], kept["weights"], float(kept["scale"][0]))

    def facts(self, state: LinearState[Any]) -> dict[str, Any]:
        """Return the number of weights."""
        return {"weights": len(state.weights.keys)}
