"""Parsers of an experiment, trained once and decoded in several ways, with what they did to every sentence."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import shutil
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.atomic import replacing_file
from ramify.data import read
from ramify.evaluation import compare_counts
from ramify.learn.checkpoint import checkpoint_file
from ramify.learn.threads import num_threads
from ramify.parsing import Config, Parser
from ramify.parsing.progress import EpochDone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from ramify.data import Sentence
    from ramify.evaluation import Comparison
    from ramify.parsing.progress import Event
    from ramify.reproduce.treebanks import Treebank

__all__ = ["FULL", "PRUNED", "QUICK", "UNPRUNED", "Outcome", "Outcomes", "Scale", "Trial", "epochs_of", "run_trials"]


@dataclass(frozen=True)
class Scale:
    """How much of a treebank an experiment sees; 0 is all.

    Attributes
    ----------
    train, test : most sentences
    max_words : longest sentence of either
    epochs : of training
    """

    train: int
    test: int
    max_words: int
    epochs: int


QUICK = Scale(train=500, test=500, max_words=40, epochs=4)
FULL = Scale(train=0, test=0, max_words=0, epochs=10)
# Options of a parser that takes every arc for a candidate, and of one that was trained so and does not.
UNPRUNED = {"pruner.threshold": "0", "pruner.max-heads": "10000", "pruner.lengths": "false"}
PRUNED = {"pruner.threshold": "3e-3", "pruner.max-heads": "10", "pruner.lengths": "true"}


def epochs_of(scale: Scale, times: float = 1.0) -> dict[str, str]:
    """Return how often training sees the sentences, and a selection before it, which has half as many epochs.

    Parameters
    ----------
    scale : of the experiment
    times : what the epochs of training are multiplied by
    """
    return {"training.epochs": str(round(times * scale.epochs)), "select.epochs": str(max(1, scale.epochs // 2))}


@dataclass(frozen=True)
class Trial:
    """One parser on one treebank.

    Attributes
    ----------
    bank : the treebank
    name : of the parser, unique in its experiment
    preset : where its options start
    options : what differs
    decodings : by name, how its trees are found, as options that differ once more
    probe : measures more on the test sentences than trees; its answer must fit into JSON
    study : measures something without a parser, instead of all this; its answer is the trial's probe
    decoder : ``"map"`` or ``"mbr"``, whatever the method
    num_test : most test sentences, where decoding is slow; 0: as many as the scale says
    """

    bank: Treebank
    name: str
    preset: str
    options: Mapping[str, str] = field(default_factory=dict)
    decodings: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: {"": {}})
    probe: Callable[[Parser, list[Sentence]], Any] | None = None
    study: Callable[[Treebank, Scale], Any] | None = None
    decoder: str = "map"
    num_test: int = 0

    def key(self, scale: Scale) -> str:
        """Return what the trial is made of, in short: a change of it is another trial."""
        files = [path.name for path in (*self.bank.train, *self.bank.test)]
        probe = "".join(measure.__name__ for measure in (self.probe, self.study) if measure)
        ways = {k: dict(v) for k, v in self.decodings.items()}
        config = Config.preset(self.preset).override(dict(self.options)).to_toml()
        content: list[Any] = [self.name, config, ways, probe]
        content += [self.decoder] if self.decoder != "map" else []
        content += [self.num_test] if self.num_test else []
        text = json.dumps([files, content, dataclasses.astuple(scale)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Outcome:
    """What one way of decoding gave.

    Attributes
    ----------
    heads, labels : right ones of each sentence, shape (S,)
    words : of each sentence, shape (S,)
    certified : share of the sentences
    seconds : of the processor, for all sentences
    train_seconds : likewise, for training
    """

    heads: list[int]
    labels: list[int]
    words: list[int]
    certified: float
    seconds: float
    train_seconds: float

    @property
    def uas(self) -> float:
        """Share of the right heads."""
        return sum(self.heads) / sum(self.words)

    @property
    def las(self) -> float:
        """Share of the right heads with right labels."""
        return sum(self.labels) / sum(self.words)

    @property
    def tokens_per_second(self) -> float:
        """Tokens per second."""
        return sum(self.words) / self.seconds


class Outcomes:
    """Finished trials, by language, name of the parser and name of the decoding."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[str, str, str], Outcome] = {}
        self._probes: dict[tuple[str, str], Any] = {}

    def add(self, language: str, record: Mapping[str, Any]) -> None:
        """Take in a line of the results file."""
        for decoding, values in record["outcomes"].items():
            self._outcomes[language, record["name"], decoding] = Outcome(**values)
        self._probes[language, record["name"]] = record.get("probe")

    def get(self, language: str, name: str, decoding: str = "") -> Outcome | None:
        """Return an outcome if there is one."""
        return self._outcomes.get((language, name, decoding))

    def probe(self, language: str, name: str) -> Any:
        """Return what the trial's probe measured."""
        return self._probes.get((language, name))

    @property
    def languages(self) -> list[str]:
        """Return all languages, in the order in which they came."""
        found = [*(language for language, _, _ in self._outcomes), *(language for language, _ in self._probes)]
        return list(dict.fromkeys(found))

    def compare(
        self, first: tuple[str, str], second: tuple[str, str], languages: Iterable[str] | None = None
    ) -> Comparison | None:
        """Test whether UAS differs between two parsers, each with its decoding, over all sentences of the languages.

        None where no language has both.
        """
        counts: list[list[Any]] = [[], []]
        for language in languages or self.languages:
            pair = [self.get(language, *which) for which in (first, second)]
            if None in pair:
                continue
            for rows, outcome in zip(counts, pair, strict=True):
                assert outcome is not None  # noqa: S101 - looked at above
                rows.append(np.column_stack([outcome.heads, outcome.words, outcome.words]))
        if not counts[0]:
            return None
        return compare_counts(np.concatenate(counts[0]), np.concatenate(counts[1]), metric="UAS", samples=2000)


def run_trials(
    trials: Iterable[Trial],
    results: Path,
    scale: Scale,
    *,
    options: Mapping[str, str],
    threads: int = 1,
    checkpoints: bool = False,
    report: Callable[[Trial, Outcomes], None] = lambda trial, outcomes: None,
) -> Outcomes:
    """Carry out the trials that are not in the results file yet, several at once, and add each finished one to it.

    Checkpoints are in a folder beside the results; with them an interrupted trial continues after its last epoch.
    """
    done = {}
    if results.exists():
        done = {line["key"]: line for line in map(json.loads, results.read_text(encoding="utf-8").splitlines())}
    keyed = {}
    for trial in trials:
        changed = dataclasses.replace(trial, options={**trial.options, **options})
        keyed[changed.key(scale)] = changed
    outcomes = Outcomes()
    # Training and parsing are C++ that other Python threads do not wait for.
    with ThreadPoolExecutor(num_threads(threads)) as pool:
        folder = results.with_suffix(".checkpoints") if checkpoints else None
        running = {
            pool.submit(_run, trial, scale, folder / key if folder else None): key
            for key, trial in keyed.items()
            if key not in done
        }
        try:
            for future in as_completed(running):
                key = running[future]
                trial = keyed[key]
                record = {"key": key, "language": trial.bank.language, **future.result()}
                with results.open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps(record) + "\n")
                done[key] = record
                if folder:
                    shutil.rmtree(folder / key, ignore_errors=True)
                outcomes.add(trial.bank.language, record)
                report(trial, outcomes)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    if folder and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
    in_order = Outcomes()
    for key, trial in keyed.items():
        in_order.add(trial.bank.language, done[key])
    return in_order


def sentences_of(paths: Iterable[Path], most: int, max_words: int) -> list[Sentence]:
    """Return the first sentences of some files that are short enough; 0 is no limit."""
    found = (s for path in paths for s in read(path, multiple_roots=True) if not max_words or len(s) <= max_words)
    return list(itertools.islice(found, most) if most else found)


def _run(trial: Trial, scale: Scale, folder: Path | None = None) -> dict[str, Any]:
    if trial.study:
        return {"name": trial.name, "outcomes": {}, "probe": trial.study(trial.bank, scale)}
    train = sentences_of(trial.bank.train, scale.train, scale.max_words)
    most = min(scale.test or trial.num_test, trial.num_test) if trial.num_test else scale.test
    test = sentences_of(trial.bank.test, most, scale.max_words)
    epochs = {"training.epochs": str(scale.epochs)}
    parser, train_seconds = _train(train, trial.preset, {**epochs, **trial.options}, folder)
    outcomes = {
        name: dataclasses.asdict(_decode(parser.with_options(options), test, trial.decoder, train_seconds))
        for name, options in trial.decodings.items()
    }
    return {"name": trial.name, "outcomes": outcomes, "probe": trial.probe(parser, test) if trial.probe else None}


def _train(train: list[Sentence], preset: str, options: dict[str, str], folder: Path | None) -> tuple[Parser, float]:
    """Train a parser, or go on with what a folder has of it; also return the seconds of all stretches."""
    began = time.thread_time()
    if folder is None:
        return Parser.train(train=train, preset=preset, options=options, progress=False), time.thread_time() - began
    model, clock = folder / "model", folder / "seconds.txt"
    before = float(clock.read_text(encoding="utf-8")) if clock.exists() else 0.0
    resume = checkpoint_file(model).exists()
    if not resume and (model / "config.toml").exists():
        return Parser.load(model), before

    def note(event: Event) -> None:
        if isinstance(event, EpochDone):
            with replacing_file(clock) as file:
                file.write(f"{before + time.thread_time() - began}\n".encode())

    model.mkdir(parents=True, exist_ok=True)
    parser = Parser.train(train=train, preset=preset, options=options, output=model, resume=resume, progress=note)
    return parser, before + time.thread_time() - began


def _decode(parser: Parser, gold: list[Sentence], decoder: str, train_seconds: float) -> Outcome:
    began = time.thread_time()
    results = parser.parse(gold, decoder=decoder)
    seconds = time.thread_time() - began
    heads, labels = [], []
    for sentence, result in zip(gold, results, strict=True):
        right = [word.head == head for word, head in zip(sentence, result.heads, strict=True)]
        named = [word.deprel == label for word, label in zip(sentence, result.labels, strict=True)]
        heads.append(int(sum(right)))
        labels.append(int(sum(a and b for a, b in zip(right, named, strict=True))))
    certified = sum(result.certified for result in results) / len(results)
    return Outcome(heads, labels, [len(sentence) for sentence in gold], certified, seconds, train_seconds)
