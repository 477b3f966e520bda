"""A toy task, as CONTRIBUTING explains it: the tag of a word is the one that a perceptron learned for its form."""

from toy_task.model import Toy
from toy_task.task import TASK

__all__ = ["TASK", "Toy"]
