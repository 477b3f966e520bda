"""Run parsers and write each finished run as a line of a file, so that an interrupted experiment can continue."""

from __future__ import annotations

import dataclasses
import itertools
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ramify.data import read
from ramify.evaluation import attachment_scores
from ramify.parsing import Parser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from ramify.data import Sentence
    from ramify.reproduce.treebanks import Treebank

__all__ = ["Plan", "Run", "read_runs", "run_all"]


@dataclass(frozen=True)
class Plan:
    """What is to be run.

    Attributes
    ----------
    bank : the treebank
    preset : of the parser
    variant : what is different, in words; "" is nothing
    options : the same for the configuration
    num_sentences : most that are trained on; 0 is all
    on_dev : whether the dev file is scored, not the test file
    """

    bank: Treebank
    preset: str
    variant: str = ""
    options: Mapping[str, str] = dataclasses.field(default_factory=dict)
    num_sentences: int = 0
    on_dev: bool = False


@dataclass(frozen=True)
class Run:
    """A plan that was carried out, and its scores (shares, punctuation counted, labels without subtypes)."""

    language: str
    name: str
    preset: str
    variant: str
    uas: float
    las: float
    train_seconds: float
    tokens_per_second: float
    certified: float
    epochs: int

    @property
    def scores(self) -> str:
        """UAS / LAS in per cent, as a table has them."""
        return f"{100 * self.uas:.2f} / {100 * self.las:.2f}"

    @property
    def key(self) -> tuple[str, str, str]:
        """Which plan it was."""
        return self.name, self.preset, self.variant


def read_runs(path: Path) -> list[Run]:
    """Return the runs that a results file has already."""
    if not path.exists():
        return []
    return [Run(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line]


def run_all(
    todo: Iterable[Plan],
    results: Path,
    *,
    options: Mapping[str, str],
    report: Callable[[Run], None] = lambda run: None,
) -> list[Run]:
    """Carry out the plans that are not in the results file yet, and add each finished run to it at once."""
    runs = read_runs(results)
    done = {run.key for run in runs}
    for plan in todo:
        if (plan.bank.name, plan.preset, plan.variant) in done:
            continue
        run = _run(plan, options)
        runs.append(run)
        with results.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(dataclasses.asdict(run)) + "\n")
        report(run)
    return runs


def _sentences(paths: Iterable[Path]) -> Iterable[Sentence]:
    return (sentence for path in paths for sentence in read(path, multiple_roots=True))


def _run(plan: Plan, options: Mapping[str, str]) -> Run:
    bank = plan.bank
    train = list(itertools.islice(_sentences(bank.train), plan.num_sentences)) if plan.num_sentences else bank.train
    began = time.process_time()
    chosen = {**plan.options, **options}
    parser = Parser.train(train=train, dev=bank.dev or None, preset=plan.preset, options=chosen, progress=False)
    trained = time.process_time()
    gold = list(_sentences(bank.dev if plan.on_dev else bank.test))
    results = parser.parse(gold)
    parsed = time.process_time()
    scores = attachment_scores(gold, [result.sentence for result in results], subtypes=False)
    words = sum(len(sentence) for sentence in gold)
    return Run(
        bank.language,
        bank.name,
        plan.preset,
        plan.variant,
        scores.uas,
        scores.las,
        trained - began,
        words / (parsed - trained),
        sum(result.certified for result in results) / len(results),
        parser.config.training.epochs,
    )
