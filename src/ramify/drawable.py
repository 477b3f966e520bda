"""What can be drawn, without knowing how.

Drawing is the front layer's, `ramify.viz`, which knows sentences and parser results; those may not know it. So they
derive from `Drawable`, whose methods ask for the module of the drawing functions by way of `set_drawing`: the package
itself sets that when it is imported, and the functions are imported when something is first drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Drawable", "drawing", "set_drawing"]

_drawing: list[Callable[[], Any]] = []


def set_drawing(load: Callable[[], Any]) -> None:
    """Say where the drawing functions come from: `load` returns a module, or an object, that has them."""
    _drawing[:] = [load]


def drawing() -> Any:
    """Return the module that has the drawing functions."""
    return _drawing[0]()


class Drawable:
    """Has pictures of itself, and shows one where a notebook displays it."""

    __slots__ = ()

    def svg(self, **options: Any) -> str:
        """Draw as a standalone SVG file; `ramify.viz.DrawingOptions` says what options there are."""
        drawn: str = drawing().svg(self, **options)
        return drawn

    def html(self, **options: Any) -> str:
        """Draw as a standalone HTML page; `ramify.viz.DrawingOptions` says what options there are."""
        drawn: str = drawing().html(self, **options)
        return drawn

    def table(self, **options: Any) -> str:
        """Write as a table for a terminal, with arcs in front of the words."""
        drawn: str = drawing().table(self, **options)
        return drawn

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        drawn: str = drawing().html(self, page=False)
        return drawn
