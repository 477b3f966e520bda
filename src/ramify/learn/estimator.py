"""What scikit-learn asks of every estimator, without importing it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ClassVar

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Estimator"]


class Estimator:
    """Parameters by name; a subclass stores those of its constructor under their own names, and nothing else there.

    Attributes
    ----------
    fitted_by : name of an attribute that an estimator has once it is fitted
    """

    fitted_by: ClassVar[str]

    @classmethod
    def _parameters(cls) -> dict[str, inspect.Parameter]:
        return {name: value for name, value in inspect.signature(cls.__init__).parameters.items() if name != "self"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; what is fitted stays as it is until the next `fit`."""
        known = self._parameters()
        for name, value in params.items():
            if name not in known:
                raise InvalidInputError(f"{type(self).__name__} has the parameters {', '.join(known)}; got {name!r}.")
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        """Return scikit-learn's description of an estimator; only called by scikit-learn itself."""
        from sklearn.utils import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
            InputTags,
            Tags,
            TargetTags,
        )

        # No classifier to scikit-learn: that would have one label a sample, and folds balanced by it.
        return Tags(estimator_type=None, target_tags=TargetTags(required=True), input_tags=InputTags(two_d_array=False))

    def __sklearn_is_fitted__(self) -> bool:
        """Tell whether `fit` was called."""
        return hasattr(self, self.fitted_by)

    def __repr__(self) -> str:
        known = self._parameters()
        shown = [f"{k}={v!r}" for k, v in self.get_params().items() if not _is_default(v, known[k].default)]
        return f"{type(self).__name__}({', '.join(shown)})"

    def _expect_fit(self, what: str) -> None:
        if not self.__sklearn_is_fitted__():
            raise InvalidInputError(f"{type(self).__name__} expects fit before {what}; it was not called.")


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, (bool, int, float, str)) and value == default)
