"""The parser on many treebanks: first, second and third order, and projective against non-projective trees."""

from __future__ import annotations

import csv
import dataclasses
import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ramify.data import read
from ramify.errors import InvalidInputError
from ramify.evaluation import attachment_scores
from ramify.parsing import Parser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

__all__ = ["LanguageRun", "Treebank", "plan", "read_runs", "run_all", "table", "treebanks"]

_KINDS = ("official", "own split", "pre-release")  # splits whose scores mean something to others
_ORDERS = ("first", "second", "third")
_NON_PROJECTIVE = ("eu", "hu", "nl")  # languages in which it should matter


@dataclass(frozen=True)
class Treebank:
    """A row of ``splits.tsv``: which files to train, choose and test on."""

    language: str
    name: str
    train: tuple[Path, ...]
    dev: tuple[Path, ...]
    test: tuple[Path, ...]


@dataclass(frozen=True)
class LanguageRun:
    """One treebank, one configuration, and the scores on its test file (shares, punctuation counted, no subtypes)."""

    language: str
    name: str
    preset: str
    tree: str
    uas: float
    las: float
    train_seconds: float
    tokens_per_second: float
    certified: float
    epochs: int


def treebanks(folder: Path) -> list[Treebank]:
    """Return the treebanks of a folder with a ``splits.tsv``, those with a split of their own."""
    splits = folder / "splits.tsv"
    if not splits.is_file():
        raise InvalidInputError(
            f"{folder}: expected a file splits.tsv (columns lang, name, kind, train, dev, test); found none. "
            "Name the folder of treebanks with --data."
        )
    root = folder / "treebanks" if (folder / "treebanks").is_dir() else folder

    def files(cell: str) -> tuple[Path, ...]:
        return tuple(root / part for part in cell.split(",") if part != "-")

    with splits.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    return [
        Treebank(row["lang"], row["name"], files(row["train"]), files(row["dev"]), files(row["test"]))
        for row in rows
        if row["kind"] in _KINDS
    ]


def plan(banks: Iterable[Treebank]) -> list[tuple[Treebank, str, str]]:
    """Return what has to be run: every treebank at every order, and projective trees where they may hurt."""
    runs = [(bank, preset, "nonprojective") for bank in banks for preset in _ORDERS]
    return runs + [(bank, "second", "projective") for bank, preset, _ in runs if preset == "second" and _hurts(bank)]


def _hurts(bank: Treebank) -> bool:
    return bank.language in _NON_PROJECTIVE


def read_runs(path: Path) -> list[LanguageRun]:
    """Return the runs that a results file has already."""
    if not path.exists():
        return []
    return [LanguageRun(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line]


def run_all(
    todo: Iterable[tuple[Treebank, str, str]],
    results: Path,
    *,
    options: Mapping[str, str],
    report: Callable[[LanguageRun], None] = lambda run: None,
) -> list[LanguageRun]:
    """Train and test what is not in the results file yet; each finished run is a line of it at once."""
    runs = read_runs(results)
    done = {(run.name, run.preset, run.tree) for run in runs}
    for bank, preset, tree in todo:
        if (bank.name, preset, tree) in done:
            continue
        run = _run(bank, preset, tree, options)
        runs.append(run)
        with results.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(dataclasses.asdict(run)) + "\n")
        report(run)
    return runs


def _run(bank: Treebank, preset: str, tree: str, options: Mapping[str, str]) -> LanguageRun:
    began = time.process_time()
    parser = Parser.train(
        train=bank.train, dev=bank.dev or None, preset=preset, options={**options, "model.tree": tree}
    )
    trained = time.process_time()
    gold = [sentence for path in bank.test for sentence in read(path, multiple_roots=True)]
    results = parser.parse(gold)
    parsed = time.process_time()
    scores = attachment_scores(gold, [result.sentence for result in results], subtypes=False)
    words = sum(len(sentence) for sentence in gold)
    return LanguageRun(
        bank.language,
        bank.name,
        preset,
        tree,
        scores.uas,
        scores.las,
        trained - began,
        words / (parsed - trained),
        sum(result.certified for result in results) / len(results),
        parser.config.training.epochs,
    )


def table(runs: Iterable[LanguageRun]) -> str:
    """Return the runs as a Markdown table, a treebank a row, UAS / LAS in per cent."""
    runs = list(runs)
    by_key = {(run.name, run.preset, run.tree): run for run in runs}
    names = list(dict.fromkeys(run.name for run in runs))
    columns = [(order, "nonprojective") for order in _ORDERS] + [("second", "projective")]
    lines = ["| treebank | first | second | third | second, projective |", "| --- | --: | --: | --: | --: |"]
    for name in names:
        cells = [_cell(by_key.get((name, *column))) for column in columns]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    complete = [name for name in names if all((name, *column) in by_key for column in columns[:3])]
    if complete:
        means = [_mean([by_key[name, preset, tree] for name in complete]) for preset, tree in columns[:3]]
        lines.append(f"| mean of {len(complete)} | " + " | ".join(means) + " | |")
    return "\n".join(lines)


def _cell(run: LanguageRun | None) -> str:
    return "" if run is None else f"{100 * run.uas:.2f} / {100 * run.las:.2f}"


def _mean(runs: list[LanguageRun]) -> str:
    uas = sum(run.uas for run in runs) / len(runs)
    las = sum(run.las for run in runs) / len(runs)
    return f"{100 * uas:.2f} / {100 * las:.2f}"
