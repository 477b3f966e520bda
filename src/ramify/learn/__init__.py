"""What all learned models share: options and their files, model files, threads; and models of one's own."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ramify.learn.structured.losses import Loss
    from ramify.learn.structured.model import StructuredModel
    from ramify.learn.structured.parts import Parts

__all__ = ["Loss", "Parts", "StructuredModel"]

_LAZY = {"Loss": "losses", "Parts": "parts", "StructuredModel": "model"}


def __getattr__(name: str) -> object:
    """Import what users learn with when it is first asked for: models that are trained already do without."""
    if name not in _LAZY:
        raise AttributeError(f"module 'ramify.learn' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"ramify.learn.structured.{_LAZY[name]}"), name)
    globals()[name] = value
    return value
