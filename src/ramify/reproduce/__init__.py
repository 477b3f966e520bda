"""Experiments that anyone with the data can run again, each with one command."""

from ramify.reproduce import ablations, erma, frontier, languages
from ramify.reproduce.page import Claim, Paper, Table, render
from ramify.reproduce.papers import PAPERS
from ramify.reproduce.runs import Plan, Run, read_runs, run_all
from ramify.reproduce.treebanks import Treebank, treebanks
from ramify.reproduce.trials import FULL, QUICK, Outcome, Outcomes, Scale, Trial, run_trials

__all__ = [
    "FULL",
    "PAPERS",
    "QUICK",
    "Claim",
    "Outcome",
    "Outcomes",
    "Paper",
    "Plan",
    "Run",
    "Scale",
    "Table",
    "Treebank",
    "Trial",
    "ablations",
    "erma",
    "frontier",
    "languages",
    "read_runs",
    "render",
    "run_all",
    "run_trials",
    "treebanks",
]
