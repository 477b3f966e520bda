"""Why a word has this head and not that one.

Two trees are compared: the best one, and the best one in which the word has the other head. A tree's score is the sum
of its parts' scores, so the difference is the sum over the parts that only one of them has; and a part's score is the
sum of the weights of its features.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.drawable import drawing
from ramify.errors import InvalidInputError
from ramify.parsing.constraints import Head, Label, NotHead

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify._core import parsing as _core
    from ramify.data import Sentence
    from ramify.parsing.constraints import Constraint
    from ramify.parsing.parser import Parser
    from ramify.parsing.result import ParseResult
    from ramify.parsing.scored import ScoredModel

__all__ = ["ComparedTree", "Explanation", "Feature", "HeadProbability", "PartScore", "Price", "explain"]


@dataclass(frozen=True)
class Feature:
    """What a template saw, and what that counts.

    Attributes
    ----------
    template, group : as the kind of part has them
    values : the template with what it saw: ``"h.p=VERB m.p=NOUN dist=2 h<m"``
    key : the number that the weight is stored under
    weight : what the model learned
    """

    template: str
    group: str
    values: str
    key: int
    weight: float


@dataclass(frozen=True)
class PartScore:
    """A part of a tree: an arc, its label, siblings, a grandparent and so on.

    Attributes
    ----------
    kind : ``"arc"``, ``"label"``, ``"sibling"``, ``"grand"``, …
    words : numbers of its words by role (h head, m modifier, s and t further modifiers, g grandparent, w a word and q
        the head of the one before, k a word below the head); −1 is where a sequence of modifiers starts, −2 where it
        stops
    side : ``"left"`` or ``"right"`` of the head, for siblings; else empty
    count : of modifiers, for a valency (5 stands for more, too); else None
    label : of a label, else empty
    features : those with a weight, the weightiest first
    num_features : how many there are with those that have none
    score : the sum of the features' weights
    wording : how the part is written, with the roles of its words in braces: ``"{g} → {h} → {m}"``
    """

    kind: str
    words: dict[str, int]
    side: str
    label: str
    features: tuple[Feature, ...] = field(repr=False)
    num_features: int
    score: float
    count: int | None = None
    wording: str = field(default="", repr=False)


@dataclass(frozen=True)
class ComparedTree:
    """One of the two trees.

    Attributes
    ----------
    sentence : with the tree
    head, label : of the word in question
    probability : of the arc
    value, bound, certified : as in `ParseResult`
    parts : those that the other tree does not have
    """

    sentence: Sentence
    head: int
    label: str
    probability: float
    value: float
    bound: float
    certified: bool
    parts: tuple[PartScore, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class HeadProbability:
    """How likely a head is; those that were pruned are not listed."""

    head: int
    probability: float


@dataclass(frozen=True)
class Price:
    """What a constraint costs: how much better the best tree would be without it.

    Attributes
    ----------
    constraint : one of the user's
    value : the score of the best tree without it, less that with it
    certified : whether both are proved to be the best
    """

    constraint: Constraint
    value: float
    certified: bool


@dataclass(frozen=True)
class Explanation:
    """Why a word has this head and not that one.

    Attributes
    ----------
    word : number of the word
    chosen : the best tree
    rival : the best tree in which the word has the other head (or label); None if there is none
    pruned : whether the rival's arc was dropped before the search, because a simpler model gave it no chance
    heads : of the word, likely ones first
    prices : of the user's constraints
    saliency : n numbers, if requested of a parser with a network: by how much the difference between the trees would
        change, per unit, if all that the network reads of a word were multiplied by a number slightly above 1
    """

    word: int
    chosen: ComparedTree
    rival: ComparedTree | None
    pruned: bool
    heads: tuple[HeadProbability, ...]
    prices: tuple[Price, ...] = field(default=())
    saliency: tuple[float, ...] = field(default=())

    @property
    def difference(self) -> float:
        """The score of the best tree, less that of the rival; infinite if there is no rival."""
        return self.chosen.value - self.rival.value if self.rival else math.inf

    def by_kind(self) -> dict[str, float]:
        """Return how much each kind of part contributes to the difference."""
        total: dict[str, list[float]] = {}
        for sign, tree in ((1, self.chosen), (-1, self.rival)):
            for part in tree.parts if tree else ():
                total.setdefault(part.kind, []).append(sign * part.score)
        return {kind: math.fsum(scores) for kind, scores in total.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as what `json.dumps` takes."""
        return {
            "word": self.word,
            "form": self.chosen.sentence.forms[self.word - 1],
            "difference": self.difference if self.rival else None,
            "by_kind": self.by_kind(),
            "chosen": _tree_facts(self.chosen),
            "rival": None if self.rival is None else _tree_facts(self.rival),
            "pruned": self.pruned,
            "heads": [{"head": each.head, "probability": each.probability} for each in self.heads],
            "prices": [
                {"constraint": str(price.constraint), "price": price.value, "certified": price.certified}
                for price in self.prices
            ],
            **({"saliency": list(self.saliency)} if self.saliency else {}),
        }

    def text(self, *, top: int = 8, all_parts: bool = False) -> str:
        """Return it as tables for people.

        Parameters
        ----------
        top : how many features of a part are shown, the weightiest first
        all_parts : whether those of every part are, or only those of the word's own arcs and labels
        """
        shown: str = drawing().explanation_text(self, top=top, all_parts=all_parts)
        return shown

    def html(self, *, top: int = 8, page: bool = True) -> str:
        """Return it as an HTML page, with both trees drawn."""
        shown: str = drawing().explanation_html(self, top=top, page=page)
        return shown

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.html(page=False)


def _tree_facts(tree: ComparedTree) -> dict[str, Any]:
    return {
        "head": tree.head,
        "label": tree.label,
        "probability": tree.probability,
        "value": tree.value,
        "bound": tree.bound,
        "certified": tree.certified,
        "heads": tree.sentence.heads.tolist(),
        "labels": list(tree.sentence.deprels),
        "parts": [_part_facts(part) for part in tree.parts],
    }


def _part_facts(part: PartScore) -> dict[str, Any]:
    facts: dict[str, Any] = {"kind": part.kind, "words": part.words, "score": part.score}
    facts |= {name: value for name, value in (("side", part.side), ("label", part.label)) if value}
    facts |= {} if part.count is None else {"count": part.count}
    facts["num_features"] = part.num_features
    facts["features"] = [
        {"template": f.template, "group": f.group, "values": f.values, "key": f"{f.key:016x}", "weight": f.weight}
        for f in part.features
    ]
    return facts


def explain(
    parser: Parser,
    model: ScoredModel,
    sentence: Sentence,
    word: int,
    against: int | None,
    label: str | None,
    constraints: Sequence[Constraint],
    projective: bool,
) -> Explanation:
    """Compare the best tree with the best one that has another arc; `Parser.explain` says what the arguments are."""
    known = list(dict.fromkeys(constraints))
    chosen = parser.parse(sentence, constraints=known, marginals=True, projective=projective)
    if not chosen.found:
        conflict = "; ".join(map(str, chosen.conflict)) or chosen.status.value
        raise InvalidInputError(f"explain expects a sentence that has a tree; got none: {conflict}.")
    head, own = int(chosen.heads[word - 1]), chosen.labels[word - 1]
    wanted = _rival_constraints(word, head, own, against, label)
    rival = parser.parse(sentence, constraints=[*known, *wanted], projective=projective)
    dense = chosen.marginals
    assert dense is not None  # noqa: S101 - it was asked for
    column = dense[:, word]
    likely = np.argsort(-column, kind="stable")
    trees = [chosen, rival] if rival.found else [chosen]
    parts = _differing_parts(model, trees, parser.labels)
    compared = [_compared(tree, word, column, mine) for tree, mine in zip(trees, parts, strict=True)]
    return Explanation(
        word=word,
        chosen=compared[0],
        rival=compared[1] if rival.found else None,
        pruned=bool(rival.found and column[compared[1].head] == 0),
        heads=tuple(HeadProbability(int(h), float(column[h])) for h in likely if column[h] > 0),
        prices=tuple(_prices(parser, sentence, known, chosen, projective)),
    )


def _rival_constraints(word: int, head: int, own: str, against: int | None, label: str | None) -> list[Constraint]:
    if against is None and label is None:
        return [NotHead(word, head)]
    if (against is None or against == head) and (label is None or label == own):
        raise InvalidInputError(
            f"explain expects another head or label than word {word} has ({head}, {own}); "
            f"got {head if against is None else against}{'' if label is None else f', {label}'}."
        )
    wanted: list[Constraint] = [Head(word, head if against is None else against)]
    return wanted if label is None else [*wanted, Label(word, label)]


def _compared(
    tree: ParseResult, word: int, probabilities: np.typing.NDArray[np.float64], parts: tuple[PartScore, ...]
) -> ComparedTree:
    head = int(tree.heads[word - 1])
    sure = float(probabilities[head])
    return ComparedTree(tree.sentence, head, tree.labels[word - 1], sure, tree.value, tree.bound, tree.certified, parts)


def _differing_parts(
    model: ScoredModel, trees: list[ParseResult], labels: Sequence[str]
) -> list[tuple[PartScore, ...]]:
    """Score the parts of each tree that the others do not have."""
    index = {name: i for i, name in enumerate(labels)}
    found: list[dict[tuple[Any, ...], _core.Part]] = []
    for tree in trees:
        heads = np.array([-1, *tree.heads], dtype=np.int32)
        numbers = np.array([-1, *(index[name] for name in tree.labels)], dtype=np.int32)
        found.append({(p.kind, p.label, *p.roles): p for p in model.parts(heads, numbers)})
    if len(found) == 1:
        return [()]
    out = []
    for tree, mine, other in zip(trees, found, reversed(found), strict=True):
        parts = [part for key, part in mine.items() if key not in other]
        facts = model.explain(tree.sentence._core, parts)
        scores = (_part_score(part, seen, labels, len(tree.sentence)) for part, seen in zip(parts, facts, strict=True))
        out.append(tuple(scores))
    return out


def _part_score(part: _core.Part, facts: Sequence[_core.FeatureFact], labels: Sequence[str], n: int) -> PartScore:
    weighty = sorted((fact for fact in facts if fact.weight), key=lambda fact: -abs(fact.weight))
    features = tuple(Feature(f.pattern, f.group, f.values, f.key, f.weight) for f in weighty)
    roles = [n - word if word > n else word for word in part.roles]  # n + 1 starts a sequence, n + 2 stops it
    words = dict(zip(part.letters, roles, strict=False))
    label = labels[part.label] if part.has_label else ""
    score = math.fsum(f.weight for f in features)
    return PartScore(part.kind, words, part.side, label, features, len(facts), score, part.count, part.wording)


def _prices(
    parser: Parser, sentence: Sentence, known: list[Constraint], chosen: ParseResult, projective: bool
) -> list[Price]:
    prices = []
    for constraint in known:
        others = [other for other in known if other is not constraint]
        free = parser.parse(sentence, constraints=others, projective=projective)
        prices.append(Price(constraint, free.value - chosen.value, free.certified and chosen.certified))
    return prices
