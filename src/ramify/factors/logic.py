"""Hard constraints of logic over binary variables, any of them negated.

Smith & Eisner (2008), section 3.3; Martins et al. (2010), Table 1; Martins et al. (2011), section 4.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ramify._core import factors as _core
from ramify.factors.base import Factor
from ramify.factors.slots import Slots

__all__ = ["AndOut", "AtMostOne", "ExactlyOne", "Imply", "Nand", "Or", "OrOut", "XorOut"]


class _Logic(Factor):
    """One rule and the inputs that the family itself negates."""

    _rule: ClassVar[Any]
    _role: ClassVar[str] = ""  # what the last variable is, where it is not like the others

    def __init_subclass__(cls) -> None:
        """Say what all families of logic take."""
        super().__init_subclass__()
        if not cls.__doc__ or _Logic not in cls.__bases__:
            return
        size = f"n >= 2, the last is the {cls._role}" if cls._role else "n >= 1"
        cls.__doc__ = f"""{cls.__doc__}

    Parameters
    ----------
    variables : shape (n,), (factors, n) or list of arrays; {size}
    negated : booleans in the same shape, optional
    """

    def __init__(self, variables: Any, negated: Any = None) -> None:
        who = type(self).__name__
        slots = Slots.read(who, variables, binary=True, at_least=2 if self._role else 1)
        given = flags = slots.flags(who, negated)
        own = self._own_negations(slots)
        if own is not None:
            flags = own if flags.size == 0 else flags ^ own
        group = _core.make_logic(who, self._rule, slots.offsets, flags)
        super().__init__(group, slots, np.zeros(0), negated=given)

    @classmethod
    def _rebuild(cls, variables: Any, scores: Any, **own: Any) -> Factor:
        return cls(variables, own["negated"] if own["negated"].size else None)

    @classmethod
    def _adopted(cls, arguments: dict[str, Any], slots: Slots) -> dict[str, Any]:
        """Take away what the family itself negates; what is left are the literals that were meant to be."""
        flags = arguments["negated"].astype(np.uint8)
        own = cls._own_negations(slots)
        given = flags if own is None else own if flags.size == 0 else flags ^ own
        return {"negated": given if given.any() else np.zeros(0, dtype=np.uint8)}

    @staticmethod
    def _own_negations(slots: Slots) -> Any:
        return None


def _all(slots: Slots) -> Any:
    return np.ones(slots.variables.size, dtype=np.uint8)


def _last(slots: Slots) -> Any:
    flags = np.zeros(slots.variables.size, dtype=np.uint8)
    flags[slots.offsets[1:] - 1] = 1
    return flags


class ExactlyOne(_Logic):
    """Exactly one literal is true (one-hot, XOR)."""

    _rule = _core.LogicRule.EXACTLY_ONE


class AtMostOne(_Logic):
    """At most one literal is true."""

    _rule = _core.LogicRule.AT_MOST_ONE


class Or(_Logic):
    """At least one literal is true."""

    _rule = _core.LogicRule.OR


class OrOut(_Logic):
    """The last literal is true exactly if some other literal is."""

    _rule = _core.LogicRule.OR_OUT
    _role = "output"


class XorOut(_Logic):
    """At most one of the first literals is true, and the last one is true exactly if one of them is."""

    _rule = _core.LogicRule.EXACTLY_ONE
    _role = "output"
    _own_negations = staticmethod(_last)


class AndOut(_Logic):
    """The last literal is true exactly if all others are."""

    _rule = _core.LogicRule.OR_OUT
    _role = "output"
    _own_negations = staticmethod(_all)


class Imply(_Logic):
    """If all literals but the last are true, so is the last."""

    _rule = _core.LogicRule.OR
    _role = "conclusion"
    _own_negations = staticmethod(lambda slots: _all(slots) ^ _last(slots))


class Nand(_Logic):
    """Not all literals are true."""

    _rule = _core.LogicRule.OR
    _own_negations = staticmethod(_all)
