"""Training: from a treebank to a model, resumable and independent of the number of threads."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import ramify
from ramify._core import learn as _learn
from ramify._core import parsing as _core
from ramify.errors import InterruptedTrainingError, InvalidInputError
from ramify.evaluation import attachment_scores
from ramify.learn.dates import card_date
from ramify.learn.divergence import check_finite
from ramify.learn.interruption import NOTHING_KEPT, RESUME, Signals, interruptible
from ramify.learn.progress import Progress, Report, reporting
from ramify.learn.threads import num_threads
from ramify.parsing.calibration import Calibration, calibrated, calibration_error, calibration_sentences
from ramify.parsing.checkpoint import (
    Checkpoint,
    Position,
    checkpoint_file,
    load_checkpoint,
    remove_checkpoint,
    save_checkpoint,
    trainer_state,
)
from ramify.parsing.config import Config, Data, Features, Loss, Optimizer
from ramify.parsing.corpus import Corpus, Treebank, frame_of, has_tree, load_corpus
from ramify.parsing.model_files import check_target, save_model
from ramify.parsing.progress import EpochDone, Pruned, Resumed, Started, Step
from ramify.parsing.request import make_request
from ramify.parsing.state import ModelState, Weights, core_model, quantise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    from ramify.data import Sentence

__all__ = ["train"]

_CHUNK = 64  # sentences between two looks at signals, and two signs of life
_PRUNER, _PARSER = 0, 1  # for seeds: their orders of sentences are independent
_FEATURE_SETS = {
    Features.COMPLETE: _learn.FeatureSet.COMPLETE,
    Features.SUPPORTED: _learn.FeatureSet.SUPPORTED,
    Features.BUCKETS: _learn.FeatureSet.BUCKETS,
}
_LOSSES = {
    Loss.FAMILY: _learn.LossKind.FAMILY,
    Loss.L2: _learn.LossKind.L2,
    Loss.RISK: _learn.LossKind.RISK,
    Loss.L2_RISK: _learn.LossKind.L2_RISK,
}
_DAMPING = 0.1  # of AdaGrad: with many features that are seen once, measured to be better than the default
_COUNTS = ("words", "right_heads", "right_labels", "sentences", "certified", "updates", "loss")


def train(
    config: Config,
    train: Treebank | None = None,
    dev: Treebank | None = None,
    *,
    output: str | Path | None = None,
    overwrite: bool = False,
    resume: bool = False,
    threads: int = 1,
    licence: str = "",
    progress: Progress = "auto",
) -> ModelState:
    """Learn a parser.

    Parameters
    ----------
    config : all options; its ``data`` names treebanks and output where the arguments below do not
    train : treebank to learn from: a path, or paths, or sentences
    dev : treebank to choose the best epoch on; without one, the last epoch is taken
    output : where the model is written (a directory or a ``.zip``), with a checkpoint after each epoch and when SIGTERM
        or ctrl-C ends the run; nothing is written if neither this nor ``config.data.output`` is given
    overwrite : whether a model, or the checkpoint of a run that was broken off, may be replaced
    resume : go on from the checkpoint in `output`, to the model that the run would have had without a break
    threads : how many; 0 is all that the machine has. The model does not depend on it
    licence : of the data, for the model's card
    progress : True shows lines and a bar, ``"auto"`` does so only on a terminal or in a notebook, False shows nothing;
        a function is called with every event of `ramify.parsing.progress`

    Returns
    -------
    ModelState

    Raises
    ------
    InterruptedTrainingError
        SIGTERM or ctrl-C ended the run; the message says how to go on. Without `output`, signals do as they always do.
    DivergedTrainingError
        The loss or a weight became infinite or not a number; the last good checkpoint is kept.
    """
    source = train if train is not None else config.data.train
    if not source:
        raise InvalidInputError("Training expects a treebank: give train (--train FILE, or [data] train = …).")
    target = Path(output) if output else (Path(config.data.output) if config.data.output else None)
    if target is not None:
        _check_output(target, overwrite=overwrite, resume=resume)
    elif resume:
        raise InvalidInputError("Resuming expects the output directory of the run that was broken off.")
    begun = f"Training was ended before it went on; the checkpoint is as it was. {RESUME}" if resume else NOTHING_KEPT
    with reporting(progress) as report, interruptible(lambda: begun, active=target is not None) as signals:
        corpus = load_corpus(source, "train")
        dev_source = dev if dev is not None else config.data.dev
        dev_corpus = load_corpus(dev_source, "dev") if dev_source else None
        run = _Run(config, corpus, dev_corpus, target, num_threads(threads), report, signals)
        state = run.result(resume=resume, licence=licence)
        if target is not None:
            with signals.finishing(f"The signal came when training was over; the model is whole: {target}"):
                save_model(state, target)
                remove_checkpoint(checkpoint_file(target))
    return state


def _check_output(target: Path, *, overwrite: bool, resume: bool) -> None:
    """Check before any work that nothing is lost by writing there."""
    checkpoint = checkpoint_file(target)
    if checkpoint.exists() and not (overwrite or resume):
        raise InvalidInputError(
            f"{checkpoint.parent} keeps a run that was broken off. Go on with it by --resume, or start anew with "
            "--overwrite (in Python: resume=True, overwrite=True)."
        )
    check_target(target, overwrite=overwrite or (resume and checkpoint.exists()))


def trainer_options(config: Config, threads: int) -> _core.TrainerOptions:
    """Return the options of the C++ trainer."""
    training = config.training
    if training.optimizer is Optimizer.AUTOMATIC:
        optimizer = _learn.Optimizer(_learn.Method.AUTOMATIC, training.max_step, 0.0, _learn.DAMPING, averaged=True)
        regularizer = _learn.Regularizer(_learn.Penalty.NONE, 0.0)
    else:
        optimizer = _learn.Optimizer(_learn.Method.ADAGRAD, training.rate, 0.0, _DAMPING, averaged=False)
        regularizer = _learn.Regularizer(_learn.Penalty.L2, training.regularization)
    return _core.TrainerOptions(
        loss=_learn.Loss(_LOSSES[training.loss], training.beta, training.gamma),
        optimizer=optimizer,
        regularizer=regularizer,
        feature_set=_FEATURE_SETS[training.features],
        num_buckets=training.num_buckets,
        batch=training.batch,
        head_cost=training.head_cost,
        label_cost=training.label_cost,
        num_threads=threads,
        epochs=training.epochs,
        hottest=training.temperature_start,
        coldest=training.temperature_end,
        risk_share=training.risk_share,
        threshold=training.threshold,
    )


class _Run:
    """One training run: what it learns from, and where it stands."""

    def __init__(
        self,
        config: Config,
        corpus: Corpus,
        dev: Corpus | None,
        output: Path | None,
        threads: int,
        report: Report,
        signals: Signals,
    ) -> None:
        self.config = config
        self.corpus = corpus
        self.dev = dev
        self.checkpoint = None if output is None else checkpoint_file(output)
        self.threads = threads
        self.report = report
        self.signals = signals
        self.lengths = np.array([len(sentence) for sentence in corpus.sentences])
        self.frame = frame_of(corpus, config)
        self.position = Position()
        self.pruner: npt.NDArray[np.int16] = np.zeros(1 << config.pruner.bits, np.int16)
        self.best: tuple[npt.NDArray[np.uint64], npt.NDArray[np.int16]] = (
            np.empty(0, np.uint64),
            np.empty(0, np.int16),
        )

    def result(self, *, resume: bool, licence: str) -> ModelState:
        """Run to the end and return the model."""
        usable = sum(has_tree(sentence, self.frame.single_root) for sentence in self.corpus.sentences)
        if usable == 0:
            raise InvalidInputError("train: every sentence has several roots; set model.single-root to false.")
        self.report(Started(len(self.corpus.sentences), int(self.lengths.sum()), len(self.corpus.sentences) - usable))
        restored = self._restore() if resume else None
        self.signals.advice = self._advice
        if restored is None and self.checkpoint is not None:
            remove_checkpoint(self.checkpoint)  # of a run that this one replaces
        with self.signals.waiting():
            if restored is None:
                self._learn_pruner()
            if not self._learned():
                self._learn(restored)
            position = self.position
            weights = Weights(*self.best, position.best_scale, self.pruner, position.pruner_scale)
            state = self._calibrated(ModelState(self._kept_config(), self.frame, weights))
            return dataclasses.replace(state, facts=self._facts(state, licence))

    def _learned(self) -> bool:
        """Tell whether no epoch is left."""
        return self.position.epoch >= self.config.training.epochs or self._out_of_patience()

    def _calibrated(self, state: ModelState) -> ModelState:
        if self.dev is None or self.config.inference.temperature > 0:
            return state
        calibration = Calibration(losses=self.position.calibration, tried=self._save)
        total = calibration.turns * len(calibration_sentences(self.dev.sentences))
        calibration.parsed = self._counter("calibration", total)
        return calibrated(state, self.dev.sentences, self.threads, calibration)

    def _counter(self, stage: str, total: int) -> Callable[[list[Sentence]], None]:
        """Return what is to be called with every few sentences that are parsed after the last epoch."""
        done = 0

        def count(sentences: list[Sentence]) -> None:
            nonlocal done
            done += len(sentences)
            self.report(Step(stage, 1, 1, done, total, sum(map(len, sentences))))
            if self.signals.received:
                self._stop(f"{stage} of the learned model")

        return count

    # -- the pruner --------------------------------------------------------------------------------------------------

    def _learn_pruner(self) -> None:
        model = core_model(self.config, self.frame, self.pruner, 0.0)
        trainer = _core.Trainer(model, trainer_options(self.config, self.threads), self.corpus.core, [])
        epochs = self.config.pruner.epochs
        for epoch in range(epochs):
            rate = self.config.pruner.rate / (1 + epoch)
            total = 0.0
            for done, chunk in self._chunks(_PRUNER, epoch, 0):
                total += trainer.train_pruner(chunk, rate) * len(chunk)
                check_finite(f"pruner (epoch {epoch + 1})", total, remedy="Train again with a smaller pruner.rate.")
                self._step("pruner", epoch, epochs, done, chunk, total / done)
                if self.signals.received:
                    raise KeyboardInterrupt
        learned = model.pruner_weights()
        check_finite("pruner", learned, "a weight", remedy="Train again with a smaller pruner.rate.")
        # Rounded now, so that the parser learns with the very pruner that its file will hold.
        self.pruner, self.position.pruner_scale = quantise(learned)

    # -- the parser --------------------------------------------------------------------------------------------------

    def _learn(self, restored: Checkpoint | None) -> None:
        position = self.position
        model = core_model(self.config, self.frame, self.pruner, position.pruner_scale)
        trainer = _core.Trainer(
            model, trainer_options(self.config, self.threads), self.corpus.core, self.dev.core if self.dev else []
        )
        stats = trainer.prune()
        words = max(stats.words, 1)
        position.pruning = {"heads_per_word": stats.arcs / words, "recall": stats.kept / words}
        self.report(Pruned(stats.arcs / words, stats.kept / words, "dev" if self.dev else "train"))
        if restored is not None:
            trainer.restore(trainer_state(restored))
        while not self._learned():
            self._learn_epoch(trainer)

    def _learn_epoch(self, trainer: _core.Trainer) -> None:
        position = self.position
        sums = position.sums
        epochs = self.config.training.epochs
        for done, chunk in self._chunks(_PARSER, position.epoch, position.sentence):
            stats = trainer.run(chunk)
            for name in _COUNTS:
                sums[name] = sums.get(name, 0) + getattr(stats, name)
            position.sentence = done
            loss = sums["loss"] / max(sums["sentences"], 1)
            self._check_finite(loss, "the loss")
            self._step("parser", position.epoch, epochs, done, chunk, loss)
            if self.signals.received:
                self._stop(f"epoch {position.epoch + 1}, sentence {position.sentence:,}", trainer)
        self._check_state(trainer.state())
        self._end_epoch(trainer)
        position.epoch += 1
        position.sentence = 0
        position.sums = {}
        self._save(trainer)
        if self.signals.received:
            self._stop(f"epoch {position.epoch}, all sentences", trainer)

    def _check_finite(self, values: npt.ArrayLike, what: str) -> None:
        def kept() -> str:
            there = self.checkpoint is not None and self.checkpoint.is_file()
            return f"The last good checkpoint is kept in {self.checkpoint}. " if there else ""

        remedy = "Train again with smaller steps: training.max-step, or training.rate of adagrad."
        check_finite(f"parser (epoch {self.position.epoch + 1})", values, what, kept, remedy=remedy)

    def _check_state(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        for name in ("weights", "totals", "squares"):
            self._check_finite(arrays.get(name, ()), "a weight")

    def _end_epoch(self, trainer: _core.Trainer) -> None:
        position, sums = self.position, self.position.sums
        uas = las = None
        certified = sums["certified"] / max(sums["sentences"], 1)
        last = position.epoch + 1 == self.config.training.epochs
        better = last
        if self.dev is not None:
            scores = trainer.evaluate()
            uas = scores.right_heads / max(scores.words, 1)
            las = scores.right_labelled / max(scores.words, 1)
            certified = scores.certified / max(scores.sentences, 1)
            better = las > position.best_las
        if better:
            keys, values, position.best_scale = trainer.freeze(self.config.training.max_weights)
            self.best = (keys, values)
            position.best_epoch = position.epoch
            position.best_las = -1.0 if las is None else las
        loss = sums["loss"] / max(sums["sentences"], 1)
        epochs = self.config.training.epochs
        self.report(EpochDone(position.epoch + 1, epochs, loss, uas, las, certified, trainer.num_weights, better))

    def _out_of_patience(self) -> bool:
        patience = self.config.training.patience
        position = self.position
        return self.dev is not None and 0 < patience <= position.epoch - 1 - position.best_epoch

    # -- what both share ---------------------------------------------------------------------------------------------

    def _chunks(self, stage: int, epoch: int, start: int) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
        """Yield the sentences of an epoch in whole batches, each with the number of those done after it."""
        rng = np.random.default_rng([self.config.training.seed, stage, epoch])
        order = rng.permutation(len(self.corpus.sentences)).astype(np.int64)
        batch = self.config.training.batch
        size = batch * max(1, _CHUNK // batch)
        for begin in range(start, len(order), size):
            chunk = order[begin : begin + size]
            yield begin + len(chunk), chunk

    def _step(self, stage: str, epoch: int, epochs: int, done: int, chunk: npt.NDArray[np.int64], loss: float) -> None:
        words = int(self.lengths[chunk].sum())
        self.report(Step(stage, epoch + 1, epochs, done, len(self.lengths), words, loss))

    # -- checkpoints -------------------------------------------------------------------------------------------------

    @functools.cached_property
    def _identity(self) -> str:
        options = dataclasses.replace(self.config, data=Data()).to_toml()
        parts = [options, self.corpus.digest(), self.dev.digest() if self.dev else "no dev"]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def _save(self, trainer: _core.Trainer | None = None) -> None:
        """Write a checkpoint if there is a place for it; after the last epoch, nothing of a trainer is needed."""
        if self.checkpoint is None:
            return
        arrays: dict[str, npt.NDArray[Any]] = trainer.state() if trainer else {}
        self._check_state(arrays)
        arrays |= {"pruner": self.pruner, "best_keys": self.best[0], "best_values": self.best[1]}
        save_checkpoint(Checkpoint(self.position, self._identity, arrays), self.checkpoint)

    def _restore(self) -> Checkpoint:
        assert self.checkpoint is not None  # noqa: S101 - train() looks
        restored = load_checkpoint(self.checkpoint, self._identity, self.pruner.size)
        self.position = position = restored.position
        self.pruner = restored.arrays["pruner"]
        self.best = (restored.arrays["best_keys"], restored.arrays["best_values"])
        self.report(Resumed(position.epoch, self.config.training.epochs, position.sentence, self._learned()))
        return restored

    def _advice(self) -> str:
        if self.checkpoint is None or not self.checkpoint.is_file():
            return NOTHING_KEPT
        return f"Training was ended; what was learned by then is kept in {self.checkpoint}. {RESUME}"

    def _stop(self, where: str, trainer: _core.Trainer | None = None) -> None:
        self._save(trainer)
        raise InterruptedTrainingError(
            f"Training was ended ({where}); all of it is kept in {self.checkpoint}. {RESUME}", self.signals.received
        )

    # -- what the model says of itself -------------------------------------------------------------------------------

    def _kept_config(self) -> Config:
        files = Data(train=self.corpus.files, dev=self.dev.files if self.dev else ())
        return dataclasses.replace(self.config, data=files)

    def _facts(self, state: ModelState, licence: str) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "train": _size(self.corpus),
            "licence": licence,
            "single_root": self.frame.single_root,
            "weights": len(state.weights.keys),
            "date": card_date(),
            "version": ramify.__version__,
        }
        if self.dev is not None:
            facts["dev"] = _size(self.dev)
            facts["scores"] = self._scores(state, self.dev)
        return facts

    def _scores(self, state: ModelState, dev: Corpus) -> dict[str, Any]:
        """Score the model as it will be saved, rounded and cut to size, in the way of the CoNLL 2018 shared task."""
        gold = [sentence for sentence in dev.sentences if has_tree(sentence, single_root=False)]
        count = self._counter("scores on dev", len(gold) + len(calibration_sentences(dev.sentences)))
        system = [sentence.copy() for sentence in gold]
        model, request = state.build(), make_request(max_words=0)
        certified = 0
        for begin in range(0, len(system), _CHUNK):
            chunk = system[begin : begin + _CHUNK]
            parses = model.parse([sentence._core for sentence in chunk], request, [], self.threads)
            certified += sum(parse.certified for parse in parses)
            count(chunk)
        scores = attachment_scores(gold, system, subtypes=False)
        return {
            "on": "dev",
            "uas": scores.uas,
            "las": scores.las,
            "certified": certified / len(gold),
            "calibration_error": calibration_error(state, dev.sentences, self.threads, Calibration(parsed=count)),
            "temperature": state.config.temperature,
            "epoch": self.position.best_epoch + 1,
            "epochs": self.config.training.epochs,
            **self.position.pruning,
        }


def _size(corpus: Corpus) -> dict[str, Any]:
    return {"files": list(corpus.files), "sentences": len(corpus.sentences), "words": corpus.num_words}
