"""The reference of the command line, made from its own help when the documentation is built."""

from __future__ import annotations

import re
from typing import Any

import typer

_PAGE = "reference/command_line"
_PLACE = re.compile("<!-- commands -->.*<!-- end of commands -->", re.DOTALL)


def render(app: typer.Typer) -> str:
    """Return a section for every command, as Markdown."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return "\n".join(_section(name, command) for name, command in sorted(commands.items()))


def _section(name: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join(["ramify", name, *map(_metavar, arguments), "[OPTIONS]"])
    lines = [f"### ramify {name}", "", "```text", usage, "```", "", _prose(command.help or ""), ""]
    for title, parameters, label in (("argument", arguments, _metavar), ("option", options, _names)):
        if parameters:
            lines += [f"| {title} | meaning | default |", "| --- | --- | --- |"]
            lines += [f"| `{label(p)}` | {_cell(p.help or '')} | {_default(p)} |" for p in parameters]
            lines.append("")
    return "\n".join(lines)


def _prose(text: str) -> str:
    """Turn the help of a command into Markdown: rich's markup, and examples, which are lines of their own."""
    done = []
    for block in re.split(r"\n\s*\n", re.sub(r"\[(/?)bold\]", "**", text.replace("\f", "\n"))):
        is_example = block.startswith(("ramify ", "tagger ", "    "))
        lines = "\n".join(line.strip() for line in block.strip().splitlines())
        if is_example and done and done[-1].startswith("```"):
            done[-1] = done[-1].removesuffix("```") + f"{lines}\n```"
        else:
            done.append(f"```text\n{lines}\n```" if is_example else _with_code(lines))
    return "\n\n".join(done)


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _names(parameter: Any) -> str:
    names = ", ".join((*parameter.opts, *parameter.secondary_opts))
    return f"{names} {parameter.metavar}" if parameter.metavar else names


def _default(parameter: Any) -> str:
    shown = parameter.show_default
    if isinstance(shown, str):
        return _cell(shown)
    value = getattr(parameter.default, "value", parameter.default)  # of an enumeration
    if parameter.required:
        return "required"
    return "" if value in (None, "", False) or callable(value) else f"`{value}`"


def _cell(text: str) -> str:
    return _with_code(text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;"))


def _with_code(text: str) -> str:
    """Mark options as code: typography would make one dash of their two hyphens."""
    return re.sub(r"(?<![\w`-])--[a-z][\w.-]*\w", r"`\g<0>`", text)


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    from ramify.cli import app as commands

    def fill(app: Any, name: str, source: list[str]) -> None:
        if name == _PAGE:
            source[0] = _PLACE.sub(lambda _: render(commands), source[0])

    app.connect("source-read", fill)
    return {"parallel_read_safe": True}
