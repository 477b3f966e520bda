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
from ramify.parsing.calibration import Calibration, calibrated, calibration_error, calibration_sentences
from ramify.parsing.corpus import core_sentences, has_tree
from ramify.parsing.learner import TreeLearner
from ramify.parsing.progress import Pruned
from ramify.parsing.request import make_request
from ramify.parsing.selection import Selector, template_facts
from ramify.parsing.state import ModelState, Weights, core_model, quantise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from ramify.data import Sentence
    from ramify.learn.corpus import Corpus
    from ramify.learn.run import Arrays, Run
    from ramify.parsing.config import Config

__all__ = ["ParserLearner", "calibrated_on", "scores_of"]

_PRUNER, _PARSER, _SELECTION = 0, 1, 2  # for seeds: their orders of sentences are independent
_FEATURE_SETS = {
    "complete": _learn.FeatureSet.COMPLETE,
    "supported": _learn.FeatureSet.SUPPORTED,
    "buckets": _learn.FeatureSet.BUCKETS,
}
_LOSSES = {
    "family": _learn.LossKind.FAMILY,
    "l2": _learn.LossKind.L2,
    "risk": _learn.LossKind.RISK,
    "l2-risk": _learn.LossKind.L2_RISK,
}
_DAMPING = 0.1  # of AdaGrad: with many features that are seen once, measured to be better than the default
_STORED = np.uint64(0xFFFFFFFFFF000000)  # bits of a feature's key that are in model files
_COUNTS = ("words", "right_heads", "right_labels", "sentences", "certified", "updates", "loss")
_SCORED = 64  # sentences between two reports while the finished parser is scored


def trainer_options(config: Config, threads: int, selecting: _learn.Regularizer | None = None) -> _core.TrainerOptions:
    """Return the options of the C++ trainer; `selecting` is a penalty that selects templates."""
    training = config.training
    if training.optimizer == "automatic":
        optimizer = _learn.Optimizer(_learn.Method.AUTOMATIC, training.max_step, 0.0, _learn.DAMPING, averaged=True)
        penalties = regularizer()
    else:
        optimizer = _learn.Optimizer(_learn.Method.ADAGRAD, training.rate, 0.0, _DAMPING, averaged=False)
        penalties = regularizer(l2=training.regularization)
    return _core.TrainerOptions(
        loss=_learn.Loss(_LOSSES[training.loss], training.beta, training.gamma),
        optimizer=optimizer,
        regularizer=selecting or penalties,
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
        live_only=selecting is not None,
    )


class ParserLearner(TreeLearner):
    """The training data of a parser and its weights."""

    title = "parser"
    remedy = "Train again with smaller steps: training.max-step, or training.rate of adagrad."

    def __init__(self, config: Config, train: Corpus[Sentence], dev: Corpus[Sentence] | None, threads: int) -> None:
        super().__init__(config, train, dev, threads)
        self.stage = "parser"
        self.batch = config.training.batch
        self.lengths = np.array([len(sentence) for sentence in train.sentences])
        self.pruner: npt.NDArray[np.int16] = np.zeros(1 << config.pruner.bits, np.int16)
        self.pruner_scale = 0.0
        self.best: list[Any] = [np.empty(0, np.uint64), np.empty(0, np.int16), 0.0]
        self.sizes = np.empty((2, 0))  # of each template: number of weights, sum of their squares
        config.select.check()
        self.selector = Selector(config) if config.select.active else None
        self.selecting = self.selector is not None and not self.selector.ranks
        self.one_stage = self.selecting and config.select.one_stage
        if self.selecting and not self.one_stage:
            assert self.selector is not None  # noqa: S101 - said by the line above
            self.phases, self.stage, self.epochs = 2, "selection", self.selector.epochs

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
        stats = self._make_trainer(run.position.epoch)
        if self.selector is not None and self.selector.ranks and not self.selector.found:
            self.selector.rank(self.trainer.information_gain())
            self._take_selected()
            self._make_trainer(0)
        words = max(stats.words, 1)
        pruning = {"heads_per_word": stats.arcs / words, "recall": stats.kept / words}
        run.position.notes["pruning"] = pruning
        run.report(Pruned(**pruning, on="dev" if self.dev else "train"))

    def _make_trainer(self, epoch: int) -> _core.PruneStats:
        """Make the trainer of the present phase, which begins with some epoch."""
        selector, selects = self.selector, self.selecting or self._ranks
        config = selector.config if selector is not None and selects else self.config
        model = core_model(config, self.frame, self.pruner, self.pruner_scale)
        if selector is not None and selects:
            selector.set_templates(model.templates())
        penalty = selector.regularizer(epoch) if selector is not None and self.selecting else None
        options = trainer_options(config, self.threads, penalty)
        self.trainer = _core.Trainer(model, options, core_sentences(self.train), core_sentences(self.dev))
        stats: _core.PruneStats = self.trainer.prune()
        if selector is not None and selector.keeps_features and not selects:
            self.trainer.restrict_to(selector.features_for(model.templates()))
        return stats

    @property
    def _ranks(self) -> bool:
        """Whether templates are still to be ranked, which needs no training."""
        return self.selector is not None and self.selector.ranks and not self.selector.found

    def _take_selected(self) -> None:
        """Go on to the training of the model whose templates were selected."""
        assert self.selector is not None  # noqa: S101 - it has selected
        self.config, self.selector.done = self.selector.chosen(), True
        self.selecting, self.stage, self.epochs = False, "parser", self.config.training.epochs

    def next_phase(self) -> None:
        """Go on from the selection of templates to the training of the parser."""
        self._take_selected()
        self._make_trainer(0)

    def order(self, epoch: int) -> npt.NDArray[np.int64]:
        """Return an order of sentences that differs from the pruner's."""
        self._epoch = epoch
        return self._order(_SELECTION if self.selecting else _PARSER, epoch)

    def end_epoch(self) -> None:
        """Remember what a budget of the selection has left."""
        if self.selector is not None and self.selecting:
            self.selector.end_epoch(self._epoch, self.trainer)

    def _order(self, stage: int, epoch: int) -> npt.NDArray[np.int64]:
        return np.random.default_rng([self.seed, stage, epoch]).permutation(len(self.lengths)).astype(np.int64)

    def learn(self, chunk: npt.NDArray[np.int64]) -> Mapping[str, float]:
        """Learn from sentences, shape (chunk,)."""
        stats = self.trainer.run(chunk)
        return {name: getattr(stats, name) for name in _COUNTS}

    def scores(self) -> Mapping[str, float]:
        """Return the attachment scores of the averaged weights; labels include their subtypes."""
        if self.dev is None or (self.selecting and not self.one_stage):
            return {}
        self._measured = scores = self.trainer.evaluate()
        words = max(scores.words, 1)
        return {"UAS": scores.right_heads / words, "LAS": scores.right_labelled / words}

    def figures(self, sums: Mapping[str, float]) -> Mapping[str, float]:
        """Return the fraction of sentences with a certificate (on the dev data, if given) and the size of the model."""
        if self.selecting:
            return {"templates": len(self.trainer.live_templates()), "weights": self.trainer.num_weights}
        certified, sentences = sums["certified"], sums["sentences"]
        if self.dev is not None:
            certified, sentences = self._measured.certified, self._measured.sentences
        return {"% certified": 100 * certified / max(sentences, 1), "weights": self.trainer.num_weights}

    def keep(self) -> None:
        """Round the averaged weights."""
        if self.selecting and not self.one_stage:
            return
        *self.best, counts, squares = self.trainer.freeze(self.config.training.max_weights)
        self.sizes = np.array([counts, squares])
        if self.one_stage:
            self._keep_selected()

    def _keep_selected(self) -> None:
        """Leave out the weights that templates got back after they were dropped, and number the others anew."""
        assert self.selector is not None  # noqa: S101 - it selects
        keys, values, scale = self.best
        chosen = np.isin(keys & _STORED, self.selector.take(self.trainer) & _STORED)
        self.best = [keys[chosen], values[chosen], scale]
        numbers = self.selector.numbers
        sizes = np.zeros((2, max([self.sizes.shape[1], *(number + 1 for number in numbers)])))
        sizes[:, : self.sizes.shape[1]] = self.sizes
        self.sizes = sizes[:, numbers]

    def kept(self) -> Arrays:
        """Return the best weights and the pruner."""
        keys, values, scale = self.best
        scales = np.array([scale, self.pruner_scale])
        best = {"best_keys": keys, "best_values": values, "scales": scales, "sizes": self.sizes}
        kept = best | {"pruner": self.pruner}
        return kept if self.selector is None else kept | self.selector.to_arrays()

    def restore(self, kept: Arrays) -> None:
        """Restore the best weights and the pruner."""
        keys, values, pruner = kept["best_keys"], kept["best_values"], kept["pruner"]
        scale, self.pruner_scale = kept["scales"].tolist()
        typed = keys.dtype == np.uint64 and values.dtype == pruner.dtype == np.int16
        self.sizes = kept["sizes"]
        fits = keys.shape == values.shape and pruner.shape == self.pruner.shape and len(self.sizes) == 2
        if not typed or not fits:
            raise ValueError("sizes or types differ")
        self.pruner, self.best = pruner, [keys, values, scale]
        if self.selector is not None:
            self.selector.restore(kept)
            if self.selector.done:
                self._take_selected()

    def result(self, run: Run) -> ModelState:
        """Return the parser with the best weights, calibrated on the dev data."""
        keys, values, scale = self.best
        weights = Weights(keys, values, scale, self.pruner, self.pruner_scale)
        config = self.selector.chosen() if self.one_stage and self.selector is not None else self.config
        return calibrated_on(ModelState(config, self.frame, weights), self.dev, self.threads, run)

    def facts(self, state: ModelState) -> dict[str, Any]:
        """Return the number of weights, the kind of trees, and what the templates are worth."""
        facts: dict[str, Any] = {"single_root": self.frame.single_root, "weights": len(state.weights.keys)}
        if self.sizes.size:
            sizes = self._sizes_in(state) if self.one_stage else self.sizes
            facts["templates"] = template_facts(state, sizes, (self.dev or self.train).sentences)
        if self.selector is not None:
            facts["selection"] = self.selector.facts()
        return facts

    def _sizes_in(self, state: ModelState) -> npt.NDArray[np.float64]:
        """Return the sizes by the numbers that the model gives to the templates that were kept, in the same order."""
        numbers = sorted(template.number for template in state.build().core.templates())
        sizes = np.zeros((2, numbers[-1] + 1))
        sizes[:, numbers] = self.sizes
        return sizes

    def dev_scores(self, state: ModelState, run: Run) -> dict[str, Any]:
        """Score the model as it will be saved (rounded and reduced) with the CoNLL 2018 metrics."""
        assert self.dev is not None  # noqa: S101 - the caller looks
        found = scores_of(state, list(self.dev.sentences), self.threads, run.counter)
        return {**found, **run.best, **run.position.notes["pruning"]}


def calibrated_on(state: ModelState, dev: Corpus[Sentence] | None, threads: int, run: Run) -> ModelState:
    """Return a model whose probabilities are calibrated on the dev data, if there are any."""
    if dev is None or state.config.inference.temperature > 0:
        return state
    sentences = list(dev.sentences)
    calibration = Calibration(losses=run.position.notes.setdefault("calibration", {}), tried=run.save)
    total = calibration.turns * len(calibration_sentences(sentences))
    calibration.parsed = run.counter("calibration", total)
    return calibrated(state, sentences, threads, calibration)


def scores_of(
    state: ModelState,
    sentences: list[Sentence],
    threads: int,
    counter: Callable[[str, int], Callable[[list[Sentence]], None]] = lambda stage, total: lambda done: None,
) -> dict[str, Any]:
    """Return the scores of a finished model on the dev data; `counter` is that of a run."""
    gold = [sentence for sentence in sentences if has_tree(sentence, single_root=False)]
    count = counter("scores on dev", len(gold) + len(calibration_sentences(sentences)))
    system = [sentence.copy() for sentence in gold]
    model, request = state.build(), make_request(max_words=0)
    certified = 0
    for begin in range(0, len(system), _SCORED):
        chunk = system[begin : begin + _SCORED]
        parses = model.parse([sentence._core for sentence in chunk], request, [], threads)
        certified += sum(parse.certified for parse in parses)
        count(chunk)
    scores = attachment_scores(gold, system, subtypes=False)
    return {
        "on": "dev",
        "uas": scores.uas,
        "las": scores.las,
        "certified": certified / len(gold),
        "calibration_error": calibration_error(state, sentences, threads, Calibration(parsed=count)),
        "temperature": state.config.temperature,
    }
