"""Factor families: groups of factors over discrete variables, soft (scores) or hard (constraints)."""

from ramify.factors.base import Factor
from ramify.factors.capability import Capability, Trait
from ramify.factors.chains import (
    CompressionTree,
    ConsecutiveSiblings,
    GatedSiblings,
    GrandSiblings,
    GrandTriSiblings,
    HeadBigram,
    SecondOrderSequence,
    Sequence,
    SiblingFormulation,
    TriSiblings,
)
from ramify.factors.counting import Budget, BudgetKind, Count, Knapsack
from ramify.factors.dependency import NoCross, ProjectiveTree, Tree, TreeFormulation
from ramify.factors.logic import AndOut, AtMostOne, ExactlyOne, Imply, Nand, Or, OrOut, XorOut
from ramify.factors.results import FactorArgmax, FactorConstraints, FactorMarginals, FactorMessages, FactorProjection
from ramify.factors.tables import Pair, Table, Tag, TagLink
from ramify.factors.user import Oracle, UserFactor

__all__ = [
    "AndOut",
    "AtMostOne",
    "Budget",
    "BudgetKind",
    "Capability",
    "CompressionTree",
    "ConsecutiveSiblings",
    "Count",
    "ExactlyOne",
    "Factor",
    "FactorArgmax",
    "FactorConstraints",
    "FactorMarginals",
    "FactorMessages",
    "FactorProjection",
    "GatedSiblings",
    "GrandSiblings",
    "GrandTriSiblings",
    "HeadBigram",
    "Imply",
    "Knapsack",
    "Nand",
    "NoCross",
    "Or",
    "OrOut",
    "Oracle",
    "Pair",
    "ProjectiveTree",
    "SecondOrderSequence",
    "Sequence",
    "SiblingFormulation",
    "Table",
    "Tag",
    "TagLink",
    "Trait",
    "Tree",
    "TreeFormulation",
    "TriSiblings",
    "UserFactor",
    "XorOut",
]
