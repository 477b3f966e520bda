"""Selection of a parser's templates before it is trained: the sparseptron of Martins et al. (2011)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import learn as _learn
from ramify._core import parsing as _core
from ramify.errors import InvalidInputError
from ramify.learn.penalties import regularizer
from ramify.learn.selection import GROUP_SIZES, disjoint_sets
from ramify.parsing.config import Select

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from ramify.data import Sentence
    from ramify.parsing.config import Config
    from ramify.parsing.state import ModelState

__all__ = ["Selected", "Selector", "finer_templates", "pool_of", "template_facts", "with_templates"]

_BYTES = 5  # of a weight in a model file: three for its key, two for its value
_COARSE = "p"
_MANY = 4096  # more templates than there can be
_MEASURED = 1000  # sentences, at most, on which shares of scores are measured
_TEMPLATE = np.uint64(0xFFF)  # bits of a feature's key that name its template


@dataclass(frozen=True)
class Selected:
    """The templates that a budget left.

    Attributes
    ----------
    budget : number of templates that were allowed
    templates : those that were selected from, as `model.templates` has them
    weights : number of weights that they had in the selecting model
    keys : of the features with these weights, and of those of other kinds; the lowest bits are places in `templates`
        followed by the fixed ones. Empty: features are not selected
    """

    budget: int
    templates: tuple[str, ...]
    weights: int
    keys: npt.NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))


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
        loss="family",
        beta=math.inf,
        gamma=0.0,
        optimizer="automatic",
        max_step=1.0,
        epochs=config.select.epochs,
    )
    return replace(config, model=model, training=perceptron)


def with_templates(config: Config, templates: Sequence[str]) -> Config:
    """Return the options of the model that has these templates, without parts for which there are none."""
    kinds = {template.partition(": ")[0] for template in templates}
    parts = tuple(part for part in config.model.parts if part.value in kinds)
    model = replace(config.model, templates=tuple(templates), parts=parts, without=())
    return replace(config, model=model, select=Select())


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


def template_facts(state: ModelState, sizes: npt.NDArray[np.float64], sentences: Sequence[Sentence]) -> list[list[Any]]:
    """Return the templates of a model, each with its number of weights, their norm, and its share of scores.

    Parameters
    ----------
    state : of the model
    sizes : number of weights and sum of their squares of each template, shape (2, templates)
    sentences : with trees, whose scores are shared out
    """
    model = state.build().core
    some = sentences[:: math.ceil(len(sentences) / _MEASURED)]
    sums = model.contributions([sentence._core for sentence in some])
    total = max(float(sums.sum()), 1e-300)
    counts, squares = (np.resize(np.append(row, np.zeros(len(sums))), len(sums)) for row in sizes)
    return [
        [
            f"{template.kind}: {template.pattern}",
            int(counts[template.number]),
            round(math.sqrt(squares[template.number]), 4),
            round(float(sums[template.number]) / total, 6),
        ]
        for template in model.templates()
    ]


def _renumbered(keys: npt.NDArray[np.uint64], numbers: Mapping[int, int]) -> npt.NDArray[np.uint64]:
    """Return keys with other numbers of templates, shape (features,), without those whose number becomes negative."""
    table = np.full(int(_TEMPLATE) + 1, -1)
    table[list(numbers)] = list(numbers.values())
    found = table[(keys & _TEMPLATE).astype(np.int64)]
    kept: npt.NDArray[np.uint64] = (keys & ~_TEMPLATE)[found >= 0] | found[found >= 0].astype(np.uint64)
    return kept


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
    size : number of templates that are selected from
    peak : largest number of weights that the selecting model held
    fixed : templates of the kinds that are not selected from
    done : whether the training of the selected model has begun
    numbers : of the templates that are kept, where selecting and learning are one
    """

    def __init__(self, config: Config) -> None:
        self.options: Select = config.select
        self.given = config
        self.config = pool_of(config)
        self.budgets = self.options.with_path(_MANY).budgets or (0,)
        self.found: list[Selected] = []
        self.peak = 0
        self.done = False
        self.size = 0
        self.fixed: list[str] = []
        self.numbers: list[int] = []
        self._templates: list[_core.Template] = []
        self._kinds: dict[int, str] = {}

    @property
    def epochs(self) -> int:
        """The number of epochs: a smaller budget has one more, as it starts from weights that have learned."""
        return self.options.epochs + len(self.budgets) - 1

    @property
    def ranks(self) -> bool:
        """Whether templates are only ranked, by information gain, instead of learned."""
        return self.options.regularizer == "information-gain"

    def budget(self, epoch: int) -> int:
        """Return the number of templates that may be left in an epoch."""
        return self.budgets[max(0, min(epoch, self.epochs - 1) - self.options.epochs + 1)]

    def set_templates(self, templates: Sequence[_core.Template]) -> None:
        """Take the templates of the selecting model."""
        self._templates = list(templates)
        numbers = set(self._numbers)
        self.size = len(numbers)
        self._kinds = {template.number: template.kind for template in templates}
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
        every, size = options.every, GROUP_SIZES[options.group_weight]
        if options.regularizer == "lasso":
            return regularizer(l1=1.0 / max(options.strength, 1e-12), every=every)
        l1 = 1.0 / max(options.strength, 1e-12) if options.regularizer == "sparse-group" else 0.0
        none = np.empty(0)
        if options.regularizer == "coarse-to-fine":
            finer = finer_templates(self._names(numbers))
            groups = [[[numbers[b] for b in finer[a]] for a in one] for one in disjoint_sets(finer)]
            groups.sort(key=lambda one: max(map(len, one)))  # the largest groups come last
            sets = [_learn.GroupSet(one, none, size, 0.0, 0) for one in groups]
            return regularizer(sets=sets, budget=self.budget(epoch), every=every)
        budgets = self._budgets(epoch).tolist()
        sets = [
            _learn.GroupSet([[number] for number in numbers], none, size, 0.0, budget)
            for numbers, budget in zip(self._sets().values(), budgets, strict=True)
        ]
        return regularizer(l1=l1, sets=sets, every=every)

    def _sets(self) -> dict[str, list[int]]:
        """Return the templates that share a budget: those of each kind of parts, or all."""
        sets: dict[str, list[int]] = {}
        for number in self._numbers:
            sets.setdefault(self._kinds[number] if self.options.by_kind else "", []).append(number)
        return sets

    def _budgets(self, epoch: int) -> npt.NDArray[np.int64]:
        return self._budgets_for(self.budget(epoch))

    def _budgets_for(self, budget: int) -> npt.NDArray[np.int64]:
        """Return the budget of each set; kinds of parts have the shares that they have in the standard table."""
        sets = self._sets()
        if self.options.regularizer == "coarse-to-fine" or len(sets) == 1:
            return np.array([budget])
        sizes = np.array([_core.num_standard_templates(kind) for kind in sets])
        exact = budget * sizes / sizes.sum()
        budgets: npt.NDArray[np.int64] = exact.astype(np.int64)
        largest = np.argsort(budgets - exact, kind="stable")[: budget - int(budgets.sum())]
        budgets[largest] += 1
        return budgets

    def end_epoch(self, epoch: int, trainer: _core.Trainer) -> None:
        """Remember what is left if a budget's last epoch has ended, and go on to the next budget."""
        self.peak = max(self.peak, trainer.most_weights)
        if self.options.one_stage or epoch < self.options.epochs - 1:
            return
        self.found.append(self._selected(self.budget(epoch), trainer))
        if epoch + 1 < self.epochs and self.options.regularizer != "lasso":
            trainer.set_budgets(self._budgets(epoch + 1))

    def take(self, trainer: _core.Trainer) -> npt.NDArray[np.uint64]:
        """Select what is left now, and return the keys of its features, shape (features,)."""
        self.found = [self._selected(self.budget(0), trainer)]
        kept = {*self.found[0].templates, *self.fixed}
        self.numbers = [t.number for t in self._templates if f"{t.kind}: {t.pattern}" in kept]
        return _renumbered(trainer.support(), dict.fromkeys(self.numbers, 0))

    def _selected(self, budget: int, trainer: _core.Trainer) -> Selected:
        counts = trainer.template_norms(averaged=False)[0]
        live = sorted(set(self._numbers) & set(trainer.live_templates().tolist()))
        weights = int(sum(counts[number] for number in live if number < len(counts)))
        found = Selected(budget, tuple(self._names(live)), weights)
        if self.keeps_features:
            places = {name: i for i, name in enumerate([*found.templates, *self.fixed])}
            numbers = {t.number: places.get(f"{t.kind}: {t.pattern}", -1) for t in self._templates}
            found = replace(found, keys=_renumbered(trainer.support(), numbers))
        return found

    @property
    def keeps_features(self) -> bool:
        """Whether the selected model only learns the features that had a weight when it was selected."""
        return not (self.ranks or self.options.one_stage) and (
            self.options.frozen or self.options.regularizer == "lasso"
        )

    def features_for(self, templates: Sequence[_core.Template]) -> npt.NDArray[np.uint64]:
        """Return the keys of all features that the model to be trained may have, shape (features,); none: any."""
        chosen = self._fitting()
        numbers = {f"{t.kind}: {t.pattern}": t.number for t in templates}
        places = {i: numbers.get(name, -1) for i, name in enumerate([*chosen.templates, *self.fixed])}
        return _renumbered(chosen.keys, places)

    def rank(self, gains: npt.NDArray[np.float64]) -> None:
        """Select the templates with the largest information gain; `gains` has one number per template."""
        for budget in self.budgets:
            chosen: list[int] = []
            for numbers, most in zip(self._sets().values(), self._budgets_for(budget).tolist(), strict=True):
                order = np.argsort(-gains[numbers], kind="stable")[:most]
                chosen += np.array(numbers)[order].tolist()
            self.found.append(Selected(budget, tuple(self._names(chosen)), 0))

    def chosen(self) -> Config:
        """Return the options of the model that is to be trained: the largest budget that is allowed.

        Raises
        ------
        InvalidInputError
            None is small enough.
        """
        config = with_templates(self.given, [*self._fitting().templates, *self.fixed])
        if not self.options.megabytes:
            return config
        most = max(1, min(config.training.max_weights, int(self.options.megabytes * 1e6 / _BYTES)))
        return replace(config, training=replace(config.training, max_weights=most))

    def _fitting(self) -> Selected:
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
        return fitting[0]

    def facts(self) -> dict[str, Any]:
        """Return what the model's card and pictures need of the selection."""
        path = [{"budget": one.budget, "weights": one.weights, "templates": list(one.templates)} for one in self.found]
        return {
            "regularizer": self.options.regularizer,
            "pool": self.size,
            "peak": self.peak,
            "path": path,
        }

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return what a checkpoint holds of the selection: text, as bytes, and features."""
        found = [[one.budget, one.templates, one.weights] for one in self.found]
        text = json.dumps([self.done, self.size, self.peak, self.fixed, self.numbers, found])
        keys = {f"selection-{i}": one.keys for i, one in enumerate(self.found)}
        return {"selection": np.frombuffer(text.encode(), np.uint8).copy(), **keys}

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Take back what `to_arrays` returned, among others."""
        self.done, self.size, self.peak, self.fixed, self.numbers, found = json.loads(arrays["selection"].tobytes())
        self.found = [
            Selected(budget, tuple(templates), weights, arrays[f"selection-{i}"].astype(np.uint64, casting="no"))
            for i, (budget, templates, weights) in enumerate(found)
        ]
