"""The parameters of a structured model, checked when training starts, as scikit-learn has it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError
from ramify.learn.structured.losses import Loss
from ramify.learn.threads import num_threads
from ramify.options import Integer, Number, check_argument

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OPTIMIZERS", "Options"]

OPTIMIZERS = {"adagrad": 0.2, "automatic": 0.1, "sgd": 0.1}  # with the step where the user names none


@dataclass(frozen=True)
class Options:
    """What training needs to know; see `StructuredModel`."""

    loss: Loss
    optimizer: str
    max_step: float
    l2: float
    epochs: int
    batch_size: int
    average: bool
    early_stopping: bool
    validation_fraction: float
    patience: int | None
    tol: float
    seed: int
    threads: int

    @classmethod
    def read(cls, model: Any, *, early_stopping: bool | None = None) -> Options:
        """Check the parameters of a model.

        Parameters
        ----------
        model : that has them as attributes
        early_stopping : instead of the model's own
        """
        if model.optimizer not in OPTIMIZERS:
            names = ", ".join(map(repr, OPTIMIZERS))
            raise InvalidInputError(f"StructuredModel expects optimizer to be one of {names}; got {model.optimizer!r}.")
        for name in ("inference", "decoder"):
            method = getattr(model, name)
            if method is not None and not callable(getattr(method, "solve", None)):
                raise InvalidInputError(
                    f"StructuredModel expects {name} to be an inference method, such as AD3(), or None; got {method!r}."
                )
        step = OPTIMIZERS[model.optimizer] if model.max_step is None else model.max_step
        patience = model.n_iter_no_change
        batch_size = _whole("batch_size", model.batch_size, 1)
        if model.optimizer == "automatic" and batch_size > 1:
            raise InvalidInputError(
                f"StructuredModel expects batch_size=1 with optimizer='automatic'; got {batch_size}: the step follows "
                "from the loss of one example."
            )
        return cls(
            loss=Loss.read(model.loss),
            optimizer=model.optimizer,
            max_step=_number("max_step", step),
            l2=_number("l2", model.l2),
            epochs=_whole("epochs", model.epochs, 0),
            batch_size=batch_size,
            average=bool(model.average),
            early_stopping=bool(model.early_stopping if early_stopping is None else early_stopping),
            validation_fraction=_number("validation_fraction", model.validation_fraction, 1.0),
            patience=None if patience is None else _whole("n_iter_no_change", patience, 1),
            tol=_number("tol", model.tol),
            seed=_whole("seed", model.seed, 0),
            threads=num_threads(model.threads),
        )

    def split(self, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return positions of examples to learn from, and of those held out for early stopping.

        Parameters
        ----------
        size : number of examples
        """
        if not self.early_stopping:
            return np.arange(size), np.arange(0)
        held_out = max(1, round(self.validation_fraction * size))
        if held_out >= size:
            raise InvalidInputError(
                f"StructuredModel expects examples to learn from besides those held out by validation_fraction="
                f"{self.validation_fraction:g}; got {size} in all."
            )
        order = np.random.default_rng(self.seed).permutation(size)
        return np.sort(order[held_out:]), np.sort(order[:held_out])


def _whole(name: str, value: Any, low: int) -> int:
    return check_argument("StructuredModel", name, Integer(low), value)


def _number(name: str, value: Any, high: float = math.inf) -> float:
    return check_argument("StructuredModel", name, Number(0, high, below=high == math.inf), value)
