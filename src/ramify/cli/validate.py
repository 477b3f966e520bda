"""``ramify validate``: check treebanks against the universal rules of UD.

Annotations are evaluated here, because typer makes options of them.
"""

import json
import sys
from typing import Annotated

import typer

from ramify.cli.slow_progress import SlowProgress
from ramify.cli.usage import one_of, split_list
from ramify.printable import printable

__all__ = ["validate"]

_FORMATS = ("text", "json")


def validate(
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="IN", help="Treebanks, or folders of treebanks; - is standard input.", show_default="-"),
    ] = None,
    level: Annotated[
        int,
        typer.Option(
            min=1,
            max=3,
            metavar="N",
            help="Level of the checks: 1 checks the format, 2 also the values, 3 also the content.",
        ),
    ] = 3,
    warnings: Annotated[
        bool,
        typer.Option("--warnings/--no-warnings", help="Also show warnings: unusual annotation that can be correct."),
    ] = True,
    exclude: Annotated[
        str,
        typer.Option(metavar="CHECK,...", help="Do not show the findings of these checks, such as missing-sent-id."),
    ] = "",
    count: Annotated[bool, typer.Option("--count", help="Only print the number of findings of each check.")] = False,
    format: Annotated[
        str, typer.Option(metavar="FORMAT", help="Output format: text, or json with one finding per line.")
    ] = "text",
) -> None:
    """Check treebanks in CoNLL-U against the rules of Universal Dependencies that hold for all languages.

    Levels and checks are those of the official validator. The exit status is 1 if there is an error; warnings do
    not change it.

    [bold]Examples[/bold]

    ramify validate treebank.conllu

    ramify validate treebank.conllu --level 2 --exclude missing-sent-id,missing-text

    ramify validate treebanks/ --count
    """
    from ramify.cli.inputs import find_inputs
    from ramify.validation import validate as check

    one_of(format, _FORMATS, "--format")
    left_out = set(split_list(exclude))
    counts: dict[tuple[bool, str], int] = {}
    with SlowProgress("Validating") as progress:
        for item in find_inputs(sources or ["-"]):
            name = "<stdin>" if item.path == "-" else item.path
            for found in progress.track(check(item.path, level=level)):
                if found.check in left_out or (found.warning and not warnings):
                    continue
                kind = (found.warning, found.check)
                counts[kind] = counts.get(kind, 0) + 1
                if count:
                    continue
                if format == "json":
                    line = json.dumps({"file": name} | found.to_dict(), ensure_ascii=False)
                else:
                    place = f"{name}:{found.line}: " + (f"word {found.word}: " if found.word else "")
                    line = printable(f"{place}{_kind(found.warning)}: {found.message} [{found.check}]")
                sys.stdout.write(line + "\n")
    if count:
        for (is_warning, name), number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            sys.stdout.write(f"{number}\t{_kind(is_warning)}\t{name}\n")
    errors = sum(number for (is_warning, _), number in counts.items() if not is_warning)
    if format == "text":
        from ramify.cli.console import message

        message(f"{_number(errors, 'error')}, {_number(sum(counts.values()) - errors, 'warning')}")
    if errors:
        raise typer.Exit(1)


def _kind(warning: bool) -> str:
    return "warning" if warning else "error"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
