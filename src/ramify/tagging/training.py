"""Training: from labelled sentences to a model, the same with any number of threads."""

from __future__ import annotations

import dataclasses
import itertools
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import ramify
from ramify._core import learn as _learn
from ramify._core import tagging as _core
from ramify.errors import InvalidInputError
from ramify.evaluation import chunk_scores
from ramify.learn.arrays import halved
from ramify.learn.containers import check_target
from ramify.learn.dates import card_date
from ramify.learn.divergence import check_finite
from ramify.learn.interruption import interruptible
from ramify.learn.progress import Progress, Report, reporting
from ramify.learn.threads import num_threads
from ramify.tagging.coding import coding_for, in_order, written_scheme
from ramify.tagging.config import Config, Data, LabelMarks, Steps, Weighted
from ramify.tagging.dictionary import label_sets, read_clusters
from ramify.tagging.model_files import save_model
from ramify.tagging.progress import EpochDone, Started, Step
from ramify.tagging.sentences import AnySentence, Sentences, attribute_of, column_of, load, source_of
from ramify.tagging.state import MAX_LABELS, MAX_NGRAMS, Frame, ModelState, Weights, check_columns, core_model
from ramify.tagging.variety import made_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

__all__ = ["options_for_core", "rounded", "train"]

_CHUNK = 256  # sentences between two looks at signals, and two signs of life
_NOTHING_KEPT = (
    "Training was ended, and nothing of it is kept: a tagger has no checkpoints. Start it again with the same command."
)
_REMEDY = "Train again with a smaller training.max-step."
_STEPS = {Steps.AUTOMATIC: _learn.Method.AUTOMATIC, Steps.ADAPTIVE: _learn.Method.ADAGRAD}


def train(
    config: Config,
    train: Sentences | None = None,
    dev: Sentences | None = None,
    *,
    output: str | Path | None = None,
    overwrite: bool = False,
    threads: int = 1,
    licence: str = "",
    progress: Progress = "auto",
) -> ModelState:
    """Learn a tagger.

    Parameters
    ----------
    config : all options; its ``data`` names files and output where the arguments below do not
    train : what to learn from: a path, or paths, or sentences
    dev : what to choose the best epoch on; without it, the last epoch is taken
    output : where the model is written (a directory or a ``.zip``); nothing is written if neither this nor
        ``config.data.output`` is given
    overwrite : whether a model that is there already may be replaced
    threads : how many, for ``training.batch`` above 1 and for measuring; 0 is all that the machine has. The model does
        not depend on it
    licence : of the data, for the model's card
    progress : True shows lines and a bar, ``"auto"`` does so only on a terminal or in a notebook, False shows nothing;
        a function is called with every event of `ramify.tagging.progress`

    Raises
    ------
    InterruptedTrainingError
        SIGTERM or ctrl-C ended the run, and nothing is kept. Without `output`, signals do what they always do.
    DivergedTrainingError
        The loss or a weight became infinite or not a number.
    """
    source = train if train is not None else config.data.train
    if not source:
        raise InvalidInputError("Training expects sentences: give train (--train FILE, or [data] train = …).")
    target = Path(output) if output else (Path(config.data.output) if config.data.output else None)
    if target is not None:
        check_target(target, overwrite=overwrite)
    check_columns(config)
    with reporting(progress) as report, interruptible(lambda: _NOTHING_KEPT, active=target is not None) as signals:
        sentences, files = load(source, "train", config.data.columns)
        dev_source = dev if dev is not None else config.data.dev
        dev_sentences, dev_files = load(dev_source, "dev", config.data.columns) if dev_source else ([], ())
        run = _Run(config, sentences, dev_sentences, num_threads(threads), report)
        state = run.result()
        facts = run.facts(state, files, dev_files, licence)
        kept = dataclasses.replace(config, data=Data(train=files, dev=dev_files, columns=config.data.columns))
        state = dataclasses.replace(state, config=kept, facts=facts)
        if target is not None:
            with signals.finishing(f"The signal came when training was over; the model is whole: {target}"):
                save_model(state, target)
    return state


def options_for_core(config: Config, threads: int) -> dict[str, Any]:
    """Return what the C++ trainer is told."""
    training = config.training
    return {
        "supported": training.features is Weighted.SUPPORTED,
        "min_count": config.features.min_count,
        "loss": _learn.Loss(_learn.LossKind.FAMILY, training.beta, training.gamma),
        "optimizer": _learn.Optimizer(
            _STEPS[training.steps], training.max_step, training.decay, _learn.DAMPING, averaged=training.average
        ),
        "cost": 1.0,
        "dropout": training.dropout,
        "min_gradient": training.min_gradient,
        "seed": training.seed,
        "batch": training.batch,
        "num_threads": threads,
    }


def check_labels(labels: Sequence[str], order: int) -> None:
    """Refuse labels that are too many for tables of their n-grams, or none at all."""
    if len(labels) > MAX_LABELS or (order and (len(labels) + 1) ** (order + 1) > MAX_NGRAMS):
        raise InvalidInputError(
            f"train: expected at most {MAX_LABELS:,} labels, and fewer with model.order above 1; found "
            f"{len(labels):,}. Is something else in this column?"
        )


def rounded(trainer: _core.Trainer, config: Config) -> Weights:
    """Return the weights as the model file will hold them."""
    training = config.training
    keys, counts, labels, values, scale = trainer.freeze(training.max_weights, training.min_weight)
    step = 1 << (16 - training.bits)
    if step > 1:
        coarse = np.round(values / step).astype(np.int16)
        used = coarse != 0
        owner = np.repeat(np.arange(len(keys)), counts)[used]
        counts = np.bincount(owner, minlength=len(keys)).astype(np.uint16)
        keys, counts, labels, values = keys[counts > 0], counts[counts > 0], labels[used], coarse[used]
        scale *= step
    pairs, triples = (halved(weights) for weights in trainer.ngram_weights())
    for weights in (scale, pairs, triples):
        check_finite(f"tagger of {config.model.target}", weights, "a weight", remedy=_REMEDY)
    return Weights(keys, counts, labels, values, scale, pairs, triples)


class _Run:
    """One training run: what it learns from, and where it stands."""

    def __init__(
        self,
        config: Config,
        sentences: list[AnySentence],
        dev: list[AnySentence],
        threads: int,
        report: Report,
    ) -> None:
        self.config = config
        self.given = sentences  # what cards and messages count
        if config.training.variety:
            sentences = [*sentences, *made_sentences(sentences, config.model.target, config.training.seed)]
        self.sentences = sentences
        self.dev = dev
        self.threads = threads
        self.report = report
        self.dev_gold = [column_of(sentence, config.model.target) for sentence in dev]
        self.dev_forms = [column_of(sentence, "form") for sentence in dev]
        self.best: Weights | None = None
        self.best_score = -math.inf
        self.best_epoch = 0
        self.lengths = np.array([len(sentence) for sentence in sentences])
        gold = [column_of(sentence, config.model.target) for sentence in sentences]
        spans = config.model.spans is not LabelMarks.NONE
        written = written_scheme(gold) if spans else None
        self.coding = coding_for(config.model.target, config.model.spans, written)
        forms = (column_of(sentence, "form") for sentence in sentences)
        encoded = [self.coding.encode(*pair) for pair in zip(gold, forms, strict=True)]
        labels = in_order(set(itertools.chain.from_iterable(encoded)), config.model.spans)
        check_labels(labels, config.model.order)
        if attribute_of(config.model.target) and labels == ("_",):
            raise InvalidInputError(
                f"model.target: no word to learn from has the attribute of {config.model.target!r}."
            )
        number = {label: i for i, label in enumerate(labels)}
        self.numbers = [[number[label] for label in sequence] for sequence in encoded]
        sets = label_sets(config, sentences, self.numbers, labels)
        clusters = read_clusters(config.features.clusters) if config.features.clusters else ()
        self.frame = Frame(labels, written, *sets, *clusters)

    def result(self) -> ModelState:
        """Run to the end and return the model, without its facts."""
        columns = self.config.model.columns
        model = core_model(self.config, self.frame)
        trainer = _core.Trainer(model, **options_for_core(self.config, self.threads))
        dev = source_of(self.dev, columns) if self.dev else None
        trainer.load(model, source_of(self.sentences, columns), dev, self.numbers)
        words = sum(map(len, self.given))
        self.report(Started(len(self.given), words, len(self.frame.labels), trainer.num_features))
        self._learn(trainer)
        training = self.config.training
        if training.refit:
            trainer.refit(training.max_weights, training.min_weight)
            self.best_score = -math.inf
            self._learn(trainer)
        assert self.best is not None  # noqa: S101 - the last epoch is one at least
        return ModelState(self.config, self.frame, self.best)

    def _learn(self, trainer: _core.Trainer) -> None:
        training = self.config.training
        for epoch in range(training.epochs):
            rng = np.random.default_rng([training.seed, epoch])
            loss = self._learn_epoch(trainer, epoch, rng.permutation(len(self.sentences)).astype(np.int64))
            trainer.end_epoch()
            self._end_epoch(trainer, epoch, loss)
            if self.dev and 0 < training.patience <= epoch - self.best_epoch:
                break

    def _learn_epoch(self, trainer: _core.Trainer, epoch: int, order: npt.NDArray[np.int64]) -> float:
        """Learn from all sentences in their order, shape (sentences,), in whole batches; return the mean loss."""
        epochs, batch, target = self.config.training.epochs, self.config.training.batch, self.config.model.target
        size = batch * max(1, _CHUNK // batch)
        total = mean = 0.0
        for begin in range(0, len(order), size):
            chunk = order[begin : begin + size]
            total += trainer.run(chunk).loss
            done = begin + len(chunk)
            mean = total / done
            check_finite(f"tagger of {target} (epoch {epoch + 1})", mean, remedy=_REMEDY)
            self.report(Step(target, epoch + 1, epochs, done, len(order), int(self.lengths[chunk].sum()), mean))
        return mean

    def _end_epoch(self, trainer: _core.Trainer, epoch: int, loss: float) -> None:
        epochs = self.config.training.epochs
        accuracy = f1 = None
        better = epoch + 1 == epochs
        if self.dev:
            accuracy, f1 = self._scores(trainer.predict_dev())
            score = accuracy if f1 is None else f1
            better = score > self.best_score
            self.best_score = max(score, self.best_score)
        if better:
            self.best, self.best_epoch = rounded(trainer, self.config), epoch
        self.report(EpochDone(epoch + 1, epochs, loss, accuracy, f1, trainer.num_weights, better))

    def _scores(self, numbers: npt.NDArray[np.uint16]) -> tuple[float, float | None]:
        """Return the share of right words, and F1 of spans where there are spans; numbers has shape (words,)."""
        labels = [self.frame.labels[i] for i in numbers.tolist()]
        predicted: list[list[str]] = []
        at = 0
        for forms in self.dev_forms:
            predicted.append(self.coding.decode(labels[at : at + len(forms)], forms))
            at += len(forms)
        return score_labels(self.dev_gold, predicted, spans=self.config.model.spans is not LabelMarks.NONE)

    def facts(self, state: ModelState, files: Sequence[str], dev_files: Sequence[str], licence: str) -> dict[str, Any]:
        """Return what the card says."""
        facts: dict[str, Any] = {
            "train": _size(self.given, files),
            "licence": licence,
            "labels": len(self.frame.labels),
            "weights": len(state.weights.values),
            "date": card_date(),
            "version": ramify.__version__,
        }
        if self.dev:
            facts["dev"] = _size(self.dev, dev_files)
            # Of the model as it will be saved, rounded and cut to size.
            taggings = state.build().tag(source_of(self.dev, self.config.model.columns), False, 1, [], self.threads)
            numbers = [tagging.best.labels() for tagging in taggings]
            accuracy, f1 = self._scores(np.concatenate([*numbers, np.empty(0, np.uint16)]))
            facts["scores"] = {
                "accuracy": accuracy,
                "f1": f1,
                "epoch": self.best_epoch + 1,
                "epochs": self.config.training.epochs,
            }
        return facts


def score_labels(
    gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], *, spans: bool
) -> tuple[float, float | None]:
    """Return the share of words that are right and, with spans, their F1."""
    if spans:
        scores = chunk_scores(gold, predicted)
        return scores.accuracy, scores.overall.f1
    pairs = zip(itertools.chain.from_iterable(gold), itertools.chain.from_iterable(predicted), strict=True)
    right = [a == b for a, b in pairs]
    return sum(right) / max(len(right), 1), None


def _size(sentences: Sequence[AnySentence], files: Sequence[str]) -> dict[str, Any]:
    return {"files": list(files), "sentences": len(sentences), "words": sum(map(len, sentences))}
