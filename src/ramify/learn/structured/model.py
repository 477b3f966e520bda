"""A model of one's own: any factor graph, with scores that are learned from examples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.errors import InvalidInputError, ModelError
from ramify.learn.progress import EpochDone, reporting
from ramify.learn.structured.examples import Example, build_parts, read_assignment
from ramify.learn.structured.files import Saved, given_parameters, read_model, write_model
from ramify.learn.structured.fitting import History, Run
from ramify.learn.structured.losses import Costs, Loss
from ramify.learn.structured.objective import Objective
from ramify.learn.structured.options import Options
from ramify.learn.structured.predictor import Predictor
from ramify.learn.structured.weights import Weights

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from ramify.graph import Method
    from ramify.learn.progress import Progress
    from ramify.learn.structured.parts import Parts

__all__ = ["StructuredModel"]

_NOT_STORED = ("parts", "progress")  # functions, and what concerns a session only


class StructuredModel(Predictor):
    """Learns the scores of factor graphs, with the methods that scikit-learn's estimators have.

    Parameters
    ----------
    parts : function from an example to `Parts`: its variables, factors and features
    loss : ``"crf"``, ``"softmax-margin"``, ``"svm"``, ``"perceptron"``, ``"l2"`` (of marginals, through the gradient of
        inference) or a `Loss`
    inference : method that learns and gives marginals, such as ``BeliefPropagation()`` or ``AD3()``; None takes
        `Exact` where no variable has two factors, and elsewhere `AD3` for ``"svm"`` and ``"perceptron"`` and
        `BeliefPropagation` for the others
    decoder : method that predicts; None takes `Exact` where no variable has two factors, and elsewhere `AD3` with
        branch and bound of at most 1000 nodes
    cost : what wrong states cost in losses with a margin: ``"hamming"``, a matrix of gold state × state, or a function
        of an example and its states that returns a number for each state of each variable
    class_weight : from a gold state to a factor of its variable's cost, or ``"balanced"``
    optimizer : ``"adagrad"``, ``"automatic"`` (Algorithm 1 of Martins et al. 2010, for batches of one) or ``"sgd"``
    max_step : learning rate, or the longest automatic step; None has a default for the optimizer
    l2 : strength of the penalty ``l2 / 2 · |weights|²``, which is added to the sum of the losses
    epochs : most passes over the examples
    batch_size : examples for each step
    average : predict with the average of all weights that training went through
    early_stopping : hold out a share of the examples (`validation_fraction`), and keep the weights that are best there
    validation_fraction, n_iter_no_change, tol : training ends when the held-out score (or, without early stopping, the
        loss) has not become better by `tol` in so many epochs; None never ends it before `epochs`
    warm_start : `fit` goes on from the weights of the last one
    seed : of the order of examples
    threads : of inference; 0 is all that the machine has; the result does not depend on it
    progress : True prints a line after each epoch, ``"auto"`` only on a terminal; or a function of events

    Attributes
    ----------
    coef_ : weights by template, each of shape (features, weights of each)
    n_iter_ : epochs done
    loss_curve_, validation_scores_ : by epoch

    Examples
    --------
    >>> from ramify import FactorGraph
    >>> from ramify.factors import Sequence
    >>> from ramify.learn import Parts
    >>> def chain(x):
    ...     graph = FactorGraph()
    ...     labels = graph.add_variables(len(x), num_states=2)
    ...     neighbours = graph.add(Sequence(labels, None))
    ...     return Parts(graph).add("own", labels, x).add("neighbours", neighbours)
    >>> X, y = [np.array([[-1.0], [0.1], [1.0]])], [[0, 0, 1]]
    >>> StructuredModel(chain).fit(X, y).predict(X)
    [array([0, 0, 1], dtype=int32)]
    """

    fitted_by = "n_iter_"

    def __init__(
        self,
        parts: Callable[[Any], Parts],
        *,
        loss: str | Loss = "crf",
        inference: Method | None = None,
        decoder: Method | None = None,
        cost: Any = "hamming",
        class_weight: Mapping[int, float] | str | None = None,
        optimizer: str = "adagrad",
        max_step: float | None = None,
        l2: float = 0.0,
        epochs: int = 20,
        batch_size: int = 1,
        average: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | None = None,
        tol: float = 1e-4,
        warm_start: bool = False,
        seed: int = 1,
        threads: int = 1,
        progress: Progress = False,
    ) -> None:
        self.parts = parts
        self.loss = loss
        self.inference = inference
        self.decoder = decoder
        self.cost = cost
        self.class_weight = class_weight
        self.optimizer = optimizer
        self.max_step = max_step
        self.l2 = l2
        self.epochs = epochs
        self.batch_size = batch_size
        self.average = average
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.warm_start = warm_start
        self.seed = seed
        self.threads = threads
        self.progress = progress

    @property
    def loss_curve_(self) -> list[float]:
        """Mean loss of a training example, by epoch."""
        return list(self._history.losses)

    @property
    def validation_scores_(self) -> list[float]:
        """Score of the held-out examples, by epoch of the last `fit`."""
        return list(self._history.scores)

    # --- learning ---------------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Sequence[Any],
        y: Sequence[ArrayLike],
        *,
        sample_weight: ArrayLike | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
    ) -> StructuredModel:
        """Learn from examples and their gold states.

        Parameters
        ----------
        X : examples, as `parts` takes them
        y : for each example the states of all variables, in an array of any shape; −1 where one is not observed
        sample_weight : how much each example counts
        checkpoint : path of a model that is written after every epoch, to go on from later
        resume : go on after the epochs that this model has had; then it ends as one that was never interrupted, bit for
            bit, if the examples and the parameters are the same
        """
        options = Options.read(self)
        if resume:
            self._expect_fit("fit(resume=True)")
            self._weights = self._weights.renewed(options)
        else:
            again = self.warm_start and self.__sklearn_is_fitted__()
            self._weights = self._weights.renewed(options) if again else Weights(options)
            self._history, self.n_iter_ = History(), 0
        self._run(options, X, y, sample_weight, options.epochs, checkpoint)
        return self

    def partial_fit(
        self,
        X: Sequence[Any],
        y: Sequence[ArrayLike],
        *,
        sample_weight: ArrayLike | None = None,
    ) -> StructuredModel:
        """Learn from some more examples in one pass; no early stopping. The parameters are those of `fit`.

        Parameters
        ----------
        X, y, sample_weight : see `fit`
        """
        options = Options.read(self, early_stopping=False)
        if self.__sklearn_is_fitted__():
            self._weights = self._weights.renewed(options)
        else:
            self._weights, self._history, self.n_iter_ = Weights(options), History(), 0
        self._run(options, X, y, sample_weight, self.n_iter_ + 1, None)
        return self

    def _run(
        self,
        options: Options,
        X: Any,
        y: Any,
        sample_weight: Any,
        epochs: int,
        checkpoint: Any,
    ) -> None:
        examples, importance = self._examples(options, X, y, sample_weight)
        for number, example in enumerate(examples):
            self._weights.open(number, example.parts.shapes())
        kept, held_out = options.split(len(examples))
        self._weights.expect(len(kept))
        run = Run(
            examples=[examples[i] for i in kept],
            packed=[self._weights.pack(examples[i].parts) for i in kept],
            importance=importance[kept],
            objective=Objective(options.loss, self.inference),
            weights=self._weights,
            seed=options.seed,
            batch_size=options.batch_size,
            threads=options.threads,
        )
        history = self._history
        with reporting(self.progress) as report:
            for loss in run.epochs(self.n_iter_, epochs):
                self.n_iter_ += 1
                history.losses.append(loss)
                scores, better = {}, True
                if options.early_stopping:
                    score = scores["held-out score"] = self.score([X[i] for i in held_out], [y[i] for i in held_out])
                    better = not history.scores or score > max(history.scores)
                    if better:
                        history.best = self._weights.state()
                    history.scores.append(score)
                report(EpochDone(self.n_iter_, epochs, loss, scores, {}, better))
                if checkpoint is not None:
                    self.save(checkpoint)
                if options.patience is not None and history.is_over(options.patience, options.tol):
                    break
        if history.best is not None:
            self._weights.restore(history.best)

    def _examples(
        self,
        options: Options,
        X: Any,
        y: Any,
        sample_weight: Any,
    ) -> tuple[list[Example], NDArray[np.float64]]:
        if len(X) != len(y) or not len(X):
            raise InvalidInputError(
                f"StructuredModel.fit expects as many examples as assignments, at least one; got {len(X)} and {len(y)}."
            )
        importance = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if importance.shape != (len(X),) or not np.isfinite(importance).all() or np.any(importance < 0):
            raise InvalidInputError(
                f"StructuredModel.fit expects sample_weight with {len(X)} finite numbers of at least 0."
            )
        parts = [build_parts("StructuredModel.fit", self.parts, x) for x in X]
        pairs = enumerate(zip(parts, y, strict=True))
        gold = [read_assignment(number, states, part.graph, partial=True) for number, (part, states) in pairs]
        costs = Costs(self.cost, self.class_weight).balanced(gold)
        if self.class_weight is not None and not options.loss.gamma:
            raise InvalidInputError(
                "StructuredModel expects a loss with costs, such as 'svm' or 'softmax-margin', for class_weight."
            )
        prepared = zip(X, parts, gold, strict=True)
        return [Example.prepare(i, *triple, costs) for i, triple in enumerate(prepared)], importance

    # --- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the fitted model: a directory, or a zip if the path ends in ``.zip``.

        Functions are not stored: `parts`, a `cost` that is a function, and inference methods of your own are given
        again to `load`. Everything else is, so that training can go on from the file.

        Parameters
        ----------
        path : where to
        """
        self._expect_fit("save")
        stored = {name: value for name, value in self.get_params().items() if name not in _NOT_STORED}
        state = self._weights.state()
        write_model(Saved(stored, self._weights.shapes, self.n_iter_, self._history, state), Path(path))

    @classmethod
    def load(cls, path: str | Path, parts: Callable[[Any], Parts], **params: Any) -> StructuredModel:
        """Read a model that `save` wrote. Loading an untrusted model cannot run code.

        Parameters
        ----------
        path : where from
        parts : the function that the model was fitted with
        params : parameters with other values than the saved ones

        Raises
        ------
        ModelError
            Something is missing, damaged, too large, of a newer format, or no structured model.
        """
        names = [name for name in cls._parameters() if name not in _NOT_STORED]
        saved = read_model(Path(path), names)
        model = cls(parts, **given_parameters(Path(path), saved.parameters, params))
        try:
            model._weights = Weights(Options.read(model), saved.shapes)
            model._weights.restore(saved.state)
        except (InvalidInputError, TypeError, ValueError) as error:
            raise ModelError(str(path), "weights.safetensors", str(error)) from None
        model._history, model.n_iter_ = saved.history, saved.epochs
        return model
