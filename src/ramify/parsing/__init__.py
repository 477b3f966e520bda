"""The dependency parser: trained on a treebank, it gives tagged sentences their trees."""

from ramify.parsing.config import (
    Config,
    Data,
    Features,
    Inference,
    Loss,
    Method,
    Model,
    Optimizer,
    Part,
    Pruner,
    Training,
    Tree,
    preset_names,
)
from ramify.parsing.constraints import (
    Constraint,
    ConstraintFile,
    Head,
    Label,
    NotHead,
    Root,
    check_constraints,
    constraints_of_misc,
    read_constraints,
)
from ramify.parsing.explanation import ComparedTree, Explanation, Feature, HeadProbability, PartScore, Price
from ramify.parsing.model_files import is_model, load_model, read_card, read_facts, save_model
from ramify.parsing.parser import Parser
from ramify.parsing.progress import EpochDone, Event, Pruned, Resumed, Started, Step
from ramify.parsing.request import Decoder, ParseOptions
from ramify.parsing.result import ParseResult, ParseStatus, ScoredTree
from ramify.parsing.state import ModelState
from ramify.parsing.task import TASK, train

__all__ = [
    "TASK",
    "ComparedTree",
    "Config",
    "Constraint",
    "ConstraintFile",
    "Data",
    "Decoder",
    "EpochDone",
    "Event",
    "Explanation",
    "Feature",
    "Features",
    "Head",
    "HeadProbability",
    "Inference",
    "Label",
    "Loss",
    "Method",
    "Model",
    "ModelState",
    "NotHead",
    "Optimizer",
    "ParseOptions",
    "ParseResult",
    "ParseStatus",
    "Parser",
    "Part",
    "PartScore",
    "Price",
    "Pruned",
    "Pruner",
    "Resumed",
    "Root",
    "ScoredTree",
    "Started",
    "Step",
    "Training",
    "Tree",
    "check_constraints",
    "constraints_of_misc",
    "is_model",
    "load_model",
    "preset_names",
    "read_card",
    "read_constraints",
    "read_facts",
    "save_model",
    "train",
]
