"""What the training of a pipeline tells while it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Event", "Inner", "StepBegun", "StepDone"]


@dataclass(frozen=True)
class StepBegun:
    """A step of the training begins.

    Attributes
    ----------
    name : what is trained, such as ``"upos"`` or ``"upos, fold 3 of 10"``
    """

    name: str


@dataclass(frozen=True)
class Inner:
    """What the training of a component tells.

    Attributes
    ----------
    name : of the component
    event : of `ramify.segmentation`, `ramify.tagging` or `ramify.parsing`
    """

    name: str
    event: Any


@dataclass(frozen=True)
class StepDone:
    """A step is over.

    Attributes
    ----------
    name : of the step
    seconds : it took; None if it was there from a run before
    """

    name: str
    seconds: float | None


Event = StepBegun | Inner | StepDone
