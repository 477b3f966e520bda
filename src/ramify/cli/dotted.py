"""Options like ``--training.epochs 5``: any option of a configuration, without a list of them here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import typer

from ramify.cli.help import Command

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DottedCommand", "overrides"]

_DOTTED = re.compile(r"--([a-z]+(?:\.[a-z0-9-]+){1,2})(?:=(.*))?", re.DOTALL)
_KEY = "ramify.overrides"


class DottedCommand(Command):
    """A command that takes dotted options besides its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the dotted options out before the others are looked at."""
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
                found[match[1]] = _value(match, rest, ctx)
        ctx.meta[_KEY] = found
        return super().parse_args(ctx, others)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete dotted options too."""
        results = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("--"):
            names = _dotted_options(ctx.params.get("task") or "parse")
            results += [_item(name, text) for name, text in names.items() if name.startswith(incomplete)]
        return results


def _item(name: str, text: str) -> Any:
    from typer import core

    return core.CompletionItem(name, help=text)  # type: ignore[attr-defined] # typer has no public name for it


def _dotted_options(task: str) -> dict[str, str]:
    """Return the dotted options of a task, and what each is for."""
    from dataclasses import fields

    from ramify import parsing, segmentation, tagging
    from ramify.options import key_of
    from ramify.pipeline.model_files import TAGGERS

    def of(config: Any, prefix: str = "--") -> dict[str, str]:
        return {
            f"{prefix}{section}.{key_of(made.name)}": made.metadata["doc"]
            for section, kind in config.sections().items()
            for made in fields(kind)
        }

    if task != "pipeline":
        return of(tagging.Config if task == "tag" else parsing.Config)
    names = {f"--segmenter.{key_of(made.name)}": made.metadata["doc"] for made in fields(segmentation.Options)}
    for tagger in TAGGERS:
        names |= of(tagging.Config, f"--{tagger}.")
    return names | of(parsing.Config, "--parser.")


def _value(match: re.Match[str], rest: Iterator[str], ctx: Any) -> str:
    if match[2] is not None:
        return match[2]
    for following in rest:
        return following
    if ctx.resilient_parsing:  # a shell asks for completions: the value is not typed yet
        return ""
    raise typer.BadParameter("it needs a value", ctx=ctx, param_hint=f"--{match[1]}")


def overrides(ctx: typer.Context) -> dict[str, str]:
    """Return the dotted options of this call, names without dashes."""
    found: dict[str, str] = ctx.meta.get(_KEY, {})
    return found
