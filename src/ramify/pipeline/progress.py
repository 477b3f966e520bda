"""Events that the training of a pipeline reports. The text of an event (``str``) is a line that users read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ramify.learn.progress import Step

__all__ = ["Event", "Inner", "StepBegun", "StepDone"]


@dataclass(frozen=True)
class StepBegun:
    """A step of the training begins.

    Attributes
    ----------
    name : model that is trained, such as ``"upos"`` or ``"upos, fold 3 of 10"``
    """

    name: str

    def __str__(self) -> str:
        return f"{self.name} …"


@dataclass(frozen=True)
class Inner:
    """An event of the training of a component.

    Attributes
    ----------
    name : name of the component
    event : event that `ramify.segmentation`, `ramify.tagging` or `ramify.parsing` reported
    """

    name: str
    event: Any

    def __str__(self) -> str:
        return str(self.event)

    @property
    def step(self) -> Step | None:
        """The event as a `Step` whose stage names the fold of a tagger; None if it is another kind of event."""
        if not isinstance(self.event, Step):
            return None
        return replace(self.event, stage=self.name) if self.name.startswith(self.event.stage) else self.event


@dataclass(frozen=True)
class StepDone:
    """A step of the training has finished.

    Attributes
    ----------
    name : name of the step
    seconds : time that the step took; None if an earlier run had already done it
    """

    name: str
    seconds: float | None

    def __str__(self) -> str:
        return f"{self.name}: " + (
            "already done in an earlier run" if self.seconds is None else f"{self.seconds:.1f} s"
        )


Event = StepBegun | Inner | StepDone
