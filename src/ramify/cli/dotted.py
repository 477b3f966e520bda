"""Options like ``--training.epochs 5``: any option of a configuration, without a list of them here."""

from __future__ import annotations

import re
from typing import Any

import typer
import typer.core

__all__ = ["DottedCommand", "overrides"]

_DOTTED = re.compile(r"--([a-z]+\.[a-z0-9-]+)(?:=(.*))?", re.DOTALL)
_KEY = "ramify.overrides"


class DottedCommand(typer.core.TyperCommand):
    """A command that takes dotted options besides its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the dotted options out before the others are looked at; `ctx` is click's, which typer may bring along."""
        found: dict[str, str] = {}
        others: list[str] = []
        rest = iter(args)
        for argument in rest:
            match = _DOTTED.fullmatch(argument)
            if argument == "--":
                others += [argument, *rest]
            elif match is None:
                others.append(argument)
            else:
                value = match[2] if match[2] is not None else next(rest, None)
                if value is None:
                    ctx.fail(f"Option '--{match[1]}' requires an argument.")
                found[match[1]] = value
        ctx.meta[_KEY] = found
        return super().parse_args(ctx, others)


def overrides(ctx: typer.Context) -> dict[str, str]:
    """Return the dotted options of this call, names without dashes."""
    found: dict[str, str] = ctx.meta.get(_KEY, {})
    return found
