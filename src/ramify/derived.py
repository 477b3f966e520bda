"""Read-only attributes that follow from others, declared in one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

__all__ = ["Derived"]

V = TypeVar("V")


class Derived(property, Generic[V]):
    """A property whose type is that of its function.

    Parameters
    ----------
    compute : function of the object
    doc : documentation of the attribute

    Examples
    --------
    >>> class Square:
    ...     side = 3
    ...     area = Derived(lambda square: square.side**2, "Area.")
    >>> Square().area
    9
    """

    def __init__(self, compute: Callable[[Any], V], doc: str) -> None:
        super().__init__(compute, doc=doc)

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type, /) -> Self: ...
        @overload
        def __get__(self, instance: Any, owner: type | None = None, /) -> V: ...
        def __get__(self, instance: Any, owner: type | None = None, /) -> Any: ...
