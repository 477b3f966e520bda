"""Selection of a tagger's templates before it is trained: the sparseptron of Martins et al. (2011)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import learn as _learn
from ramify.errors import InvalidInputError
from ramify.learn.penalties import regularizer
from ramify.learn.selection import GROUP_SIZES, Select, disjoint_sets
from ramify.tagging.pools import expand

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from ramify._core import tagging as _core
    from ramify.tagging.config import Config

__all__ = [
    "Selected",
    "Selector",
    "choose",
    "finer_templates",
    "from_arrays",
    "penalty",
    "run_selection",
    "selecting",
    "selection_facts",
    "template_facts",
    "to_arrays",
    "with_templates",
]

_CHUNK = 256  # sentences between two checks for signals
_FILLERS = 1 << 16  # most keys in between that stand for nothing, see ramify.learn.arrays.pack_keys
_HEADER = 4096  # bytes of a file of arrays besides these
_TEMPLATE = np.uint64(0xFFF)  # bits of a feature's key that name its template


@dataclass(frozen=True)
class Selected:
    """The templates that a budget left, and the features of the model that selected them.

    Attributes
    ----------
    budget : number of templates that were allowed; 0: any
    templates : their numbers in the pool, the one with the largest norm first
    norms : of their weights, in the same order
    weights : number of weights of the selecting model
    keys, counts, labels : its features, and the labels for which each has a weight; empty: all
    """

    budget: int
    templates: tuple[int, ...]
    norms: tuple[float, ...]
    weights: int
    keys: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.uint16]
    labels: npt.NDArray[np.uint16]

    def megabytes(self, num_labels: int, order: int) -> float:
        """Return the largest size that a model of these features can have, in millions of bytes."""
        width = 1 if num_labels <= 256 else 2  # of a label, and of the number of a feature's labels
        ngrams = sum((num_labels + 1) ** n for n in range(2, order + 2))
        size: int = (3 + width) * (len(self.keys) + _FILLERS) + (2 + width) * len(self.labels) + 2 * ngrams
        return (size + _HEADER) / 1e6

    def renumbered(self) -> npt.NDArray[np.uint64]:
        """Return the keys of a model whose templates are the selected ones, in their order, shape (features,)."""
        numbers = np.full(1 << 12, _TEMPLATE)
        numbers[list(self.templates)] = np.arange(len(self.templates), dtype=np.uint64)
        renumbered: npt.NDArray[np.uint64] = (self.keys & ~_TEMPLATE) | numbers[self.keys & _TEMPLATE]
        return renumbered


def choose(found: Sequence[Selected], options: Select, num_labels: int, order: int) -> Selected:
    """Return the largest budget that the options allow.

    Parameters
    ----------
    found : what was selected, with the largest budget first
    options : of the selection
    num_labels, order : of the model, for its size

    Raises
    ------
    InvalidInputError
        None is small enough.
    """
    fitting = [
        one
        for one in found
        if (not options.templates or one.budget <= options.templates)
        and (not options.megabytes or one.megabytes(num_labels, order) <= options.megabytes)
    ]
    if not fitting:
        least = min(one.megabytes(num_labels, order) for one in found)
        raise InvalidInputError(
            f"select.megabytes expects at least {least:.2f}, the size at the smallest budget of select.path; "
            f"got {options.megabytes:g}."
        )
    return fitting[0]


def selecting(config: Config) -> Config:
    """Return the options of the model that selects: those of a perceptron, or the model's own in one stage."""
    if config.select.one_stage:
        return config
    training = replace(config.training, beta=np.inf, gamma=0.0, steps="automatic", max_step=1.0, decay=0.0, dropout=0.0)
    return replace(config, training=replace(training, average=False, epochs=config.select.epochs))


def finer_templates(patterns: Sequence[str]) -> list[list[int]]:
    """Return for each template those that need it, itself among them: all that contain its parts, as numbers.

    Examples
    --------
    >>> finer_templates(["pos[0]", "w[0]", "pos[0]|w[0]"])
    [[0, 2], [1, 2], [2]]
    """
    parts = [frozenset(pattern.split("|")) for pattern in patterns]
    return [[b for b, finer in enumerate(parts) if coarser <= finer] for coarser in parts]


def penalty(config: Config) -> _learn.Regularizer:
    """Return the penalty of the model that selects, with the largest budget."""
    options = config.select
    weight = 1.0 / max(options.strength, 1e-12)  # of all losses together: 1 / C
    kind, every = options.regularizer, options.every
    if kind == "lasso":
        return regularizer(l1=weight, every=every)
    if kind == "label-group":
        return regularizer(rows=weight, every=every)
    templates, size = expand(config.features.templates), GROUP_SIZES[options.group_weight]
    budget = options.budgets[0] if options.budgets else len(templates)
    none = np.empty(0)
    if kind == "coarse-to-fine":
        finer = finer_templates(templates)
        groups = [[finer[a] for a in one] for one in disjoint_sets(finer)]
        groups.sort(key=lambda one: max(map(len, one)))  # the largest groups come last
        return regularizer(
            sets=[_learn.GroupSet(one, none, size, 0.0, 0) for one in groups], budget=budget, every=every
        )
    single = _learn.GroupSet([[m] for m in range(len(templates))], none, size, 0.0, budget)
    l1 = weight if kind == "sparse-group" else 0.0
    return regularizer(l1=l1, sets=[single], every=every)


class Selector:
    """Goes through the budgets of a selection, and remembers what was selected.

    Attributes
    ----------
    held : after each epoch, the most weights that the trainer has held so far, and those that are left
    """

    def __init__(self, options: Select, trainer: _core.Trainer) -> None:
        self.options = options
        self.trainer = trainer
        self.held: list[list[int]] = []

    def end_epoch(self) -> None:
        """Take a last step, so that no more templates are left than the budget says."""
        if self.options.budgets:
            self.trainer.shrink()
        self.held.append([self.trainer.most_weights, self.trainer.num_weights])

    def selected(self, budget: int) -> Selected:
        """Return what is left now."""
        counts, squares = self.trainer.template_norms(averaged=False)
        norms = np.sqrt(squares)
        order = [int(i) for i in np.argsort(-norms, kind="stable") if counts[i] > 0]
        keys, numbers, labels = self.trainer.support()
        return Selected(
            budget, tuple(order), tuple(norms[order].tolist()), self.trainer.num_weights, keys, numbers, labels
        )

    def ranked(self, budget: int) -> Selected:
        """Return the templates that say most about the labels; nothing is learned for it."""
        gains = self.trainer.information_gain()
        order = np.argsort(-gains, kind="stable")[: budget or None].tolist()
        empty: Any = np.empty(0, np.uint64), np.empty(0, np.uint16), np.empty(0, np.uint16)
        return Selected(budget, tuple(order), tuple(gains[order].tolist()), 0, *empty)


def run_selection(
    selector: Selector,
    order: Callable[[int], npt.NDArray[np.int64]],
    learned: Callable[[int, int, int, npt.NDArray[np.int64], float], None],
) -> list[Selected]:
    """Select with every budget, the largest first, each going on from the one before.

    Parameters
    ----------
    selector : with its trainer
    order : returns the sentences of an epoch in their order, shape (sentences,)
    learned : is called after each stretch of sentences, with the epoch, the number of epochs, how many sentences of the
        epoch are done, the sentences, and their loss
    """
    options, trainer = selector.options, selector.trainer
    budgets = options.budgets or (0,)
    if options.regularizer == "information-gain":
        return [selector.ranked(budget) for budget in budgets]
    # The largest budget has all epochs; each smaller one has one more, as it starts from weights that have learned.
    epochs = options.epochs + len(budgets) - 1
    found = []
    for epoch in range(epochs):
        numbers = order(epoch)
        for begin in range(0, len(numbers), _CHUNK):
            chunk = numbers[begin : begin + _CHUNK]
            loss = trainer.run(chunk).loss
            learned(epoch, epochs, begin + len(chunk), chunk, loss)
        trainer.end_epoch()
        selector.end_epoch()
        place = epoch - options.epochs + 1
        if place >= 0:
            found.append(selector.selected(budgets[place]))
        if 0 <= place < len(budgets) - 1:
            trainer.set_budgets(np.array([budgets[place + 1]]))
    if not any(chosen.templates for chosen in found):
        raise InvalidInputError("select.strength leaves no feature at all; use a larger value.")
    return found


def with_templates(config: Config, chosen: Sequence[int]) -> Config:
    """Return the options of the model that selection leads to: it has some templates of the pool, and selects none."""
    pool = expand(config.features.templates)
    features = replace(config.features, templates=tuple(pool[i] for i in chosen))
    return replace(config, features=features, select=Select())


def template_facts(config: Config, statistics: npt.NDArray[np.float64]) -> list[list[Any]]:
    """Return the templates that have weights, each with their number, norm and share of the score.

    Parameters
    ----------
    config : options of the model
    statistics : numbers of weights, norms, and sums of contributions to scores, shape (3, templates)
    """
    shares = statistics[2] / max(statistics[2].sum(), 1e-300)
    names = expand(config.features.templates)
    rows = zip(names, statistics[0], statistics[1], shares, strict=True)
    return [[name, int(count), round(norm, 4), round(share, 6)] for name, count, norm, share in rows if count]


def selection_facts(config: Config, found: Sequence[Selected], held: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Return what the model's card and pictures need of a selection."""
    pool = expand(config.features.templates)
    return {
        "regularizer": config.select.regularizer,
        "pool": len(pool),
        "held": [list(epoch) for epoch in held],
        "path": [
            {"budget": one.budget, "weights": one.weights, "templates": [pool[i] for i in one.templates]}
            for one in found
        ],
    }


def to_arrays(found: Sequence[Selected], held: Sequence[Sequence[int]]) -> dict[str, npt.NDArray[Any]]:
    """Return what a checkpoint holds of a selection."""
    if not found:
        return {}
    out: dict[str, npt.NDArray[Any]] = {"sizes": np.array([[one.budget, one.weights] for one in found])}
    out["held"] = np.array(held, np.int64).reshape(-1, 2)
    for i, one in enumerate(found):
        out |= {f"{i}-templates": np.array(one.templates, np.int64), f"{i}-norms": np.array(one.norms)}
        out |= {f"{i}-keys": one.keys, f"{i}-counts": one.counts, f"{i}-labels": one.labels}
    return out


def from_arrays(arrays: Mapping[str, npt.NDArray[Any]]) -> tuple[list[Selected], list[list[int]]]:
    """Return what `to_arrays` was given."""
    found = [
        Selected(
            int(budget),
            tuple(arrays[f"{i}-templates"].tolist()),
            tuple(arrays[f"{i}-norms"].tolist()),
            int(weights),
            *(arrays[f"{i}-{name}"] for name in ("keys", "counts", "labels")),
        )
        for i, (budget, weights) in enumerate(arrays["sizes"])
    ]
    return found, arrays["held"].tolist()
