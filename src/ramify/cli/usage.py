"""Wrong usage: one error for all commands, which ends them with exit status 2."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["UsageError", "checking_options", "completing", "one_of", "split_list"]


class UsageError(InvalidInputError):
    """The command line itself is wrong: an option has a value that it does not take, or options contradict each other.

    Errors in the files that a command reads are no usage errors; they end it with exit status 1.
    """


@contextlib.contextmanager
def checking_options() -> Iterator[None]:
    """Turn what the library says about a bad argument into a usage error; for blocks that look at options only."""
    try:
        yield
    except UsageError:
        raise
    except InvalidInputError as error:
        raise UsageError(str(error)) from None


def one_of(value: str, names: Iterable[str], option: str) -> str:
    """Return an option's value if it is one of the names that the option takes."""
    known = list(names)
    if value not in known:
        raise UsageError(f"{option} expects one of {', '.join(known)}; got {value!r}.")
    return value


def completing(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return what completes an option's value in a shell; the names are looked up when they are needed."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete


def split_list(text: str) -> list[str]:
    """Return the items of an option that takes several, with commas between them."""
    return [item.strip() for item in text.split(",") if item.strip()]
