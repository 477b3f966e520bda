"""What an option may hold, of a method or of a configuration: checked once, read from text, written as TOML."""

from __future__ import annotations

import itertools
import json
import math
import sys
from dataclasses import Field, dataclass, field, fields
from enum import Enum
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, get_args

from ramify.errors import InvalidInputError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "Choice",
    "Either",
    "Flag",
    "FlagOrAuto",
    "Integer",
    "Member",
    "Name",
    "Number",
    "OrNone",
    "Rule",
    "Several",
    "Text",
    "Texts",
    "check_argument",
    "checked",
    "of",
    "option",
    "redefault",
]

T = TypeVar("T")
E = TypeVar("E", bound=Enum)


class UnfitItemError(ValueError):
    """What is wrong with one item of a list."""


class Rule(Generic[T]):
    """Which values an option takes.

    Attributes
    ----------
    expected : the values, in words that follow "expects"
    """

    expected: str

    def check(self, value: object) -> T:
        """Return the value in its proper type, or raise a ValueError (what is wrong is in `expected`)."""
        raise ValueError

    def parse(self, text: str) -> object:
        """Read a value as the command line gives it; `check` comes after."""
        return text


@dataclass(frozen=True)
class Integer(Rule[int]):
    """A whole number between two bounds, both included."""

    low: int
    high: int = 2**53

    @property
    def expected(self) -> str:  # type: ignore[override]
        """The bounds."""
        most = "or more" if self.high == 2**53 else f"to {self.high}"
        return f"a whole number, {self.low} {most}"

    def check(self, value: object) -> int:
        """Refuse numbers that are not whole."""
        if isinstance(value, bool) or not isinstance(value, Integral) or not self.low <= int(value) <= self.high:
            raise ValueError
        return int(value)

    def parse(self, text: str) -> object:
        """Allow 4_000_000 as TOML does."""
        try:
            return int(text)
        except ValueError:
            return text


@dataclass(frozen=True)
class Number(Rule[float]):
    """A number between two bounds: both included, but for the lower one with `above`, the upper one with `below`."""

    low: float
    high: float = math.inf
    above: bool = False
    below: bool = False

    @property
    def expected(self) -> str:  # type: ignore[override]
        """The bounds."""
        if self.low == self.high:
            return f"{self.low:g}"
        least = f"above {self.low:g}" if self.above else f"at least {self.low:g}"
        if self.high == math.inf:
            return f"a{' finite' if self.below else ''} number {least}"
        return f"a number {least} and {'below' if self.below else 'at most'} {self.high:g}"

    def check(self, value: object) -> float:
        """Refuse what is no number, or NaN."""
        if isinstance(value, bool) or not isinstance(value, Real):
            raise ValueError  # noqa: TRY004 - the caller makes the message, of one kind for all
        try:
            number = float(value)
        except OverflowError:  # a whole number of hundreds of digits
            raise ValueError from None
        is_left_out = (self.above and number == self.low) or (self.below and number == self.high)
        if not self.low <= number <= self.high or is_left_out:
            raise ValueError
        return number

    def parse(self, text: str) -> object:
        """Read 1e-3, inf and the like."""
        try:
            return float(text)
        except ValueError:
            return text


class Flag(Rule[bool]):
    """True or false."""

    expected = "true or false"

    def check(self, value: object) -> bool:
        """Refuse numbers and words, and take the truth values of NumPy for what they are."""
        if not isinstance(value, bool) and not (
            getattr(value, "dtype", None) == "bool" and getattr(value, "ndim", 1) == 0
        ):
            raise ValueError
        return bool(value)

    def parse(self, text: str) -> object:
        """Read what TOML calls them."""
        return {"true": True, "false": False}.get(text, text)


class FlagOrAuto(Rule["bool | str"]):
    """True, false, or left to the data."""

    expected = "true, false or 'auto'"

    def check(self, value: object) -> bool | str:
        """Refuse any other word."""
        if isinstance(value, bool) or value == "auto":
            return value
        raise ValueError

    def parse(self, text: str) -> object:
        """Read what TOML calls them."""
        return {"true": True, "false": False}.get(text, text)


@dataclass(frozen=True)
class Choice(Rule[E]):
    """One of the names of an enumeration."""

    kind: type[E]

    @property
    def expected(self) -> str:  # type: ignore[override]
        """The names."""
        return _one_of([member.value for member in self.kind])

    def check(self, value: object) -> E:
        """Take members as well as their names."""
        return self.kind(value)


@dataclass(frozen=True)
class Name(Rule[Any]):
    """One of the names of a ``Literal``."""

    kind: Any

    @property
    def expected(self) -> str:  # type: ignore[override]
        """The names."""
        return _one_of(get_args(self.kind))

    def check(self, value: object) -> Any:
        """Refuse any other text."""
        if not isinstance(value, str) or value not in get_args(self.kind):
            raise ValueError
        return value


def _one_of(names: Sequence[str]) -> str:
    return repr(names[0]) if len(names) == 1 else f"one of {', '.join(map(repr, names))}"


@dataclass(frozen=True)
class Member(Rule[E]):
    """A member of an enumeration, not its name."""

    kind: type[E]

    @property
    def expected(self) -> str:  # type: ignore[override]
        """The members as they are written."""
        return f"one of {', '.join(map(str, self.kind))}"

    def check(self, value: object) -> E:
        """Refuse names."""
        if not isinstance(value, self.kind):
            raise ValueError  # noqa: TRY004 - as above
        return value


@dataclass(frozen=True)
class Either(Rule[Any]):
    """What one of two rules takes."""

    first: Rule[Any]
    second: Rule[Any]

    @property
    def expected(self) -> str:  # type: ignore[override]
        """What both expect."""
        return f"{self.first.expected} or {self.second.expected}"

    def check(self, value: object) -> Any:
        """Ask the first rule, then the second."""
        try:
            return self.first.check(value)
        except ValueError:
            return self.second.check(value)


@dataclass(frozen=True)
class OrNone(Rule["T | None"], Generic[T]):
    """What a rule takes, or None."""

    rule: Rule[T]

    @property
    def expected(self) -> str:  # type: ignore[override]
        """What the rule expects."""
        return f"{self.rule.expected}, or None"

    def check(self, value: object) -> T | None:
        """Ask the rule unless there is nothing to ask about."""
        return None if value is None else self.rule.check(value)


def _listed(value: object) -> list[Any]:
    if isinstance(value, str) or not isinstance(value, (list, tuple)) or len({*map(str, value)}) < len(value):
        raise ValueError
    return list(value)


def _split(text: str) -> list[str]:
    body = text.strip()
    if body.startswith("[") and body.endswith("]"):
        body = body[1:-1]
    return [item.strip() for item in body.replace('"', "").split(",") if item.strip()]


@dataclass(frozen=True)
class Several(Rule["tuple[E, ...]"]):
    """Some names of an enumeration, each at most once; kept in the enumeration's order."""

    kind: type[E]

    @property
    def expected(self) -> str:  # type: ignore[override]
        """The names."""
        return f"a list of {', '.join(repr(member.value) for member in self.kind)}, each at most once"

    def check(self, value: object) -> tuple[E, ...]:
        """Order makes no difference to what is chosen, so it makes none to what is kept."""
        chosen = {self.kind(item) for item in _listed(value)}
        return tuple(member for member in self.kind if member in chosen)

    def parse(self, text: str) -> object:
        """Read names with commas between."""
        return _split(text)


@dataclass(frozen=True)
class Texts(Rule["tuple[str, ...]"]):
    """Some texts, each at most once.

    Attributes
    ----------
    what : what the texts are
    allowed : gives those there are, if they are few
    problem : says what is wrong with a text, and returns an empty text if nothing is
    """

    what: str
    allowed: Callable[[], list[str]] | None = None
    problem: Callable[[str], str] | None = None

    @property
    def expected(self) -> str:  # type: ignore[override]
        """What the texts are."""
        names = "" if self.allowed is None else f": {', '.join(map(repr, self.allowed()))}"
        return f"a list of {self.what}, each at most once{names}"

    def check(self, value: object) -> tuple[str, ...]:
        """Take a single text for a list of one."""
        items = [value] if isinstance(value, str) else _listed(value)
        known = None if self.allowed is None else set(self.allowed())
        if not all(isinstance(item, str) and item and (known is None or item in known) for item in items):
            raise ValueError
        for item in items:
            if self.problem is not None and (found := self.problem(item)):
                raise UnfitItemError(f"{shown(item)}: {found}.")
        return tuple(items)

    def parse(self, text: str) -> object:
        """Read texts with commas between."""
        return _split(text)


@dataclass(frozen=True)
class Probabilities(Rule["tuple[float, ...]"]):
    """Probabilities that do not fall, none or at least two."""

    expected = "a list of probabilities, none below the one before: none at all, or 2 to 100"

    def check(self, value: object) -> tuple[float, ...]:
        """Take whole numbers too."""
        if not isinstance(value, (list, tuple)) or not all(isinstance(item, (int, float)) for item in value):
            raise ValueError
        items = tuple(Number(0, 1).check(item) for item in value)
        if len(items) not in (0, *range(2, 101)) or not all(0 <= a <= b <= 1 for a, b in itertools.pairwise(items)):
            raise ValueError
        return items

    def parse(self, text: str) -> object:
        """Read numbers with commas between."""
        return [float(item) for item in _split(text)]


@dataclass(frozen=True)
class Text(Rule[str]):
    """Any text."""

    what: str

    @property
    def expected(self) -> str:  # type: ignore[override]
        """What the text is."""
        return self.what

    def check(self, value: object) -> str:
        """Refuse what is no text, or could not be written in one line."""
        if not isinstance(value, str) or not value.isprintable():
            raise ValueError
        return value


def option(rule: Rule[T], default: T, doc: str) -> T:
    """Make a field of a section: its rule, its default and what it is for."""
    made: Any = field(default=default, metadata={"rule": rule, "doc": doc})
    return made  # type: ignore[no-any-return]


def redefault(section: type[checked], name: str, default: T) -> T:
    """Make a field like that of another section, with another default."""
    found = next(made for made in fields(section) if made.name == name)  # type: ignore[arg-type]
    doc: str = found.metadata["doc"]
    made_again: T = option(rule_of(found), default, doc)
    return made_again


def key_of(name: str) -> str:
    """Return what files and the command line call a field."""
    return name.replace("_", "-")


def rule_of(made: Field[Any]) -> Rule[Any]:
    """Return the rule of a field."""
    rule: Rule[Any] = made.metadata["rule"]
    return rule


def of(section: type[checked], name: str) -> Rule[Any]:
    """Return the rule of a field of another section, so that what is the same thing has the same limits."""
    return next(rule_of(made) for made in fields(section) if made.name == name)  # type: ignore[arg-type]


class checked:  # noqa: N801 - a base class that reads as an adjective: class Training(checked)
    """Base of the sections: frozen dataclasses whose fields are checked when they are made.

    Attributes
    ----------
    section : name in files; by default that of the first class after this one, in small letters
    """

    section: ClassVar[str]

    def __init_subclass__(cls) -> None:
        """Name the section."""
        super().__init_subclass__()
        if not hasattr(cls, "section"):
            cls.section = cls.__name__.lower()

    def __post_init__(self) -> None:
        """Check every field and keep it in its proper type."""
        for made in fields(self):  # type: ignore[arg-type]
            value = getattr(self, made.name)
            try:
                object.__setattr__(self, made.name, rule_of(made).check(value))
            except UnfitItemError as error:
                raise InvalidInputError(f"{self._refusal(made.name, rule_of(made), value)} {error}") from None
            except (ValueError, TypeError):
                raise InvalidInputError(self._refusal(made.name, rule_of(made), value)) from None

    @classmethod
    def _refusal(cls, name: str, rule: Rule[Any], value: object) -> str:
        """Say what an option expects, and what it got; the option has the name that files and the command line use."""
        return f"{cls.section}.{key_of(name)} expects {rule.expected}; got {shown(value)}."


def check_argument(who: str, name: str, rule: Rule[T], value: object) -> T:
    """Return an argument in its proper type, or say who expects what.

    Parameters
    ----------
    who, name : the function or class, and its argument, as a caller writes them
    rule : what the argument may be
    value : what came
    """
    try:
        return rule.check(value)
    except (ValueError, TypeError):
        raise InvalidInputError(refusal(who, name, rule, value)) from None


def refusal(who: str, name: str, rule: Rule[Any], value: object) -> str:
    """Say what an argument expects, and what it got."""
    text = repr(value)
    return f"{who} expects {name} to be {rule.expected}; got {text if len(text) <= 80 else text[:77] + '…'}."


def shown(value: object) -> str:
    """Return a value as messages show it: as TOML has it, and not too long."""
    try:
        text = to_toml(value)
    except TypeError:
        text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


def from_toml(text: str) -> dict[str, Any]:
    """Return what the text of a TOML file says, whoever wrote it."""
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError also for numbers of thousands of digits
        raise InvalidInputError(f"expected TOML; {error}") from None
    return table


def to_toml(value: object) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, Enum):
        return to_toml(value.value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        # A JSON string of printable text is a TOML basic string: the same quotes, the same escapes.
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(to_toml, value))}]"
    raise TypeError(f"TOML has no {type(value).__name__}")
