"""Training of parsers: what is specific to parsers; `ramify.learn.run` does the rest of a training run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import learn as _learn
from ramify._core import parsing as _core
from ramify.errors import InvalidInputError
from ramify.evaluation import attachment_scores
from ramify.learn.divergence import check_finite
from ramify.learn.penalties import regularizer
from ramify.learn.progress import Started
from ramify.learn.run import Learner
from ramify.parsing.calibration import Calibration, calibrated, calibration_error, calibration_sentences
from ramify.parsing.config import Config, Features, Loss, Optimizer
from ramify.parsing.corpus import core_sentences, frame_of, has_tree
from ramify.parsing.progress import Pruned
from ramify.parsing.request import make_request
from ramify.parsing.state import ModelState, Weights, core_model, quantise

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from ramify.data import Sentence
    from ramify.learn.corpus import Corpus
    from ramify.learn.run import Arrays, Run

__all__ = ["ParserLearner"]

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
_SCORED = 64  # sentences between two reports while the finished parser is scored


def trainer_options(config: Config, threads: int) -> _core.TrainerOptions:
    """Return the options of the C++ trainer."""
    training = config.training
    if training.optimizer is Optimizer.AUTOMATIC:
        optimizer = _learn.Optimizer(_learn.Method.AUTOMATIC, training.max_step, 0.0, _learn.DAMPING, averaged=True)
        penalties = regularizer()
    else:
        optimizer = _learn.Optimizer(_learn.Method.ADAGRAD, training.rate, 0.0, _DAMPING, averaged=False)
        penalties = regularizer(l2=training.regularization)
    return _core.TrainerOptions(
        loss=_learn.Loss(_LOSSES[training.loss], training.beta, training.gamma),
        optimizer=optimizer,
        regularizer=penalties,
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


class ParserLearner(Learner):
    """The training data of a parser and its weights."""

    title = stage = "parser"
    remedy = "Train again with smaller steps: training.max-step, or training.rate of adagrad."
    left = "calibration"

    def __init__(self, config: Config, train: Corpus[Sentence], dev: Corpus[Sentence] | None, threads: int) -> None:
        self.config = config
        self.train = train
        self.dev = dev
        self.threads = threads
        self.epochs = config.training.epochs
        self.patience = config.training.patience
        self.seed = config.training.seed
        self.batch = config.training.batch
        self.lengths = np.array([len(sentence) for sentence in train.sentences])
        self.frame = frame_of(train, config)
        self.pruner: npt.NDArray[np.int16] = np.zeros(1 << config.pruner.bits, np.int16)
        self.pruner_scale = 0.0
        self.best: tuple[npt.NDArray[np.uint64], npt.NDArray[np.int16], float] = (
            np.empty(0, np.uint64),
            np.empty(0, np.int16),
            0.0,
        )

    def started(self) -> Started:
        """Count the sentences that have a complete tree."""
        sentences = self.train.sentences
        usable = sum(has_tree(sentence, self.frame.single_root) for sentence in sentences)
        if usable == 0:
            raise InvalidInputError("train: every sentence has several roots; set model.single-root to false.")
        left_out, words = len(sentences) - usable, int(self.lengths.sum())
        return Started(len(sentences), words, left_out=left_out, reason="they have no complete tree, or too many roots")

    def prepare(self, run: Run) -> None:
        """Train the pruner."""
        model = core_model(self.config, self.frame, self.pruner, 0.0)
        trainer = _core.Trainer(model, trainer_options(self.config, self.threads), core_sentences(self.train), [])
        epochs = self.config.pruner.epochs
        remedy = "Train again with a smaller pruner.rate."
        for epoch in range(epochs):
            rate = self.config.pruner.rate / (1 + epoch)
            total = 0.0
            for done, chunk in run.chunks(self._order(_PRUNER, epoch)):
                total += trainer.train_pruner(chunk, rate) * len(chunk)
                check_finite(f"pruner (epoch {epoch + 1})", total, remedy=remedy)
                run.step("pruner", epoch, epochs, done, chunk, total / done)
                if run.signals.received:
                    raise KeyboardInterrupt
        learned = model.pruner_weights()
        check_finite("pruner", learned, "a weight", remedy=remedy)
        # Rounded now, so that the parser learns with the very pruner that its file will hold.
        self.pruner, self.pruner_scale = quantise(learned)

    def begin(self, run: Run) -> None:
        """Prune all sentences."""
        model = core_model(self.config, self.frame, self.pruner, self.pruner_scale)
        options = trainer_options(self.config, self.threads)
        self.trainer = _core.Trainer(model, options, core_sentences(self.train), core_sentences(self.dev))
        stats = self.trainer.prune()
        words = max(stats.words, 1)
        pruning = {"heads_per_word": stats.arcs / words, "recall": stats.kept / words}
        run.position.notes["pruning"] = pruning
        run.report(Pruned(**pruning, on="dev" if self.dev else "train"))

    def order(self, epoch: int) -> npt.NDArray[np.int64]:
        """Return an order of sentences that differs from the pruner's."""
        return self._order(_PARSER, epoch)

    def _order(self, stage: int, epoch: int) -> npt.NDArray[np.int64]:
        return np.random.default_rng([self.seed, stage, epoch]).permutation(len(self.lengths)).astype(np.int64)

    def learn(self, chunk: npt.NDArray[np.int64]) -> Mapping[str, float]:
        """Learn from sentences, shape (chunk,)."""
        stats = self.trainer.run(chunk)
        return {name: getattr(stats, name) for name in _COUNTS}

    def scores(self) -> Mapping[str, float]:
        """Return the attachment scores of the averaged weights; labels include their subtypes."""
        if self.dev is None:
            return {}
        self._measured = scores = self.trainer.evaluate()
        words = max(scores.words, 1)
        return {"UAS": scores.right_heads / words, "LAS": scores.right_labelled / words}

    def figures(self, sums: Mapping[str, float]) -> Mapping[str, float]:
        """Return the fraction of sentences with a certificate (on the dev data, if given) and the size of the model."""
        certified, sentences = sums["certified"], sums["sentences"]
        if self.dev is not None:
            certified, sentences = self._measured.certified, self._measured.sentences
        return {"% certified": 100 * certified / max(sentences, 1), "weights": self.trainer.num_weights}

    def keep(self) -> None:
        """Round the averaged weights."""
        self.best = self.trainer.freeze(self.config.training.max_weights)

    def kept(self) -> Arrays:
        """Return the best weights and the pruner."""
        keys, values, scale = self.best
        scales = np.array([scale, self.pruner_scale])
        return {"best_keys": keys, "best_values": values, "pruner": self.pruner, "scales": scales}

    def restore(self, kept: Arrays) -> None:
        """Restore the best weights and the pruner."""
        keys, values, pruner = kept["best_keys"], kept["best_values"], kept["pruner"]
        scale, self.pruner_scale = kept["scales"].tolist()
        typed = keys.dtype == np.uint64 and values.dtype == pruner.dtype == np.int16
        if not typed or keys.shape != values.shape or pruner.shape != self.pruner.shape:
            raise ValueError("sizes or types differ")
        self.pruner, self.best = pruner, (keys, values, scale)

    def result(self, run: Run) -> ModelState:
        """Return the parser with the best weights, calibrated on the dev data."""
        weights = Weights(*self.best, self.pruner, self.pruner_scale)
        state = ModelState(self.config, self.frame, weights)
        if self.dev is None or self.config.inference.temperature > 0:
            return state
        sentences = list(self.dev.sentences)
        calibration = Calibration(losses=run.position.notes.setdefault("calibration", {}), tried=run.save)
        total = calibration.turns * len(calibration_sentences(sentences))
        calibration.parsed = run.counter("calibration", total)
        return calibrated(state, sentences, self.threads, calibration)

    def facts(self, state: ModelState) -> dict[str, Any]:
        """Return the number of weights and the kind of trees."""
        return {"single_root": self.frame.single_root, "weights": len(state.weights.keys)}

    def dev_scores(self, state: ModelState, run: Run) -> dict[str, Any]:
        """Score the model as it will be saved (rounded and reduced) with the CoNLL 2018 metrics."""
        assert self.dev is not None  # noqa: S101 - the caller looks
        sentences = list(self.dev.sentences)
        gold = [sentence for sentence in sentences if has_tree(sentence, single_root=False)]
        count = run.counter("scores on dev", len(gold) + len(calibration_sentences(sentences)))
        system = [sentence.copy() for sentence in gold]
        model, request = state.build(), make_request(max_words=0)
        certified = 0
        for begin in range(0, len(system), _SCORED):
            chunk = system[begin : begin + _SCORED]
            parses = model.parse([sentence._core for sentence in chunk], request, [], self.threads)
            certified += sum(parse.certified for parse in parses)
            count(chunk)
        scores = attachment_scores(gold, system, subtypes=False)
        return {
            "on": "dev",
            "uas": scores.uas,
            "las": scores.las,
            "certified": certified / len(gold),
            "calibration_error": calibration_error(state, sentences, self.threads, Calibration(parsed=count)),
            "temperature": state.config.temperature,
            **run.best,
            **run.position.notes["pruning"],
        }
