"""The words and arcs of one sentence as drawings need them, from sentences and from results."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.data import Sentence
from ramify.data.ranks import rank_of
from ramify.errors import InvalidInputError
from ramify.trees.projectivity import is_tree, nonprojective_arcs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ramify.data import MultiwordToken
    from ramify.data.ranks import TreeRank
    from ramify.viz.options import DrawingOptions

__all__ = ["DrawnArc", "DrawnTree", "DrawnWord", "drawn", "drawn_all", "each", "sentence_of"]


@dataclass(frozen=True)
class DrawnWord:
    """One word, as the sentence has it."""

    number: int
    form: str
    lemma: str
    upos: str
    xpos: str


@dataclass(frozen=True)
class DrawnArc:
    """An arc of the tree, or an alternative to one; head 0 is the root. Alternatives have no label of their own."""

    head: int
    modifier: int
    label: str
    probability: float | None = None
    alternative: bool = False

    @property
    def ends(self) -> tuple[int, int]:
        """Both words, the one that comes first in the sentence first."""
        return (self.head, self.modifier) if self.head < self.modifier else (self.modifier, self.head)


@dataclass(frozen=True)
class DrawnTree:
    """A sentence with what is known of its arcs."""

    words: tuple[DrawnWord, ...]
    arcs: tuple[DrawnArc, ...]
    surface: tuple[MultiwordToken, ...]
    name: str
    text: str
    right_to_left: bool
    rank: TreeRank | None = None

    @property
    def caption(self) -> str:
        """The caption of the tree: its rank among the k best trees, or nothing."""
        return "" if self.rank is None else str(self.rank)

    def form(self, number: int) -> str:
        """Return the form of a word; 0 is the root."""
        return self.words[number - 1].form if number else "ROOT"

    def describe(self, arc: DrawnArc) -> str:
        """Say in one line what an arc is."""
        sure = "" if arc.probability is None else f", probability {arc.probability:.3f}"
        kind = "alternative" if arc.alternative else arc.label
        return f"{kind}: {self.form(arc.head)} ({arc.head}) → {self.form(arc.modifier)} ({arc.modifier}){sure}"

    def nonprojective(self) -> set[DrawnArc]:
        """Return the arcs that pass over a word which their head does not dominate; none if this is no tree."""
        arcs = [arc for arc in self.arcs if not arc.alternative]
        heads = np.full(len(self.words) + 1, -1, dtype=np.int32)
        heads[[arc.modifier for arc in arcs]] = [arc.head for arc in arcs]
        if not is_tree(heads):
            return set()
        mask = nonprojective_arcs(heads)
        return {arc for arc in arcs if mask[arc.modifier]}


def drawn_all(items: object, options: DrawingOptions) -> list[DrawnTree]:
    """Return what is to be drawn of one sentence or result, or of several."""
    return [drawn(item, options) for item in each(items)]


def each(items: object) -> Iterable[Any]:
    """Return sentences or results one by one, also if there is only one."""
    if isinstance(items, Sentence) or hasattr(items, "sentence"):
        return [items]
    try:
        return iter(items)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise _not_drawable(items) from None


def sentence_of(item: Any) -> Sentence:
    """Return the columns of a sentence or a result."""
    sentence = item if isinstance(item, Sentence) else getattr(item, "sentence", None)
    if not isinstance(sentence, Sentence):
        raise _not_drawable(item)
    return sentence


def drawn(item: Any, options: DrawingOptions) -> DrawnTree:
    """Return what is to be drawn of one sentence or result.

    Probabilities are those of the result, or what column MISC has as ``ArcProb=`` and ``HeadProbs=``.
    """
    sentence = sentence_of(item)
    columns = zip(sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, strict=True)
    words = tuple(DrawnWord(i, *values) for i, values in enumerate(columns, 1))
    text = sentence.text or " ".join(sentence.forms)
    return DrawnTree(
        words=words,
        arcs=tuple(_arcs(sentence, _probabilities(item, sentence), options.alternatives)),
        surface=tuple(sentence.multiword_tokens),
        name=sentence.sent_id or "",
        text=text,
        right_to_left=_right_to_left(text) if options.direction == "auto" else options.direction == "rtl",
        rank=getattr(item, "rank", None) or rank_of(sentence),
    )


def _not_drawable(item: object) -> InvalidInputError:
    return InvalidInputError(
        f"Drawing expects a ramify.data.Sentence, a result of Parser.parse, or several; got {type(item).__name__}."
    )


def _arcs(sentence: Sentence, known: list[dict[int, float]], least: float | None) -> Iterable[DrawnArc]:
    for word, (head, label) in enumerate(zip(sentence.heads.tolist(), sentence.deprels, strict=True), 1):
        heads = known[word - 1] if known else {}
        if head >= 0:
            yield DrawnArc(head, word, label, heads.get(head))
        if least is not None:
            others = sorted((-p, h) for h, p in heads.items() if h != head and p >= least)
            yield from (DrawnArc(h, word, "", -p, alternative=True) for p, h in others)


def _probabilities(item: Any, sentence: Sentence) -> list[dict[int, float]]:
    """Known probabilities of the heads of each word; nothing if there are none at all."""
    dense = None if item is sentence else getattr(item, "marginals", None)
    if dense is not None:
        columns = np.asarray(dense)[:, 1:].T
        return [{int(h): float(column[h]) for h in np.flatnonzero(column)} for column in columns]
    if "Prob" not in "".join(sentence.misc):
        return []
    return [_of_misc(misc, head) for misc, head in zip(sentence.misc, sentence.heads.tolist(), strict=True)]


def _of_misc(misc: str, head: int) -> dict[int, float]:
    found: dict[int, float] = {}
    for item in misc.split("|"):
        key, _, value = item.partition("=")
        try:
            if key == "HeadProbs":
                pairs = (pair.split(":") for pair in value.split(","))
                found |= {int(h): float(p) for h, p in pairs}
            elif key == "ArcProb":
                found[head] = float(value)
        except ValueError:
            raise InvalidInputError(
                f"Drawing expects ArcProb=PROBABILITY and HeadProbs=HEAD:PROBABILITY,… in MISC; got {item!r}."
            ) from None
    return {h: p for h, p in found.items() if 0 <= p <= 1}


def _right_to_left(text: str) -> bool:
    strong = [unicodedata.bidirectional(c) for c in text]
    right = sum(kind in ("R", "AL") for kind in strong)
    return right > strong.count("L")
