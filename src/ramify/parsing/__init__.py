"""The dependency parser: trained on a treebank, it gives tagged sentences their trees."""

from ramify.parsing.config import (
    Config,
    Data,
    Features,
    Inference,
    Method,
    Model,
    Part,
    Pruner,
    Training,
    Tree,
    preset_names,
)
from ramify.parsing.model_files import is_model, load_model, read_card, read_facts, save_model
from ramify.parsing.parser import Parser, ParseResult
from ramify.parsing.progress import EpochDone, Event, Pruned, Started, Step
from ramify.parsing.state import ModelState
from ramify.parsing.training import train

__all__ = [
    "Config",
    "Data",
    "EpochDone",
    "Event",
    "Features",
    "Inference",
    "Method",
    "Model",
    "ModelState",
    "ParseResult",
    "Parser",
    "Part",
    "Pruned",
    "Pruner",
    "Started",
    "Step",
    "Training",
    "Tree",
    "is_model",
    "load_model",
    "preset_names",
    "read_card",
    "read_facts",
    "save_model",
    "train",
]
