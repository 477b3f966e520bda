"""Sequence labelling: parts of speech, morphology, lemmas, chunks, entities."""

from ramify.learn.progress import EpochDone, Event, Resumed, Started, Step
from ramify.tagging.config import Config, Data, Features, LabelMarks, Model, Steps, Training, Weighted
from ramify.tagging.estimator import SequenceLabeller
from ramify.tagging.lemmas import apply_script, edit_script
from ramify.tagging.model_files import load_model, save_model
from ramify.tagging.result import ScoredLabels, TagResult
from ramify.tagging.state import ModelState
from ramify.tagging.tagger import Constraints, Tagger
from ramify.tagging.task import TASK, train

__all__ = [
    "TASK",
    "Config",
    "Constraints",
    "Data",
    "EpochDone",
    "Event",
    "Features",
    "LabelMarks",
    "Model",
    "ModelState",
    "Resumed",
    "ScoredLabels",
    "SequenceLabeller",
    "Started",
    "Step",
    "Steps",
    "TagResult",
    "Tagger",
    "Training",
    "Weighted",
    "apply_script",
    "edit_script",
    "load_model",
    "save_model",
    "train",
]
