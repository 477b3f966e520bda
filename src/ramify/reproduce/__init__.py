"""Experiments that anyone with the data can run again, each with one command."""

from ramify.reproduce.languages import LanguageRun, Treebank, plan, read_runs, run_all, table, treebanks

__all__ = ["LanguageRun", "Treebank", "plan", "read_runs", "run_all", "table", "treebanks"]
