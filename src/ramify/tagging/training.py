"""What a tagger learns from labelled sentences; `ramify.learn.run` does the rest of a training run."""

from __future__ import annotations

import itertools
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import learn as _learn
from ramify._core import tagging as _core
from ramify.errors import InvalidInputError
from ramify.evaluation import chunk_scores
from ramify.learn.arrays import halved
from ramify.learn.containers import checksum
from ramify.learn.divergence import check_finite
from ramify.learn.penalties import regularizer
from ramify.learn.progress import Started
from ramify.learn.run import Learner
from ramify.tagging.coding import coding_for, in_order, written_scheme
from ramify.tagging.dictionary import label_sets, read_clusters
from ramify.tagging.pools import expand
from ramify.tagging.selection import (
    Selected,
    Selector,
    choose,
    from_arrays,
    penalty,
    run_selection,
    selecting,
    selection_facts,
    template_facts,
    to_arrays,
    with_templates,
)
from ramify.tagging.sentences import AnySentence, attribute_of, column_of, source_of
from ramify.tagging.state import MAX_LABELS, MAX_NGRAMS, Frame, ModelState, Weights, core_model
from ramify.tagging.variety import made_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from ramify.learn.corpus import Corpus
    from ramify.learn.run import Arrays, Run
    from ramify.tagging.config import Config

__all__ = ["TaggerLearner", "check_labels", "options_for_core", "rounded", "score_labels"]

_SELECTION = 1  # of the random order of sentences, besides that of training
_REMEDY = "Train again with a smaller training.max-step."
_STEPS = {"automatic": _learn.Method.AUTOMATIC, "adaptive": _learn.Method.ADAGRAD}


def options_for_core(config: Config, threads: int, *, penalized: bool = False) -> dict[str, Any]:
    """Return what the C++ trainer is told; with penalty if it selects."""
    training = config.training
    return {
        "supported": training.features == "supported",
        "min_count": config.features.min_count,
        "loss": _learn.Loss(_learn.LossKind.FAMILY, training.beta, training.gamma),
        "optimizer": _learn.Optimizer(
            _STEPS[training.steps], training.max_step, training.decay, _learn.DAMPING, averaged=training.average
        ),
        "regularizer": penalty(config) if penalized else regularizer(),
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


class TaggerLearner(Learner):
    """What a tagger learns from, and what it has learned."""

    remedy = _REMEDY
    chunk = 256
    unbounded = ("ngram-rows", "ngram-stops")  # some labels can never follow others

    def __init__(
        self, config: Config, train: Corpus[AnySentence], dev: Corpus[AnySentence] | None, threads: int
    ) -> None:
        training, target = config.training, config.model.target
        select = config.select.with_path(len(expand(config.features.templates)))
        self.config = config = replace(config, select=select)
        self.given = train.sentences  # what cards and messages count
        made = made_sentences(self.given, target, training.seed) if training.variety else []
        self.sentences = [*self.given, *made]
        self.dev = dev.sentences if dev else []
        self.threads = threads
        self.title = f"tagger of {target}"
        self.stage = target
        self.epochs = training.epochs
        self.patience = training.patience
        self.seed = training.seed
        self.batch = training.batch
        self.phases = 2 if training.refit else 1
        self.lengths = np.array([len(sentence) for sentence in self.sentences])
        self.dev_gold = [column_of(sentence, target) for sentence in self.dev]
        self.dev_forms = [column_of(sentence, "form") for sentence in self.dev]
        self.best: Weights | None = None
        self.made = config  # what the model file says: the selected templates only
        self.selection: list[Selected] = []
        self.selector: Selector | None = None
        self.held: list[list[int]] = []  # weights in each epoch of the selection, see Selector
        self._describe()

    def _describe(self) -> None:
        """Find out what labels there are, and which words have which."""
        config, target = self.config, self.config.model.target
        gold = [column_of(sentence, target) for sentence in self.sentences]
        spans = config.model.spans != "none"
        written = written_scheme(gold) if spans else None
        self.coding = coding_for(target, config.model.spans, written)
        forms = (column_of(sentence, "form") for sentence in self.sentences)
        encoded = [self.coding.encode(*pair) for pair in zip(gold, forms, strict=True)]
        labels = in_order(set(itertools.chain.from_iterable(encoded)), config.model.spans)
        check_labels(labels, config.model.order)
        if attribute_of(target) and labels == ("_",):
            raise InvalidInputError(f"model.target: no word to learn from has the attribute of {target!r}.")
        number = {label: i for i, label in enumerate(labels)}
        self.numbers = [[number[label] for label in sequence] for sequence in encoded]
        sets = label_sets(config, self.sentences, self.numbers, labels)
        clusters = read_clusters(config.features.clusters) if config.features.clusters else ()
        self.frame = Frame(labels, written, *sets, *clusters)

    def inputs(self) -> list[str]:
        """Return checksums of the clusters of words."""
        frame = self.frame
        return [checksum(frame.cluster_keys.data, frame.cluster_ids.data, "\n".join(frame.cluster_names).encode())]

    def started(self) -> Started:
        """Make the trainer, which gives numbers to the features; a selection before training makes its own first."""
        sizes = {"labels": len(self.frame.labels)}
        if self._selects_first:
            sizes["templates"] = len(expand(self.config.features.templates))
        else:
            self._make_trainer(self.config, selects=self.config.select.active)
            sizes["features"] = self.trainer.num_features
        return Started(len(self.given), sum(map(len, self.given)), sizes)

    @property
    def _selects_first(self) -> bool:
        return self.config.select.active and not self.config.select.one_stage

    def _make_trainer(self, config: Config, *, selects: bool = False) -> None:
        columns = config.model.columns
        model = core_model(config, self.frame)
        self.trainer = _core.Trainer(model, **options_for_core(config, self.threads, penalized=selects))
        measures = self.dev and not (selects and self._selects_first)
        dev = source_of(self.dev, columns) if measures else None
        self.trainer.load(model, source_of(self.sentences, columns), dev, self.numbers)
        if selects:
            self.selector = Selector(config.select, self.trainer)

    def prepare(self, run: Run) -> None:
        """Select templates."""
        if not self._selects_first:
            return
        self._make_trainer(selecting(self.config), selects=True)
        assert self.selector is not None  # noqa: S101 - just made
        selector, self.selector = self.selector, None

        def learned(epoch: int, epochs: int, done: int, chunk: npt.NDArray[np.int64], loss: float) -> None:
            run.step("selection", epoch, epochs, done, chunk, loss / len(chunk))
            if run.signals.received:
                raise KeyboardInterrupt

        self.selection = run_selection(selector, self._selection_order, learned)
        self.held = selector.held
        self._take(self._choose())

    def _selection_order(self, epoch: int) -> npt.NDArray[np.int64]:
        return np.random.default_rng([self.seed, _SELECTION, epoch]).permutation(len(self.lengths)).astype(np.int64)

    def _choose(self) -> Selected:
        return choose(self.selection, self.config.select, len(self.frame.labels), self.config.model.order)

    def _take(self, chosen: Selected) -> None:
        """From here on the model has the chosen templates only."""
        self.chosen = chosen
        self.made = with_templates(self.config, chosen.templates)

    def begin(self, run: Run) -> None:
        """Make the trainer of the selected templates."""
        if not self._selects_first:
            return
        self._make_trainer(self.made)
        if self.config.select.frozen and len(self.chosen.keys):
            self.trainer.restrict_to(self.chosen.renumbered(), self.chosen.counts, self.chosen.labels)

    def learn(self, chunk: npt.NDArray[np.int64]) -> Mapping[str, float]:
        """Learn from sentences, shape (chunk,)."""
        return {"loss": self.trainer.run(chunk).loss, "sentences": len(chunk)}

    def end_epoch(self) -> None:
        """Let the steps decay."""
        self.trainer.end_epoch()
        if self.selector is not None:
            self.selector.end_epoch()
            self.held.append(self.selector.held[-1])

    def next_phase(self) -> None:
        """Learn once more, with only the weights that the file will hold."""
        self.trainer.refit(self.config.training.max_weights, self.config.training.min_weight)

    def scores(self) -> Mapping[str, float]:
        """Return the share of dev words that are right, and F1 of spans where labels mark spans."""
        if not self.dev:
            return {}
        accuracy, f1 = self._scores(self.trainer.predict_dev())
        return {"accuracy": accuracy} if f1 is None else {"accuracy": accuracy, "F1": f1}

    def figures(self, sums: Mapping[str, float]) -> Mapping[str, float]:
        """Return the size of the model."""
        return {"weights": self.trainer.num_weights}

    def keep(self) -> None:
        """Round the weights as the model file will hold them."""
        self.best = rounded(self.trainer, self.config)
        self.statistics = self.trainer.template_statistics().reshape(3, -1)
        if self.config.select.one_stage and self.selector is not None:
            self.selection = [self.selector.selected(self.config.select.templates)]
            self._take(self.selection[0])

    def kept(self) -> Arrays:
        """Return the best weights, and what was selected."""
        found: Arrays = {f"select-{name}": array for name, array in to_arrays(self.selection, self.held).items()}
        if self.best is not None:
            found |= {made.name: np.asarray(getattr(self.best, made.name)) for made in fields(self.best)}
            found["statistics"] = self.statistics
        return found

    def restore(self, kept: Arrays) -> None:
        """Take back the best weights, and what was selected."""
        mine = {name: array for name, array in kept.items() if not name.startswith("select-")}
        chosen = {name.removeprefix("select-"): array for name, array in kept.items() if name.startswith("select-")}
        if chosen:
            self.selection, self.held = from_arrays(chosen)
            self._take(self._choose())
        if mine:
            self.statistics = mine.pop("statistics")
            arrays: dict[str, Any] = {**mine, "scale": mine["scale"].item()}
            self.best = Weights(**arrays)

    def result(self, run: Run) -> ModelState:
        """Return the tagger with the best weights."""
        assert self.best is not None  # noqa: S101 - the last epoch is one at least
        return ModelState(self.made, self.frame, self.best)

    def _scores(self, numbers: npt.NDArray[np.uint16]) -> tuple[float, float | None]:
        """Return the share of right words, and F1 of spans where there are spans; numbers has shape (words,)."""
        labels = [self.frame.labels[i] for i in numbers.tolist()]
        predicted: list[list[str]] = []
        at = 0
        for forms in self.dev_forms:
            predicted.append(self.coding.decode(labels[at : at + len(forms)], forms))
            at += len(forms)
        return score_labels(self.dev_gold, predicted, spans=self.config.model.spans != "none")

    def facts(self, state: ModelState) -> dict[str, Any]:
        """Return numbers of labels and weights."""
        facts: dict[str, Any] = {"labels": len(self.frame.labels), "weights": len(state.weights.values)}
        computed = self.config if self.config.select.one_stage else self.made
        facts["templates"] = template_facts(computed, self.statistics)
        if self.selection:
            facts["selection"] = selection_facts(self.config, self.selection, self.held)
        return facts

    def dev_scores(self, state: ModelState, run: Run) -> dict[str, Any]:
        """Score the model as it will be saved, rounded and cut to size."""
        taggings = state.build().tag(source_of(self.dev, self.config.model.columns), False, 1, [], self.threads)
        numbers = [tagging.best.labels() for tagging in taggings]
        accuracy, f1 = self._scores(np.concatenate([*numbers, np.empty(0, np.uint16)]))
        return {"accuracy": accuracy, "f1": f1, **run.best}


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
