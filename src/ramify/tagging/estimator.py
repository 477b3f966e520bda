"""A sequence labeller with the interface of scikit-learn, for features that the caller computes."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import tagging as _core
from ramify.errors import InvalidInputError, ModelError
from ramify.learn.containers import are_names
from ramify.learn.estimator import Estimator
from ramify.learn.threads import num_threads
from ramify.tagging.config import Config
from ramify.tagging.model_files import LABELLER_FILES
from ramify.tagging.state import MAX_LABELS, Frame, ModelState, core_model
from ramify.tagging.training import check_labels, options_for_core, rounded, score_labels

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

__all__ = ["SequenceLabeller"]


class SequenceLabeller(Estimator):
    """A linear-chain model over features of words, with the methods that scikit-learn's estimators have.

    Sentences are lists of words; a word is a dict of features or a list of names. In a dict, a number is the value of
    a feature, text makes the feature ``name:text``, ``True`` counts 1, ``False`` and ``None`` count nothing; values may
    be dicts and lists of the same.

    Parameters
    ----------
    order : number of preceding labels on which the score of a label depends: 0, 1 or 2
    spans : ``"none"``, or how labels mark spans (``"iob1"``, ``"iob2"``, ``"bioes"``): then only labels in proper order
        are predicted, and ``score`` is F1 of spans
    loss : ``"crf"``, ``"softmax-margin"``, ``"mira"`` or ``"perceptron"``
    epochs, max_step, min_count, average, seed : see `ramify.tagging.Training`; max_step None has a default for the loss
    threads : number of threads for prediction; 0 uses all cores

    Attributes
    ----------
    classes_ : list of the labels, after `fit`

    Examples
    --------
    >>> X = [[{"word": "dogs", "last": "s"}, {"word": "bark"}], [["word:bark"]]]
    >>> y = [["NOUN", "VERB"], ["VERB"]]
    >>> SequenceLabeller(epochs=5).fit(X, y).predict(X)
    [['NOUN', 'VERB'], ['VERB']]

    `save` and `load` store a fitted labeller in model files, which cannot contain code. It can also be pickled.
    """

    fitted_by = "classes_"

    def __init__(
        self,
        *,
        order: int = 1,
        spans: str = "none",
        loss: str = "softmax-margin",
        epochs: int = 10,
        max_step: float | None = None,
        min_count: int = 1,
        average: bool = True,
        seed: int = 1,
        threads: int = 1,
    ) -> None:
        self.order = order
        self.spans = spans
        self.loss = loss
        self.epochs = epochs
        self.max_step = max_step
        self.min_count = min_count
        self.average = average
        self.seed = seed
        self.threads = threads

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_model"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if "_state" in state:
            self._model = self._state.build()

    # -- files -------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the fitted labeller: a directory, or a zip if the path ends in ``.zip``."""
        self._expect_fit("save")
        self._check_parameters()
        if not are_names(self.classes_, 1, MAX_LABELS):
            raise InvalidInputError(
                "SequenceLabeller.save expects labels that can be written into a file; one has control characters or "
                "lone surrogates. Rename it and fit again."
            )
        weights = len(self._state.weights.values)
        facts = {"labels": len(self.classes_), "weights": weights, "parameters": self.get_params()}
        LABELLER_FILES.save(replace(self._state, facts=facts), path)

    @classmethod
    def load(cls, path: str | Path) -> SequenceLabeller:
        """Read a labeller that `save` wrote. Loading an untrusted model cannot run code.

        Raises
        ------
        ModelError
            Something is missing, damaged, too large, of a newer format, or no sequence labeller.
        """
        state = LABELLER_FILES.load(path)
        parameters = state.facts.get("parameters")
        if not isinstance(parameters, dict) or sorted(parameters) != sorted(cls._parameters()):
            raise ModelError(str(path), "vocab.json", f"parameters: expected {', '.join(cls._parameters())}")
        labeller = cls(**parameters)
        try:
            labeller._check_parameters()
        except (InvalidInputError, TypeError) as error:
            raise ModelError(str(path), "vocab.json", f"parameters: {error}") from None
        try:
            labeller._take(state)
        except ValueError as error:
            raise ModelError(str(path), "config.toml", str(error)) from None
        return labeller

    # -- learning and predicting -------------------------------------------------------------------------------------

    def fit(self, X: Sequence[Sequence[Any]], y: Sequence[Sequence[str]]) -> SequenceLabeller:  # noqa: N803
        """Train on the sentences `X` and their labels `y`."""
        config = self._config()
        _check_lengths(X, y)
        labels = tuple(sorted(set(itertools.chain.from_iterable(y))))
        if not labels or not all(isinstance(label, str) and label for label in labels):
            raise InvalidInputError("SequenceLabeller.fit expects labels that are texts; got none, or others.")
        check_labels(labels, config.model.order)
        frame = Frame(labels)
        model = core_model(config, frame)
        number = {label: i for i, label in enumerate(labels)}
        trainer = _core.Trainer(model, **options_for_core(config, 1))
        trainer.load(model, _source(X), None, [[number[label] for label in row] for row in y])
        for epoch in range(config.training.epochs):
            rng = np.random.default_rng([config.training.seed, epoch])
            trainer.run(rng.permutation(len(X)).astype(np.int64))
            trainer.end_epoch()
        self._take(ModelState(config, frame, rounded(trainer, config)))
        return self

    def _check_parameters(self) -> None:
        self._config()
        num_threads(self.threads)

    def _take(self, state: ModelState) -> None:
        self._state = state
        self._model = state.build()
        self.classes_ = list(state.frame.labels)

    def predict(self, X: Sequence[Sequence[Any]]) -> list[list[str]]:  # noqa: N803
        """Return the best labels of each sentence."""
        return [[self.classes_[i] for i in tagging.best.labels()] for tagging in self._tag(X, marginals=False)]

    def predict_single(self, xseq: Sequence[Any]) -> list[str]:
        """Return the best labels of one sentence."""
        return self.predict([xseq])[0]

    def predict_marginals(self, X: Sequence[Sequence[Any]]) -> list[list[dict[str, float]]]:  # noqa: N803
        """Return for each word of each sentence the probabilities of all labels."""
        return [
            [dict(zip(self.classes_, row.tolist(), strict=True)) for row in rows] for rows in self.marginal_arrays(X)
        ]

    def marginal_arrays(self, X: Sequence[Sequence[Any]]) -> list[npt.NDArray[np.float64]]:  # noqa: N803
        """Return for each sentence the probabilities of labels, shape (n, L)."""
        taggings = self._tag(X, marginals=True)
        return [tagging.marginals().reshape(-1, len(self.classes_)) for tagging in taggings]

    def score(self, X: Sequence[Sequence[Any]], y: Sequence[Sequence[str]]) -> float:  # noqa: N803
        """Return the fraction of correct labels; with `spans`, F1 of spans as ``conlleval`` computes it."""
        _check_lengths(X, y)
        accuracy, f1 = score_labels(y, self.predict(X), spans=self.spans != "none")
        return accuracy if f1 is None else f1

    def _tag(self, X: Sequence[Sequence[Any]], *, marginals: bool) -> list[_core.Tagging]:  # noqa: N803
        self._expect_fit("predict")
        taggings = self._model.tag(_source(X), marginals, 1, [], num_threads(self.threads))
        for number, tagging in enumerate(taggings, 1):
            if tagging.best.value == -math.inf:
                raise InvalidInputError(
                    f"no labels in proper order exist for sentence {number}: its labels are too few."
                )
        return taggings

    def _config(self) -> Config:
        losses = {
            "crf": (1.0, 0.0, "adaptive", 0.2),
            "softmax-margin": (1.0, 1.0, "adaptive", 0.2),
            "mira": (math.inf, 1.0, "automatic", 0.1),
            "perceptron": (math.inf, 0.0, "automatic", 1.0),
        }
        if self.loss not in losses:
            raise InvalidInputError(f"loss expects one of {', '.join(map(repr, losses))}; got {self.loss!r}.")
        beta, gamma, steps, step = losses[self.loss]
        tables = {
            "model": {"order": self.order, "spans": self.spans},
            "features": {"templates": ["bias"], "min-count": self.min_count},
            "training": {
                "epochs": self.epochs,
                "beta": beta,
                "gamma": gamma,
                "steps": steps,
                "max-step": step if self.max_step is None else self.max_step,
                "average": self.average,
                "seed": self.seed,
                "max-weights": 2**28,
            },
        }
        return Config()._updated(tables)


def _check_lengths(X: Sequence[Sequence[Any]], y: Sequence[Sequence[str]]) -> None:  # noqa: N803
    if len(X) != len(y):
        raise InvalidInputError(
            f"SequenceLabeller expects as many sentences as label lists; got {len(X)} and {len(y)}."
        )
    for number, (words, labels) in enumerate(zip(X, y, strict=True), 1):
        if len(words) != len(labels):
            raise InvalidInputError(
                f"SequenceLabeller expects a label for each word; sentence {number} has {len(words)} words and "
                f"{len(labels)} labels."
            )


def _source(X: Sequence[Sequence[Any]]) -> _core.Source:  # noqa: N803
    """Return features as the C++ side takes them: names, and values only where some are not 1."""
    names: list[list[list[str]]] = []
    values: list[list[list[float]]] = []
    plain = True
    for sentence in X:
        words = [_flat(word) for word in sentence]
        names.append([word[0] for word in words])
        values.append([word[1] for word in words])
        plain = plain and all(not word[2] for word in words)
    return _core.FeatureSource(names, [] if plain else values)


def _flat(word: Any) -> tuple[list[str], list[float], bool]:
    """Return the features of a word, their values, and whether some value is not 1."""
    if isinstance(word, (list, tuple)):
        if not all(isinstance(name, str) for name in word):
            raise InvalidInputError(f"A word expects names of features, or a dict; got {word!r}.")
        return list(word), [1.0] * len(word), False
    if not hasattr(word, "items"):
        raise InvalidInputError(f"A word expects a dict of features, or a list of names; got {word!r}.")
    names: list[str] = []
    values: list[float] = []
    _flatten("", word, names, values)
    return names, values, any(value != 1.0 for value in values)


def _flatten(name: str, value: Any, names: list[str], values: list[float]) -> None:
    if isinstance(value, str):
        names.append(f"{name}:{value}")
        values.append(1.0)
    elif value is None or value is False:
        return
    elif isinstance(value, Real):  # True is 1
        number = float(value)
        if not math.isfinite(number):
            raise InvalidInputError(f"A feature expects a finite number; got {value!r} for {name!r}.")
        names.append(name)
        values.append(number)
    elif hasattr(value, "items"):
        for key, inner in value.items():
            _flatten(f"{name}:{key}" if name else str(key), inner, names, values)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for inner in sorted(value, key=str) if isinstance(value, (set, frozenset)) else value:
            _flatten(name, inner if isinstance(inner, str) else str(inner), names, values)
    else:
        raise InvalidInputError(f"A feature expects text, a number, a flag or several; got {value!r} for {name!r}.")
