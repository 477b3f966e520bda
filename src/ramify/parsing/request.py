"""What is asked of the C++ parser: options of one call, and constraints in its own terms."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypedDict

from ramify._core import parsing as _core
from ramify.errors import InvalidInputError
from ramify.options import Choice, Integer, check_argument
from ramify.parsing.constraints import Constraint, Head, Label, NotHead

if TYPE_CHECKING:
    from ramify.parsing.state import Frame

__all__ = ["MAX_WORDS", "Decoder", "ParseOptions", "StreamOptions", "encode_constraints", "make_request"]

MAX_WORDS = 2000
_MOST_TREES = 100_000


class Decoder(str, Enum):
    """Which tree is taken."""

    MAP = "map"
    MBR = "mbr"


class ParseOptions(TypedDict, total=False):
    """What can be asked of a parser besides the best tree; `ramify.Parser.parse` says what each option means."""

    marginals: bool
    k: int
    decoder: Decoder | str
    projective: bool
    time_limit: float | None
    max_words: int


class StreamOptions(ParseOptions, total=False):
    """How a parser works through a stream; `ramify.Parser.pipe` says what each option means."""

    threads: int
    batch_size: int
    copy: bool


def make_request(
    marginals: bool = False,
    k: int = 1,
    decoder: Decoder | str = Decoder.MAP,
    projective: bool = False,
    time_limit: float | None = None,
    max_words: int = MAX_WORDS,
) -> _core.ParseRequest:
    """Check the options of a call; `Parser.parse` says what they mean."""
    if time_limit is not None and not time_limit > 0:
        raise InvalidInputError(f"Parser expects a time_limit above 0 seconds; got {time_limit!r}.")
    return _core.ParseRequest(
        marginals=bool(marginals),
        k=check_argument("Parser", "k", Integer(1, _MOST_TREES), k),
        mbr=check_argument("Parser", "decoder", Choice(Decoder), decoder) is Decoder.MBR,
        projective=bool(projective),
        time_limit=min(time_limit or 0.0, 1e9),
        max_words=check_argument("Parser", "max_words", Integer(0, 2**31 - 1), max_words),
    )


def encode_constraints(
    constraints: list[Constraint], num_words: int, frame: Frame
) -> list[tuple[Constraint, _core.Constraint]]:
    """Return each constraint with what it is to the C++ side, where one may become several."""
    kinds = _core.ConstraintKind
    encoded: list[tuple[Constraint, _core.Constraint]] = []
    for constraint in constraints:
        word = constraint.word
        if isinstance(constraint, Head):
            encoded.append((constraint, _core.Constraint(kinds.HEAD, word, constraint.head)))
        elif isinstance(constraint, NotHead):
            encoded.append((constraint, _core.Constraint(kinds.NOT_HEAD, word, constraint.head)))
        elif isinstance(constraint, Label):
            encoded.append((constraint, _core.Constraint(kinds.LABEL, word, frame.labels.index(constraint.label))))
        else:
            encoded.append((constraint, _core.Constraint(kinds.HEAD, word, 0)))
            if not frame.single_root:  # where several roots are allowed, the others must be forbidden
                others = (other for other in range(1, num_words + 1) if other != word)
                encoded += ((constraint, _core.Constraint(kinds.NOT_HEAD, other, 0)) for other in others)
    return encoded
