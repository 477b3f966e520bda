"""The learner of all tasks, with weights that are addressed by template and column of a feature matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import learn as _core
from ramify.errors import InvalidInputError
from ramify.learn.penalties import regularizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ramify.learn.structured.options import Options
    from ramify.learn.structured.parts import Block, Parts

    Shapes = dict[str, tuple[int, int]]

__all__ = ["Packed", "Weights"]

_METHODS = {
    "adagrad": _core.Method.ADAGRAD,
    "automatic": _core.Method.AUTOMATIC,
    "sgd": _core.Method.SGD,
}


@dataclass(frozen=True)
class Packed:
    """Features of all parts of an example, as the engine takes them.

    Attributes
    ----------
    begin : row r has ``keys[begin[r]:begin[r + 1]]``
    keys, values : of the features
    widths : number of sums of each row, one for each part that it scores
    blocks : which sum goes to which parts
    """

    begin: NDArray[np.int64]
    keys: NDArray[np.uint64]
    values: NDArray[np.float32]
    widths: NDArray[np.int32]
    blocks: list[Block]

    def gather(self, gradient: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return gradients of the sums.

        Parameters
        ----------
        gradient : of coordinates and parts
        """
        return _joined([block.gather(gradient) for block in self.blocks], np.float64)


class Weights:
    """Weights of templates, and how they are learned.

    Parameters
    ----------
    options : loss, optimizer and regularizer
    shapes : templates with their numbers of features and of weights for each; more may come later
    """

    def __init__(self, options: Options, shapes: Shapes | None = None) -> None:
        self.shapes: Shapes = dict(shapes or {})
        self.options = options
        self._learner = _core.Learner(
            options.loss.core,
            _core.Optimizer(_METHODS[options.optimizer], options.max_step, 0.0, _core.DAMPING, options.average),
            regularizer(l2=options.l2),
            _core.FeatureSet.COMPLETE,
            0,
            options.batch_size,
        )

    def __getstate__(self) -> tuple[Options, Shapes, dict[str, NDArray[Any]]]:
        return self.options, self.shapes, self.state()

    def __setstate__(self, state: tuple[Options, Shapes, dict[str, NDArray[Any]]]) -> None:
        options, shapes, arrays = state
        Weights.__init__(self, options, shapes)
        self.restore(arrays)

    def renewed(self, options: Options) -> Weights:
        """Return the same weights, to be learned on under other options.

        Parameters
        ----------
        options : with the same optimizer and averaging
        """
        if (options.optimizer, options.average) != (self.options.optimizer, self.options.average):
            raise InvalidInputError(
                "StructuredModel expects the same optimizer and average when training goes on from earlier weights; "
                f"got {options.optimizer!r} and {options.average} after {self.options.optimizer!r} and "
                f"{self.options.average}."
            )
        other = Weights(options, self.shapes)
        other.restore(self.state())
        return other

    # --- templates --------------------------------------------------------------------------------------------------

    def open(self, number: int, shapes: Shapes) -> None:
        """Make templates known that an example has; those that are known already must have the same shape.

        Parameters
        ----------
        number : position of the example, for messages
        shapes : of the example's templates
        """
        for name, shape in shapes.items():
            known = self.shapes.setdefault(name, shape)
            if known != shape:
                raise InvalidInputError(
                    f"StructuredModel expects template {name!r} to have {known[0]} features and {known[1]} weights of "
                    f"each; example {number} has {shape[0]} and {shape[1]}."
                )
        if len(self.shapes) > _core.MOST_TEMPLATES:
            raise InvalidInputError(f"StructuredModel expects at most {_core.MOST_TEMPLATES} templates.")

    def check(self, parts: Parts) -> None:
        """Refuse templates that have no weights, or others than these.

        Parameters
        ----------
        parts : what is to be predicted
        """
        for name, shape in parts.shapes().items():
            if self.shapes.get(name) != shape:
                known = f"it has {self.shapes[name]}" if name in self.shapes else "the model has no such template"
                raise InvalidInputError(
                    f"StructuredModel expects the templates that it was fitted with; got {name!r} of shape {shape}: "
                    f"{known}."
                )

    def pack(self, parts: Parts) -> Packed:
        """Return the features of an example for the engine.

        Parameters
        ----------
        parts : whose templates are known
        """
        numbers = {name: number for number, name in enumerate(self.shapes)}
        blocks = parts.blocks
        lengths = [np.diff(block.matrix.begin) for block in blocks]
        keys = [_core.feature_keys(numbers[b.template], b.matrix.columns.astype(np.uint64)) for b in blocks]
        return Packed(
            begin=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(_joined(lengths, np.int64))]),
            keys=_joined(keys, np.uint64),
            values=_joined([block.matrix.values for block in blocks], np.float32),
            widths=_joined([np.full(b.matrix.num_rows, b.width) for b in blocks], np.int32),
            blocks=blocks,
        )

    # --- scoring and learning ---------------------------------------------------------------------------------------

    def add_scores(self, packed: Packed, scores: NDArray[np.float64], *, averaged: bool) -> NDArray[np.float64]:
        """Add learned scores to those of all coordinates and parts of a graph, in place.

        Parameters
        ----------
        packed : features
        scores : that are not learned
        averaged : take the average of the weights over the training so far
        """
        sums = self._learner.scores(packed.begin, packed.keys, packed.values, averaged, packed.widths)
        end = 0
        for block in packed.blocks:
            begin, end = end, end + block.num_sums
            scores[block.slots] += block.spread(sums[begin:end])
        return scores

    def update(self, batch: Sequence[tuple[float, Packed, NDArray[np.float64]]]) -> None:
        """Take the step of a batch.

        Parameters
        ----------
        batch : for each example its loss, its features, and minus the gradient by coordinates and parts
        """
        packs, descents = [packed for _, packed, _ in batch], [descent for _, _, descent in batch]
        ends = np.cumsum([0, *(packed.keys.size for packed in packs)])
        begin = [packed.begin[:-1] + end for packed, end in zip(packs, ends[:-1], strict=True)]
        self._learner.update(
            np.cumsum([0, *(packed.widths.size for packed in packs)]),
            np.concatenate([*begin, ends[-1:]]),
            np.concatenate([packed.keys for packed in packs]),
            np.concatenate([packed.values for packed in packs]),
            np.concatenate([packed.gather(-descent) for packed, descent in zip(packs, descents, strict=True)]),
            np.array([loss for loss, _, _ in batch]),
            np.concatenate([packed.widths for packed in packs]),
        )

    def end_epoch(self) -> None:
        """Tell the learner that all examples have been seen once more."""
        self._learner.end_epoch()

    def expect(self, num_examples: int) -> None:
        """Say how many examples an epoch has, which the regularizer is relative to."""
        self._learner.set_num_examples(num_examples)

    # --- reading and writing ----------------------------------------------------------------------------------------

    def table(self, template: str) -> NDArray[np.float64]:
        """Return the weights of a template, averaged if they are to be.

        Parameters
        ----------
        template : its name
        """
        features, width = self.shapes[template]
        keys = _core.feature_keys(list(self.shapes).index(template), np.arange(features, dtype=np.uint64))
        one_each = np.arange(features + 1), keys, np.ones(features, dtype=np.float32)
        widths = np.full(features, width, dtype=np.int32)
        return np.asarray(self._learner.scores(*one_each, True, widths)).reshape(features, width)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return all that is needed to go on bit for bit."""
        state: dict[str, NDArray[Any]] = self._learner.state()
        return state

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go back to what `state` returned."""
        self._learner.restore(state)


def _joined(arrays: list[NDArray[Any]], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=kind), *arrays]).astype(kind, copy=False)
