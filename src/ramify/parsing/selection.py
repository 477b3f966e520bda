"""Selection of a parser's templates before it is trained: the sparseptron of Martins et al. (2011)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import learn as _learn
from ramify.errors import InvalidInputError
from ramify.learn.selection import GroupWeight, Penalty, disjoint_sets
from ramify.parsing.config import Loss, Optimizer, Part, Select

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from ramify._core import parsing as _core
    from ramify.parsing.config import Config

__all__ = ["Selected", "Selector", "finer_templates", "pool_of", "with_templates"]

_SIZES = {
    GroupWeight.ONE: _learn.GroupSize.ONE,
    GroupWeight.LOG2: _learn.GroupSize.LOG2,
    GroupWeight.SQRT: _learn.GroupSize.SQRT,
}
_BYTES = 5  # of a weight in a model file: three for its key, two for its value
_COARSE = "p"
_LONG_PATH = (400, 300, 240, 200, 160, 120, 90, 60, 40, 20)  # for select.megabytes without a path


@dataclass(frozen=True)
class Selected:
    """The templates that a budget left.

    Attributes
    ----------
    budget : number of templates that were allowed
    templates : those that were selected from, as `model.templates` has them
    weights : number of weights that they had in the selecting model
    """

    budget: int
    templates: tuple[str, ...]
    weights: int


def pool_of(config: Config) -> Config:
    """Return the options of the model that selects: a perceptron with all templates of the pool."""
    named = {entry.partition(": ")[0] for entry in config.select.pool}
    kinds = ["arc", "label", *(part.value for part in config.model.parts)]
    kept = [] if named & {"pool", "standard"} else [kind for kind in kinds if kind not in named]
    fixed = [f"{kind}: {entry}" for entry in config.model.templates for kind in kept if ": " not in entry]
    fixed += [entry for entry in config.model.templates if entry.partition(": ")[0] in kept]
    model = replace(config.model, templates=(*config.select.pool, *fixed))
    if config.select.one_stage:
        return replace(config, model=model)
    perceptron = replace(
        config.training,
        loss=Loss.FAMILY,
        beta=math.inf,
        gamma=0.0,
        optimizer=Optimizer.AUTOMATIC,
        max_step=1.0,
        epochs=config.select.epochs,
    )
    return replace(config, model=model, training=perceptron)


def with_templates(config: Config, templates: Sequence[str]) -> Config:
    """Return the options of the model that has these templates, without parts for which there are none."""
    kinds = {template.partition(": ")[0] for template in templates}
    parts = tuple(part for part in config.model.parts if part.value in kinds or not _has_pool(part))
    model = replace(config.model, templates=tuple(templates), parts=parts, without=())
    return replace(config, model=model, select=Select())


def _has_pool(part: Part) -> bool:
    return part not in (Part.NO_CROSS,)  # a constraint without templates is kept


def finer_templates(names: Sequence[str]) -> list[list[int]]:
    """Return for each template those that need it, itself among them, as numbers: conjunctions need their parts, and
    words, lemmas and the like need the tags in the same place.

    Examples
    --------
    >>> finer_templates(["arc: h.p", "arc: h.w", "arc: h.p m.p", "arc: h.w m.p", "label: h.w"])
    [[0, 1, 2, 3], [1, 3], [2, 3], [3], [4]]
    """  # noqa: D205 - one sentence
    kinds = [name.partition(": ")[0] for name in names]
    parts = [frozenset(name.partition(": ")[2].split()) for name in names]
    covered = [own | {_coarsened(part) for part in own} for own in parts]

    def needs(b: int, a: int) -> bool:
        if kinds[a] != kinds[b] or not parts[a] <= covered[b]:
            return False
        both = parts[b] <= covered[a]  # each covers the other: the one with fewer parts comes first
        return a == b or not both or (len(parts[a]), a) < (len(parts[b]), b)

    return [[b for b in range(len(names)) if needs(b, a)] for a in range(len(names))]


def _coarsened(part: str) -> str:
    return part if part[1:2] != "." else f"{part[:2]}{_COARSE}{part[3:]}"


class Selector:
    """Knows the groups and budgets of a selection, and remembers what each budget left.

    Parameters
    ----------
    config : of the model that is to be trained

    Attributes
    ----------
    config : of the model that selects
    found : what was selected so far, with the largest budget first
    peak : largest number of weights that the selecting model held
    fixed : templates of the kinds that are not selected from
    done : whether the training of the selected model has begun
    """

    def __init__(self, config: Config) -> None:
        self.options: Select = config.select
        self.given = config
        self.config = pool_of(config)
        self.budgets = self.options.budgets or (_LONG_PATH if self.options.megabytes else (0,))
        self.found: list[Selected] = []
        self.peak = 0
        self.done = False
        self.fixed: list[str] = []
        self._templates: list[_core.Template] = []

    @property
    def epochs(self) -> int:
        """The largest budget has all epochs; each smaller one has one more, as it starts from weights that have learned."""
        return self.options.epochs + len(self.budgets) - 1

    @property
    def ranks(self) -> bool:
        """Whether templates are only ranked, by information gain, instead of learned."""
        return self.options.regularizer is Penalty.INFORMATION_GAIN

    def budget(self, epoch: int) -> int:
        """Return the number of templates that may be left in an epoch."""
        return self.budgets[max(0, min(epoch, self.epochs - 1) - self.options.epochs + 1)]

    def set_templates(self, templates: Sequence[_core.Template]) -> None:
        """Take the templates of the selecting model."""
        self._templates = list(templates)
        numbers = set(self._numbers)
        self.fixed = self._names([t.number for t in templates if t.number not in numbers])

    @property
    def _numbers(self) -> list[int]:
        """Numbers of the templates that are selected from; those of other kinds are kept."""
        named = {entry.partition(": ")[0] for entry in self.options.pool}
        everything = bool(named & {"pool", "standard"})
        return [template.number for template in self._templates if everything or template.kind in named]

    def _names(self, numbers: Sequence[int]) -> list[str]:
        chosen = set(numbers)
        return [f"{t.kind}: {t.pattern}" for t in self._templates if t.number in chosen]

    def regularizer(self, epoch: int) -> _learn.Regularizer:
        """Return the penalty of an epoch."""
        options, numbers = self.options, self._numbers
        every, size = options.every, _SIZES[options.group_weight]
        if options.regularizer is Penalty.LASSO:
            return _learn.Regularizer(l1=1.0 / max(options.strength, 1e-12), every=every)
        l1 = 1.0 / max(options.strength, 1e-12) if options.regularizer is Penalty.SPARSE_GROUP else 0.0
        none = np.empty(0)
        if options.regularizer is Penalty.COARSE_TO_FINE:
            finer = finer_templates(self._names(numbers))
            groups = [[[numbers[b] for b in finer[a]] for a in one] for one in disjoint_sets(finer)]
            groups.sort(key=lambda one: max(map(len, one)))  # the largest groups come last
            sets = [_learn.GroupSet(one, none, size, 0.0, 0) for one in groups]
            return _learn.Regularizer(sets=sets, budget=self.budget(epoch), every=every)
        single = _learn.GroupSet([[number] for number in numbers], none, size, 0.0, self.budget(epoch))
        return _learn.Regularizer(l1=l1, sets=[single], every=every)

    def end_epoch(self, epoch: int, trainer: _core.Trainer) -> None:
        """Remember what is left if a budget's last epoch has ended, and go on to the next budget."""
        self.peak = max(self.peak, trainer.most_weights)
        if epoch < self.options.epochs - 1:
            return
        counts = trainer.template_norms(averaged=False)[0]
        live = sorted(set(self._numbers) & set(trainer.live_templates().tolist()))
        weights = int(sum(counts[number] for number in live if number < len(counts)))
        self.found.append(Selected(self.budget(epoch), tuple(self._names(live)), weights))
        if epoch + 1 < self.epochs and self.options.regularizer is not Penalty.LASSO:
            trainer.set_budgets(np.array([self.budget(epoch + 1)]))

    def rank(self, gains: npt.NDArray[np.float64]) -> None:
        """Select the templates with the largest information gain; `gains` has one number per template."""
        numbers = np.array(self._numbers)
        order = numbers[np.argsort(-gains[numbers], kind="stable")]
        self.found = [
            Selected(budget, tuple(self._names(order[:budget].tolist())), 0) for budget in self.budgets if budget
        ]

    def chosen(self) -> Config:
        """Return the options of the model that is to be trained: the largest budget that is allowed.

        Raises
        ------
        InvalidInputError
            None is small enough.
        """
        options = self.options
        fitting = [
            one
            for one in self.found
            if (not options.templates or one.budget <= options.templates)
            and (not options.megabytes or one.weights * _BYTES <= options.megabytes * 1e6)
        ]
        if not fitting:
            least = min(one.weights for one in self.found) * _BYTES / 1e6
            raise InvalidInputError(
                f"select.megabytes expects at least {least:.2f}, the size at the smallest budget of select.path; "
                f"got {options.megabytes:g}."
            )
        config = with_templates(self.given, [*fitting[0].templates, *self.fixed])
        if not options.megabytes:
            return config
        most = max(1, min(config.training.max_weights, int(options.megabytes * 1e6 / _BYTES)))
        return replace(config, training=replace(config.training, max_weights=most))

    def facts(self) -> dict[str, Any]:
        """Return what the model's card and pictures need of the selection."""
        path = [
            {"budget": one.budget, "weights": one.weights, "templates": list(one.templates)} for one in self.found
        ]
        return {
            "regularizer": self.options.regularizer.value,
            "pool": len(self._numbers),
            "peak": self.peak,
            "path": path,
        }

    def to_array(self) -> npt.NDArray[np.uint8]:
        """Return what a checkpoint holds of the selection: text, as bytes."""
        found = [[one.budget, one.templates, one.weights] for one in self.found]
        return np.frombuffer(json.dumps([self.done, self.peak, self.fixed, found]).encode(), np.uint8).copy()

    def restore(self, array: npt.NDArray[np.uint8]) -> None:
        """Take back what `to_array` returned."""
        self.done, self.peak, self.fixed, found = json.loads(array.tobytes())
        self.found = [Selected(budget, tuple(templates), weights) for budget, templates, weights in found]
