"""Pickles and copies of trained models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PICKLED", "FrozenModel"]

PICKLED = "<pickled model>"
"""What errors call a model that was read from a pickle."""

_Model = TypeVar("_Model", bound="FrozenModel")


class FrozenModel:
    """A model that never changes: its copies are the model itself, and its pickle holds its model files."""

    def _files(self) -> dict[str, bytes]:
        """Return the content of the model files, by their names."""
        raise NotImplementedError

    @classmethod
    def _from_files(cls: type[_Model], files: Mapping[str, bytes]) -> _Model:
        """Build the model from its files."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._from_files, (self._files(),)

    def __copy__(self: _Model) -> _Model:
        return self

    def __deepcopy__(self: _Model, memo: dict[int, Any]) -> _Model:
        return self
