"""Explanations for people: tables for a terminal, and a page with both trees drawn."""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ramify.printable import printable
from ramify.viz.html import page_around
from ramify.viz.markup import element, text_of
from ramify.viz.options import DrawingOptions
from ramify.viz.svg import draw_tree, stack
from ramify.viz.tree import drawn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.parsing import ComparedTree, Explanation, Feature, PartScore

__all__ = ["Section", "explanation_html", "explanation_text", "sections"]

_WIDTH = 120
_MOST_HEADS = 6
_MOST_WORDS = 10
_NUMBERS = {"weight", "chosen", "rival", "difference", "price", "probability", "saliency"}


@dataclass(frozen=True)
class Section:
    """A table with a title, which both terminals and pages show.

    Attributes
    ----------
    title, columns, rows : in words
    total : whether the last row is a sum
    detail : whether a page shows it only on a click
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: bool = False
    detail: bool = False


def explanation_text(explanation: Explanation, *, top: int = 8, all_parts: bool = False) -> str:
    """Return an explanation as plain text; `Explanation.text` says what the options are."""
    stream = io.StringIO()
    console = Console(file=stream, width=_WIDTH, highlight=False, color_system=None)
    for renderable in renderables(explanation, top=top, all_parts=all_parts):
        console.print(renderable)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"


def renderables(explanation: Explanation, *, top: int = 8, all_parts: bool = False) -> Iterator[Text | Table]:
    """Yield what a rich console prints of an explanation."""
    yield Text(printable(question(explanation)), style="bold")
    for note in notes(explanation):
        yield Text(printable(note))
    for section in sections(explanation, top, all_parts):
        yield Text("")
        yield Text(printable(section.title), style="bold")
        table = Table(box=None, pad_edge=False)
        for name in section.columns:
            number = name in _NUMBERS
            table.add_column(name, justify="right" if number else "left", no_wrap=number, overflow="fold")
        for i, row in enumerate(section.rows):
            last = section.total and i == len(section.rows) - 1
            table.add_row(*(Text(printable(cell)) for cell in row), style="bold" if last else None)
        yield table


def explanation_html(explanation: Explanation, *, top: int = 8, page: bool = True, **options: Any) -> str:
    """Return an explanation as an HTML page, or as a part of one."""
    chosen = DrawingOptions(**options)
    body = "".join(element("p", text_of(note)) for note in notes(explanation))
    differing = _differing_words(explanation)
    for title, tree in (("The best tree", explanation.chosen), ("The best tree with the other arc", explanation.rival)):
        if tree is not None:
            picture = stack([draw_tree(drawn(tree.sentence, chosen), chosen, differing)])
            body += element("h2", text_of(title)) + element("figure", picture)
    body += "".join(_html_table(section) for section in sections(explanation, top, all_parts=True))
    title = question(explanation)
    return page_around(title, body) if page else element("div", element("p", element("strong", text_of(title))) + body)


def _differing_words(explanation: Explanation) -> list[int]:
    """Return the words whose arc or label is not the same in both trees."""
    if explanation.rival is None:
        return [explanation.word]
    ours, theirs = explanation.chosen.sentence, explanation.rival.sentence
    arcs = [zip(tree.heads.tolist(), tree.deprels, strict=True) for tree in (ours, theirs)]
    return [word for word, (mine, other) in enumerate(zip(*arcs, strict=True), 1) if mine != other]


def _html_table(section: Section) -> str:
    def cells(row: tuple[str, ...], name: str) -> str:
        number = [column in _NUMBERS for column in section.columns]
        drawn = (
            element(name, text_of(cell), **({"class_": "number"} if right else {}))
            for cell, right in zip(row, number, strict=True)
        )
        return element("tr", "".join(drawn))

    rows = [cells(row, "td") for row in section.rows]
    if section.total:
        rows[-1] = cells(section.rows[-1], "th")
    table = element("table", cells(section.columns, "th") + "".join(rows))
    if section.detail:
        return element("details", element("summary", text_of(section.title)) + table)
    return element("h2", text_of(section.title)) + table


def question(explanation: Explanation) -> str:
    """Return what the explanation answers, as a question."""
    chosen, rival, word = explanation.chosen, explanation.rival, explanation.word
    forms = _Forms(chosen)
    start = f"Why is {forms[chosen.head]} the head of {forms[word]}"
    if rival is None:
        return f"{start}?"
    if rival.head == chosen.head:
        return f"Why is the label of {forms[chosen.head]} → {forms[word]} {chosen.label}, and not {rival.label}?"
    return f"{start}, and not {forms[rival.head]}?"


def notes(explanation: Explanation) -> Iterator[str]:
    """Yield remarks on what the tables do not show."""
    chosen, rival = explanation.chosen, explanation.rival
    if rival is None:
        yield "No tree satisfies the constraints with another arc here."
        return
    if explanation.pruned:
        yield "The other arc was dropped before the search, because the pruner gave it no chance."
    if explanation.difference < 0:
        yield "The other tree scores more: the search, which pruning limits, did not look at it."
    if not (chosen.certified and rival.certified):
        yield "Not both trees are proved to be the best of their kind, so the difference may be another one."
    forms = _Forms(chosen)
    pairs = zip(chosen.sentence.heads.tolist(), rival.sentence.heads.tolist(), strict=True)
    moved = [
        f"{forms[word]} to {forms[there]} instead of {forms[here]}"
        for word, (here, there) in enumerate(pairs, 1)
        if here != there and word != explanation.word
    ]
    if moved:
        yield f"With the other arc, these words would move too: {'; '.join(moved)}."


def sections(explanation: Explanation, top: int = 8, all_parts: bool = False) -> Iterator[Section]:
    """Yield the tables of an explanation, with at most `top` features of the word's arcs, or of all parts."""
    if explanation.rival is not None:
        yield _overview(explanation)
        yield _by_kind(explanation)
        yield _difference(explanation)
        yield from _features(explanation, top, all_parts)
    yield _heads(explanation)
    if explanation.saliency:
        yield _saliency(explanation)
    if explanation.prices:
        rows = [
            (str(price.constraint), f"{price.value:.4f}", "yes" if price.certified else "no")
            for price in explanation.prices
        ]
        yield Section("What the constraints cost", ("constraint", "price", "certified"), tuple(rows))


def _overview(explanation: Explanation) -> Section:
    chosen, rival = explanation.chosen, explanation.rival
    assert rival is not None  # noqa: S101 - there is one where this is called
    forms = _Forms(chosen)
    rows = (
        ("head", forms[chosen.head], forms[rival.head]),
        ("label", chosen.label, rival.label),
        ("probability of the arc", f"{chosen.probability:.4f}", f"{rival.probability:.4f}"),
        ("score of the tree", f"{chosen.value:.4f}", f"{rival.value:.4f}"),
        ("certified", "yes" if chosen.certified else "no", "yes" if rival.certified else "no"),
    )
    return Section("The two trees", ("", "chosen", "rival"), rows)


def _by_kind(explanation: Explanation) -> Section:
    rows = [(kind, f"{value:+.4f}") for kind, value in explanation.by_kind().items()]
    rows.append(("all", f"{explanation.difference:+.4f}"))
    return Section("Where the difference comes from", ("kind of part", "difference"), tuple(rows), total=True)


def _difference(explanation: Explanation) -> Section:
    chosen, rival = explanation.chosen, explanation.rival
    assert rival is not None  # noqa: S101 - as above
    forms = _Forms(chosen)
    ordered = sorted(
        [(part, True) for part in chosen.parts] + [(part, False) for part in rival.parts],
        key=lambda item: (-abs(item[0].score), not item[1]),
    )
    rows = []
    for part, ours in ordered:
        score = f"{part.score:.4f}"
        difference = part.score if ours else -part.score
        cells = (score, "") if ours else ("", score)
        rows.append((part.kind, forms.part(part), *cells, f"{difference:+.4f}"))
    sums = [math.fsum(part.score for part in tree.parts) for tree in (chosen, rival)]
    rows.append(("all", "", f"{sums[0]:.4f}", f"{sums[1]:.4f}", f"{explanation.difference:+.4f}"))
    columns = ("part", "words", "chosen", "rival", "difference")
    return Section("Parts that only one of the trees has", columns, tuple(rows), total=True)


def _features(explanation: Explanation, top: int, all_parts: bool) -> Iterator[Section]:
    """Yield the features of both arcs and labels of the word itself, then those of all other parts if wanted."""
    others = []
    for name, tree in (("chosen", explanation.chosen), ("rival", explanation.rival)):
        for part in tree.parts if tree else ():
            own = part.kind in ("arc", "label") and part.words["m"] == explanation.word
            shown = _Forms(explanation.chosen).part(part)
            title = f"Features of the {part.kind} of the {name} tree: {shown}"
            section = Section(title, ("weight", "template", "values"), _feature_rows(part, top), True, not own)
            if own:
                yield section
            else:
                others.append(section)
    if all_parts:
        yield from others


def _feature_rows(part: PartScore, top: int) -> tuple[tuple[str, ...], ...]:
    def row(feature: Feature) -> tuple[str, ...]:
        return f"{feature.weight:+.4f}", feature.template, feature.values

    rest = part.features[top:]
    rows = [row(feature) for feature in part.features[:top]]
    none = part.num_features - len(part.features)
    if rest or none:
        without = f", {none} without a weight" if none else ""
        rows.append((f"{math.fsum(feature.weight for feature in rest):+.4f}", f"{len(rest)} more{without}", ""))
    return (*rows, (f"{part.score:+.4f}", "all", ""))


def _heads(explanation: Explanation) -> Section:
    forms = _Forms(explanation.chosen)
    rows = [(forms[each.head], f"{each.probability:.4f}") for each in explanation.heads[:_MOST_HEADS]]
    return Section(f"Likely heads of {forms[explanation.word]}", ("head", "probability"), tuple(rows))


def _saliency(explanation: Explanation) -> Section:
    forms = _Forms(explanation.chosen)
    ordered = sorted(enumerate(explanation.saliency, 1), key=lambda item: -abs(item[1]))
    rows = [(forms[word], f"{value:+.4f}") for word, value in ordered[:_MOST_WORDS]]
    return Section("Words that matter most to the difference", ("word", "saliency"), tuple(rows))


class _Forms:
    """Words with their numbers, as people see them."""

    def __init__(self, tree: ComparedTree) -> None:
        self._forms = ("ROOT", *tree.sentence.forms)

    def __getitem__(self, word: int) -> str:
        if word < 0:
            return "start" if word == -1 else "stop"
        return f"{self._forms[word]} ({word})" if word else "ROOT"

    def part(self, part: PartScore) -> str:
        """Name the words of a part."""
        seen = {role: self[word] for role, word in part.words.items()}
        before = {f"{role}-1": self[word - 1] for role, word in part.words.items() if word > 0}
        return part.wording.format_map(seen | before | {"side": part.side, "count": part.count, "label": part.label})
