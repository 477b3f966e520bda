"""The look of help: options that take a value show its name, and switches show nothing."""

from __future__ import annotations

import inspect
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup

from ramify.cli import INTERRUPTED
from ramify.cli.console import message

__all__ = ["Command", "Group"]


class Command(TyperCommand):
    """A command whose help shows no Python types, such as ``<bool>`` after a switch."""

    def __init__(self, *arguments: Any, help: str | None = None, **options: Any) -> None:
        super().__init__(*arguments, help=_reflowed(help or ""), **options)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters, the one for help too."""
        return [_tidied(parameter) for parameter in super().get_params(ctx)]


class Group(TyperGroup):
    """The same for the command of commands, which also says what to do after ctrl-C."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; typer ends the program with status 130, without a word, when it is interrupted."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            message(f"ramify: {INTERRUPTED}", style="yellow")
            raise

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters, the one for help too."""
        return [_tidied(parameter) for parameter in super().get_params(ctx)]


def _reflowed(text: str) -> str:
    """Join the lines of each paragraph, which are as long as in the source; indented lines stay."""
    paragraphs = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(
        paragraph if paragraph.startswith(" ") else " ".join(paragraph.splitlines()) for paragraph in paragraphs
    )


def _tidied(parameter: Any) -> Any:
    # Set on the instance: typer makes the parameters, and takes no other classes for them.
    if isinstance(parameter, TyperArgument):
        name = parameter.metavar or parameter.name.upper()
        vars(parameter).update(
            display_type_rich=lambda ctx: None,
            get_usage_pieces=lambda ctx: [name if parameter.required else f"[{name}]"],
        )
    else:
        vars(parameter).update(_get_number_range_help_str=lambda: None)
        if parameter.is_flag:
            parameter.metavar = ""
    return parameter
