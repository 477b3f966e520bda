"""How help looks: names of values where an option takes one, and nothing where it does not."""

from __future__ import annotations

from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup

__all__ = ["Command", "Group"]


class Command(TyperCommand):
    """A command whose help shows no Python types, such as ``<bool>`` after a switch."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters, the one for help too."""
        return [_tidied(parameter) for parameter in super().get_params(ctx)]


class Group(TyperGroup):
    """The same for the command of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return all parameters, the one for help too."""
        return [_tidied(parameter) for parameter in super().get_params(ctx)]


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
