"""Experiments that anyone with the data can run again, each with one command."""

from ramify.reproduce import ablations, languages
from ramify.reproduce.runs import Plan, Run, read_runs, run_all
from ramify.reproduce.treebanks import Treebank, treebanks

__all__ = ["Plan", "Run", "Treebank", "ablations", "languages", "read_runs", "run_all", "treebanks"]
