"""Trees as SVG: one standalone file, without scripts, fonts or anything else from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ramify.viz.layout import Piece, PlacedWord, Row, Sizes, arrange
from ramify.viz.markup import DARK, FONTS, LIGHT, element, number, text_of
from ramify.viz.metrics import shorten, text_width
from ramify.viz.options import DrawingOptions
from ramify.viz.tree import DrawnArc, DrawnTree, drawn_all

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["draw_tree", "stack", "svg"]

_THICK, _THIN, _FAINT = 1.7, 0.7, 0.45
_BETWEEN = 1.5  # between rows, in words' font sizes


def svg(items: object, **options: Any) -> str:
    """Draw a sentence, a parser's result, or several of them one below the other, as a standalone SVG file.

    Parameters
    ----------
    items : `ramify.data.Sentence` or `ParseResult`, or an iterable of them
    **options : see `DrawingOptions`

    Examples
    --------
    >>> from ramify.data import Sentence
    >>> dogs = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> svg(dogs)[:38]
    '<svg xmlns="http://www.w3.org/2000/svg'
    """
    chosen = DrawingOptions(**options)
    return stack([draw_tree(tree, chosen) for tree in drawn_all(items, chosen)]) + "\n"


class Figure:
    """The markup of one drawing and its size."""

    def __init__(self, body: str, width: float, height: float) -> None:
        self.body = body
        self.width = width
        self.height = height

    def markup(self, **attributes: str | float) -> str:
        """Return it as an SVG element."""
        size = f"0 0 {number(self.width)} {number(self.height)}"
        return element("svg", self.body, **attributes, width=self.width, height=self.height, viewBox=size)


def stack(figures: list[Figure]) -> str:
    """Return one SVG document with all figures below one another."""
    namespace = {"xmlns": "http://www.w3.org/2000/svg"}
    if len(figures) == 1:
        return figures[0].markup(**namespace, role="img")
    y, inner = 0.0, []
    for figure in figures:
        inner.append(figure.markup(y=y))
        y += figure.height
    title = element("title", f"{len(figures)} dependency trees")
    whole = Figure(title + "".join(inner), max((figure.width for figure in figures), default=0.0), y)
    return whole.markup(**namespace, role="img")


def draw_tree(tree: DrawnTree, options: DrawingOptions, marked: Collection[int] = ()) -> Figure:
    """Draw one sentence; the arcs into `marked` words stand out."""
    return _Drawing(tree, options, marked).figure()


class _Drawing:
    def __init__(self, tree: DrawnTree, options: DrawingOptions, marked: Collection[int]) -> None:
        self._tree = tree
        self._marked = marked
        self._options = options
        self._sizes = Sizes(options.font_size)
        self._palette = DARK if options.theme == "dark" else LIGHT
        self._crossing = tree.nonprojective()
        self._rows = arrange(tree, options) if tree.words else []
        self._width = max((row.width for row in self._rows), default=100.0)
        if tree.caption:
            self._width = max(self._width, text_width(tree.caption, self._sizes.small) + 2 * self._sizes.gap)

    def figure(self) -> Figure:
        y, groups = 0.0, []
        if self._tree.caption:
            y = self._sizes.small * 2
            groups.append(self._caption(y))
        for row in self._rows:
            height = self._height_above(row)
            groups.append(self._row(row, y + height))
            y += height + self._height_below(row)
        y = y or 50.0
        return Figure(self._head(y) + "".join(groups), self._width, y)

    def _caption(self, y: float) -> str:
        sizes = self._sizes
        return element(
            "text",
            text_of(self._tree.caption),
            x=self._x(sizes.gap),
            y=y - sizes.small * 0.5,
            font_size=sizes.small,
            font_family=FONTS,
            text_anchor="end" if self._tree.right_to_left else "start",
            class_="ramify-tag",
            fill=self._palette.tag,
        )

    def _head(self, height: float) -> str:
        tree, options = self._tree, self._options
        name = f"Dependency tree {tree.name}".strip() + (f" ({tree.caption})" if tree.caption else "")
        lines = [tree.describe(arc) for arc in tree.arcs]
        head = element("title", text_of(f"{name}: {shorten(tree.text, 200)}"))
        head += element("desc", text_of("; ".join(lines)))
        if options.theme == "auto":
            head += element("style", "@media (prefers-color-scheme:dark){" + _dark_rules(options) + "}")
        colour = self._palette.paper if options.background == "auto" else options.background
        if options.background != "none":
            head += element("rect", class_="ramify-paper", width=self._width, height=height, fill=colour)
        return head

    def _height_above(self, row: Row) -> float:
        return (row.levels + 0.9) * self._sizes.level

    def _height_below(self, row: Row) -> float:
        sizes = self._sizes
        lines = max(len(placed.below) for placed in row.words) + bool(self._surface(row))
        return sizes.word * 1.3 + lines * sizes.small * 1.3 + sizes.word * (_BETWEEN - 0.9)

    def _x(self, x: float) -> float:
        return self._width - x if self._tree.right_to_left else x

    def _row(self, row: Row, base: float) -> str:
        # Sure arcs are drawn last, on top of alternatives.
        pieces = sorted(row.pieces, key=lambda piece: not piece.arc.alternative)
        drawn = [self._piece(piece, base) for piece in pieces]
        drawn += [self._word(placed, base) for placed in row.words]
        drawn += self._surface_tokens(row, base)
        return element("g", "".join(drawn), font_family=FONTS)

    def _colour(self, arc: DrawnArc) -> tuple[str, str]:
        if arc.alternative:
            return "alternative", self._palette.alternative
        if arc.modifier in self._marked:
            return "marked", self._palette.marked
        return ("crossing", self._palette.crossing) if arc in self._crossing else ("arc", self._palette.arc)

    def _piece(self, piece: Piece, base: float) -> str:
        arc, sizes = piece.arc, self._sizes
        kind, colour = self._colour(arc)
        y = base - piece.level * sizes.level
        sure = 1.0 if arc.probability is None or not self._options.emphasis else arc.probability
        thick = (_THIN + (_THICK - _THIN) * sure) * sizes.word / 16
        dashes = {"stroke_dasharray": f"{number(sizes.word / 4)} {number(sizes.word / 5)}"} if arc.alternative else {}
        opacity = {} if sure > 0.995 or arc.alternative else {"opacity": f"{_FAINT + (1 - _FAINT) * sure:.2f}"}
        body = element("title", text_of(self._tree.describe(arc)))
        body += element("path", d=self._line(piece, base, y), fill="none", stroke_width=f"{thick:.2f}", **dashes)
        if piece.is_root or arc.modifier in (piece.first, piece.last):
            x = piece.left if arc.modifier == piece.first else piece.right
            body += element("path", d=self._arrow(self._x(x), base), stroke="none", class_="ramify-fill", fill=colour)
        if piece.label:
            body += element(
                "text",
                text_of(self._mirrored(piece)),
                x=self._x(piece.label_x),
                y=y - sizes.small * 0.32,
                font_size=sizes.small,
                text_anchor="middle",
                stroke="none",
                class_="ramify-fill",
                fill=colour,
            )
        return element("g", body, class_=f"ramify-{kind}", stroke=colour, **opacity)

    def _mirrored(self, piece: Piece) -> str:
        return " … ".join(reversed(piece.label.split(" … "))) if self._tree.right_to_left else piece.label

    def _line(self, piece: Piece, base: float, y: float) -> str:
        """Up from one word, along the level, down to the other; an open end runs into the edge of the row."""
        foot = base - self._sizes.word * 0.2  # arrows reach a little further than lines begin
        if piece.is_root:
            return f"M{number(self._x(piece.left))} {number(y)}V{number(foot)}"
        left, right = self._x(piece.left), self._x(piece.right)
        sign = 1.0 if left < right else -1.0
        r = min(self._sizes.corner, abs(right - left) / 2, foot - y)
        if piece.first is None:
            start = f"M{number(left)} {number(y)}"
        else:
            bend = f"Q{number(left)} {number(y)} {number(left + sign * r)} {number(y)}"
            start = f"M{number(left)} {number(foot)}V{number(y + r)}{bend}"
        if piece.last is None:
            return f"{start}H{number(right)}"
        bend = f"Q{number(right)} {number(y)} {number(right)} {number(y + r)}"
        return f"{start}H{number(right - sign * r)}{bend}V{number(foot)}"

    def _arrow(self, x: float, base: float) -> str:
        half, length = self._sizes.word * 0.17, self._sizes.word * 0.38
        return f"M{number(x)} {number(base)}l{number(-half)} {number(-length)}h{number(2 * half)}z"

    def _word(self, placed: PlacedWord, base: float) -> str:
        sizes, x = self._sizes, self._x(placed.x)
        y = base + sizes.word * 1.1
        hint = element("title", text_of(placed.word.form)) if placed.shown != placed.word.form else ""
        common: dict[str, str | float] = {"x": x, "text_anchor": "middle"}
        direction: dict[str, str | float] = {"direction": "rtl"} if self._tree.right_to_left else {}
        drawn = element(
            "text",
            hint + text_of(placed.shown),
            **common,
            **direction,
            y=y,
            font_size=sizes.word,
            class_="ramify-word",
            fill=self._palette.word,
        )
        for i, line in enumerate(placed.below, 1):
            drawn += (
                element(
                    "text",
                    text_of(line),
                    **common,
                    y=y + i * sizes.small * 1.3,
                    font_size=sizes.small,
                    class_="ramify-tag",
                    fill=self._palette.tag,
                )
                if line
                else ""
            )
        return drawn

    def _surface(self, row: Row) -> list[tuple[float, float, str]]:
        """Surface tokens of the row: from where to where, and their forms."""
        at = {placed.word.number: placed for placed in row.words}
        found = []
        for token in self._tree.surface:
            inside = [at[number] for number in range(token.first, token.last + 1) if number in at]
            if inside:
                found.append((inside[0].x - inside[0].width / 2, inside[-1].x + inside[-1].width / 2, token.form))
        return found

    def _surface_tokens(self, row: Row, base: float) -> Iterable[str]:
        sizes = self._sizes
        lines = max(len(placed.below) for placed in row.words)
        y = base + sizes.word * 1.3 + lines * sizes.small * 1.3
        for start, end, form in self._surface(row):
            line = f"M{number(self._x(start))} {number(y)}H{number(self._x(end))}"
            yield element("path", d=line, class_="ramify-rule", stroke=self._palette.tag, stroke_width=0.8, fill="none")
            shown = form
            while len(shown) > 2 and text_width(shown, sizes.small) > end - start + sizes.gap:
                shown = shorten(shown, len(shown) - 1 if shown == form else len(shown) - 2 + 1)
            yield element(
                "text",
                element("title", text_of(form)) + text_of(shown),
                x=self._x((start + end) / 2),
                y=y + sizes.small * 1.1,
                font_size=sizes.small,
                font_style="italic",
                text_anchor="middle",
                class_="ramify-tag",
                fill=self._palette.tag,
            )


def _dark_rules(options: DrawingOptions) -> str:
    rules: list[tuple[str, str, str]] = [
        ("word", "fill", DARK.word),
        ("tag", "fill", DARK.tag),
        ("rule", "stroke", DARK.tag),
    ]
    if options.background == "auto":
        rules.append(("paper", "fill", DARK.paper))
    drawn = "".join(f".ramify-{name}{{{what}:{colour}}}" for name, what, colour in rules)
    for name in ("arc", "crossing", "alternative", "marked"):
        colour = getattr(DARK, name)
        drawn += f".ramify-{name}{{stroke:{colour}}}.ramify-{name} .ramify-fill{{fill:{colour}}}"
    return drawn
