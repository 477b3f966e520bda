"""The options of the toy task."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import ClassVar

from ramify.learn.configuration import Configuration, Data
from ramify.options import Integer, checked, option

__all__ = ["Config", "Training"]


@dataclass(frozen=True, kw_only=True)
class Training(checked):
    """How weights are learned."""

    section: ClassVar[str] = "training"
    epochs: int = option(Integer(1, 100), 3, "passes over the sentences")
    seed: int = option(Integer(0), 1, "random seed for shuffling the sentences")


@dataclass(frozen=True, kw_only=True)
class Config(Configuration):
    """Everything that a training run depends on."""

    package: ClassVar[str] = "toy_task"  # its folder presets/ has the presets
    training: Training = dataclasses.field(default_factory=Training)
    data: Data = dataclasses.field(default_factory=Data)
