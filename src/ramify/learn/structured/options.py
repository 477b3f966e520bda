"""The parameters of a structured model, checked when training starts, as scikit-learn has it."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError
from ramify.learn.structured.losses import Loss
from ramify.learn.threads import num_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OPTIMIZERS", "Options"]

_LARGEST = sys.float_info.max  # whole numbers can be larger, too
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
        batch_size = _number("batch_size", model.batch_size, 1, whole=True)
        if model.optimizer == "automatic" and batch_size > 1:
            raise InvalidInputError(
                f"StructuredModel expects batch_size=1 with optimizer='automatic'; got {batch_size}: the step follows "
                "from the loss of one example."
            )
        return cls(
            loss=Loss.read(model.loss),
            optimizer=model.optimizer,
            max_step=_number("max_step", step, 0.0),
            l2=_number("l2", model.l2, 0.0),
            epochs=_number("epochs", model.epochs, 0, whole=True),
            batch_size=batch_size,
            average=bool(model.average),
            early_stopping=bool(model.early_stopping if early_stopping is None else early_stopping),
            validation_fraction=_number("validation_fraction", model.validation_fraction, 0.0, 1.0),
            patience=None if patience is None else _number("n_iter_no_change", patience, 1, whole=True),
            tol=_number("tol", model.tol, 0.0),
            seed=_number("seed", model.seed, 0, whole=True),
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


def _number(name: str, value: Any, low: float, high: float = math.inf, *, whole: bool = False) -> Any:
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if isinstance(value, bool) or not isinstance(value, kinds) or not low <= value <= high or value > _LARGEST:
        kind = "a whole number" if whole else "a finite number"
        limits = f"from {low:g} to {high:g}" if high < math.inf else f"of at least {low:g}"
        raise InvalidInputError(f"StructuredModel expects {name} to be {kind} {limits}; got {value!r}.")
    return int(value) if whole else float(value)
