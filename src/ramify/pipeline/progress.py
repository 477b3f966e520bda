"""What the training of a pipeline tells while it goes on; the text of an event (``str``) is a line for people."""

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
    name : what is trained, such as ``"upos"`` or ``"upos, fold 3 of 10"``
    """

    name: str

    def __str__(self) -> str:
        return f"{self.name} …"


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

    def __str__(self) -> str:
        return str(self.event)

    @property
    def step(self) -> Step | None:
        """The step that this is, if it is one; it tells the folds of a tagger apart."""
        if not isinstance(self.event, Step):
            return None
        return replace(self.event, stage=self.name) if self.name.startswith(self.event.stage) else self.event


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

    def __str__(self) -> str:
        return f"{self.name}: " + ("done before" if self.seconds is None else f"{self.seconds:.1f} s")


Event = StepBegun | Inner | StepDone
