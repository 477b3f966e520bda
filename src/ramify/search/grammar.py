"""The grammar of patterns, a subset of Grew's: text in, clauses out, errors that point at their place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from ramify.errors import PatternError
from ramify.search.clauses import (
    Block,
    Comparison,
    Distance,
    Dominance,
    Edge,
    LabelTest,
    Precedence,
    Reference,
)

if TYPE_CHECKING:
    from ramify.search.clauses import Value

__all__ = ["Request", "parse_request"]

_SPACE = re.compile(r"(?:\s+|%[^\n]*)*")
_KEYWORD = re.compile(r"(pattern|request|match|without|with|global)\s*\{")
_NAME = re.compile(r"[^\W\d]\w*")
_FEATURE = re.compile(r"\w+(?:\[\w+\])?(?:\.\w+(?:\[\w+\])?)?")
_OPERATOR = re.compile(r"<>|!=|<=|>=|=|<|>")
_BARE = re.compile(r"""[^\s,;|{}\[\]"]+""")
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_REGEX = re.compile(r'(?:re"((?:[^"\\\n]|\\.)*)"|/((?:[^/\\\n]|\\.)+)/)(i?)(?![\w/])')
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_DISTANCE = re.compile(r"(delta|length)\s*\(")
_REFERENCE = re.compile(r"([^\W\d]\w*)\.(?=\w)")
_PART = re.compile(r"(!?)\s*([12])\s*(?=[=,\]<])")
_GLOBAL = re.compile(r"is_(?:not_)?(?:projective|tree)\b")
_EXPECTED_CLAUSE = "a clause such as V [upos=VERB], V -[nsubj]-> S, S << V or S.lemma = V.lemma"


_Named = tuple[str, int, str]  # name of a word or an edge, where it stands, a feature of it


@dataclass
class Request:
    """A whole pattern.

    Attributes
    ----------
    block : what has to be there
    conditions : further blocks, each with whether it has to be there (``with``) or must not be (``without``)
    metadata : tests of the sentence's comments
    shape : tests of the tree: ``is_projective``, ``is_not_tree``, …
    """

    block: Block = field(default_factory=Block)
    conditions: list[tuple[bool, Block]] = field(default_factory=list)
    metadata: list[Comparison] = field(default_factory=list)
    shape: list[str] = field(default_factory=list)


def parse_request(text: str) -> Request:
    """Read a pattern; what has no ``pattern { … }`` around it is the inside of one, up to ``without`` and the like."""
    return _Reader(text).request()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        # Comparisons of features, which are looked at when all names are known: block, left side, the rest.
        self._waiting: list[tuple[Block, _Named, Comparison | tuple[str, _Named]]] = []

    def request(self) -> Request:
        request = Request()
        self._skip()
        if not _KEYWORD.match(self._text, self._at):
            self._body(request.block, "")
        while self._at < len(self._text):
            keyword = self._take(_KEYWORD, "pattern, without, with or global, and {")[1]
            if keyword == "global":
                self._globals(request)
                continue
            block = request.block
            if keyword in ("with", "without"):
                block = Block()
                request.conditions.append((keyword == "with", block))
            self._body(block, "}")
        self._resolve_names(request)
        if not request.block.tests:
            self._fail("expected at least one word to look for; found none.", 0)
        return request

    def _body(self, block: Block, end: str) -> None:
        """Read clauses with semicolons between, up to the closing brace or the end of the text."""
        while True:
            self._skip()
            if self._ends(end):
                return
            self._clause(block)
            if not self._taken(";"):
                if not self._ends(end):
                    self._fail(f"expected ; or {end or 'the end'} after a clause; found {self._found()}.")
                return

    def _ends(self, end: str) -> bool:
        if end:
            return self._taken(end)
        return self._at == len(self._text) or _KEYWORD.match(self._text, self._at) is not None

    def _clause(self, block: Block) -> None:
        distance = self._optional(_DISTANCE)
        if distance:
            self._distance(block, signed=distance[1] == "delta")
            return
        if self._taken("*"):
            self._edge(block, None, None)
            return
        start = self._at
        name = self._take(_NAME, _EXPECTED_CLAUSE)[0]
        if self._taken(":"):
            self._edge(block, self._word_or_any(block), (name, start))
        elif self._text.startswith(".", self._at):
            self._at += 1
            self._feature_clause(block, name, start)
        elif self._text.startswith("[", self._at):
            self._description(block, name)
        elif self._text.startswith("-", self._at):
            self._edge(block, self._mention(block, name), None)
        else:
            self._order(block, self._mention(block, name))

    def _mention(self, block: Block, name: str) -> str:
        block.tests.setdefault(name, [])
        return name

    def _word(self, block: Block) -> str:
        return self._mention(block, self._take(_NAME, "the name of a word")[0])

    def _word_or_any(self, block: Block) -> str | None:
        return None if self._taken("*") else self._word(block)

    def _description(self, block: Block, name: str) -> None:
        self._mention(block, name)
        alternatives = []
        while True:
            self._expect("[")
            alternatives.append(self._comparisons())
            if not self._taken("|"):
                break
        block.tests[name].append(tuple(alternatives))

    def _comparisons(self) -> tuple[Comparison, ...]:
        found: list[Comparison] = []
        while not self._taken("]"):
            if found:
                self._expect(",", "or ]")
            negated = self._taken("!")
            feature = self._take(_FEATURE, "the name of a feature")[0]
            sign = None if negated else self._optional(_OPERATOR)
            if sign is None:
                found.append(Comparison(feature, "undefined" if negated else "defined"))
            else:
                found.append(self._comparison(feature, sign[0]))
        return tuple(found)

    def _comparison(self, feature: str, sign: str) -> Comparison:
        sign = "<>" if sign == "!=" else sign
        start = self._at
        values = self._values()
        if sign not in ("=", "<>") and (len(values) > 1 or not _is_number(values[0])):
            self._fail(f"expected a number after {sign}; found {self._text[start : self._at].strip()!r}.", start)
        return Comparison(feature, sign, values)

    def _values(self) -> tuple[Value, ...]:
        values = [self._value()]
        while self._taken("|"):
            values.append(self._value())
        return tuple(values)

    def _value(self) -> Value:
        start = self._at
        regex = self._optional(_REGEX)
        if regex:
            source = regex[2] if regex[1] is None else regex[1].replace('\\"', '"')
            try:
                return re.compile(source, re.IGNORECASE if regex[3] else 0)
            except (re.error, OverflowError, RecursionError) as error:
                self._fail(f"expected a regular expression; {error}.", start)
        string = self._optional(_STRING)
        if string:
            return re.sub(r"\\(.)", r"\1", string[1])
        return self._take(_BARE, 'a value: a word, a "string", re"an expression" or /an expression/i')[0]

    def _edge(self, block: Block, head: str | None, named: tuple[str, int] | None) -> None:
        label = None
        if self._taken("->>"):
            below = self._word(block)
            if head is None or named:
                self._fail("expected words on both sides of ->>, and no name for it.")
            block.clauses.append(Dominance(head, below))
            return
        if self._taken("-["):
            label = self._label()
            self._expect("->")
        else:
            self._expect("->", "-[…]-> or ->>", between=", ")
        dependent = self._word_or_any(block)
        if head is None and dependent is None:
            self._fail("expected a word on at least one side of the arrow; found * on both.")
        if named:
            name, start = named
            if dependent is None or name in block.edges or name in block.tests:
                self._fail("expected a new name, and a word that the arrow points at.", start)
            block.edges[name] = dependent
        block.clauses.append(Edge(head, dependent, label))

    def _label(self) -> LabelTest:
        if _PART.match(self._text, self._at):
            return LabelTest(parts=self._label_parts())
        sign = "<>" if self._taken("^") else "="
        values = self._values()
        self._expect("]", "or |")
        return LabelTest(Comparison("label", sign, values))

    def _label_parts(self) -> tuple[tuple[int, Comparison], ...]:
        parts: list[tuple[int, Comparison]] = []
        while not self._taken("]"):
            if parts:
                self._expect(",", "or ]")
            found = self._take(_PART, "1= or 2=, a part of the label")
            sign = None if found[1] else self._optional(_OPERATOR)
            if sign is None:
                parts.append((int(found[2]), Comparison(found[2], "undefined" if found[1] else "defined")))
            else:
                parts.append((int(found[2]), self._comparison(found[2], sign[0])))
        return tuple(parts)

    def _order(self, block: Block, name: str) -> None:
        sign = self._take(re.compile(r"<<|>>|<|>"), "[ … ], an arrow (->, -[nsubj]->, ->>) or an order (<, <<, >, >>)")[
            0
        ]
        other = self._word(block)
        first, second = (name, other) if sign[0] == "<" else (other, name)
        block.clauses.append(Precedence(first, second, immediate=len(sign) == 1))

    def _distance(self, block: Block, *, signed: bool) -> None:
        first = self._word(block)
        self._expect(",")
        second = self._word(block)
        self._expect(")")
        sign = self._take(_OPERATOR, "=, <>, <, <=, > or >=")[0]
        number = float(self._take(_NUMBER, "a number")[0])
        block.clauses.append(Distance(first, second, signed, "<>" if sign == "!=" else sign, number))

    def _feature_clause(self, block: Block, name: str, start: int) -> None:
        """Read ``X.lemma = Y.lemma`` or ``X.lemma = be``; names may be those of words or edges that come later."""
        left = (name, start, self._take(_FEATURE, "the name of a feature")[0])
        sign = self._take(_OPERATOR, "=, <>, <, <=, > or >=")[0]
        other = _REFERENCE.match(self._text, self._at)
        if other is None:
            self._waiting.append((block, left, self._comparison(left[2], sign)))
            return
        start = self._at
        self._at = other.end()
        right = (other[1], start, self._take(_FEATURE, "the name of a feature")[0])
        self._waiting.append((block, left, ("<>" if sign == "!=" else sign, right)))

    def _resolve_names(self, request: Request) -> None:
        for block, left, rest in self._waiting:
            word, feature = self._resolve(request, block, left)
            if isinstance(rest, Comparison):
                test = Comparison(feature, rest.operator, rest.values)
                block.tests.setdefault(word, []).append(((test,),))
            else:
                sign, right = rest
                block.clauses.append(Reference(word, feature, sign, *self._resolve(request, block, right)))

    def _resolve(self, request: Request, block: Block, named: tuple[str, int, str]) -> tuple[str, str]:
        """Return word and feature; the label of a named edge is that of its dependent."""
        name, start, feature = named
        edges = request.block.edges | block.edges
        if name in edges:
            return edges[name], "deprel" if feature == "label" else feature
        if name not in request.block.tests and name not in block.tests:
            self._fail(f"expected the name of a word or an edge of the pattern; found {name!r}.", start)
        return name, feature

    def _globals(self, request: Request) -> None:
        while True:
            self._skip()
            if self._taken("}"):
                return
            shape = self._optional(_GLOBAL)
            if shape:
                request.shape.append(shape[0])
            else:
                key = self._take(re.compile(r"\w+"), "is_projective, is_tree or the name of a comment")[0]
                sign = self._take(_OPERATOR, "=, <>, <, <=, > or >=")[0]
                request.metadata.append(self._comparison(key, sign))
            if not self._taken(";"):
                self._expect("}", "or ;")
                return

    def _skip(self) -> None:
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _optional(self, form: re.Pattern[str]) -> re.Match[str] | None:
        found = form.match(self._text, self._at)
        if found:
            self._at = found.end()
            self._skip()
        return found

    def _take(self, form: re.Pattern[str], expected: str) -> re.Match[str]:
        found = self._optional(form)
        if found is None:
            self._fail(f"expected {expected}; found {self._found()}.")
        return found

    def _taken(self, symbol: str) -> bool:
        if not self._text.startswith(symbol, self._at):
            return False
        self._at += len(symbol)
        self._skip()
        return True

    def _expect(self, symbol: str, others: str = "", between: str = " ") -> None:
        if not self._taken(symbol):
            self._fail(f"expected {between.join(filter(None, (symbol, others)))}; found {self._found()}.")

    def _found(self) -> str:
        rest = self._text[self._at : self._at + 20].split("\n")[0]
        return repr(rest) if rest else "the end" if self._at >= len(self._text) else "a line end"

    def _fail(self, problem: str, offset: int | None = None) -> NoReturn:
        raise PatternError(self._text, self._at if offset is None else offset, problem)


def _is_number(value: Value) -> bool:
    return isinstance(value, str) and _NUMBER.fullmatch(value) is not None
