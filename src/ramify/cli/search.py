"""``ramify search``: where a tree pattern occurs.

Annotations are evaluated here, because typer makes options of them.
"""

import itertools
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ramify.cli.options import TreebankFormat, argument, flag, format_value, value
from ramify.cli.slow_progress import SlowProgress
from ramify.cli.usage import UsageError
from ramify.data.files import suffix_of
from ramify.errors import PatternError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.cli.inputs import Input
    from ramify.search import Match, Pattern

__all__ = ["search"]

_FORMATS = ("text", "conllu", "json", "svg", "html")
_BY_SUFFIX = {".txt": "text", ".conllu": "conllu", ".json": "json", ".jsonl": "json", ".svg": "svg", ".html": "html"}


def search(
    pattern: Annotated[
        str, argument("PATTERN", "Pattern in the syntax of Grew, or @FILE for a file that contains the pattern.")
    ],
    sources: Annotated[
        list[str] | None, argument("IN", "Treebanks, or folders of treebanks; - is standard input.", show_default="-")
    ] = None,
    output: Annotated[str, value("OUT", "File to write; - is standard output.", "--output", "-o")] = "-",
    format: Annotated[
        str | None,
        format_value(
            _FORMATS,
            "Output format: text, conllu (matching sentences), json (one match per line), svg or html. By default "
            "the suffix of --output decides.",
        ),
    ] = None,
    count: Annotated[bool, flag("Print only how many matches and sentences there are.", "--count")] = False,
    by: Annotated[
        str | None,
        value(
            "NAME.FEATURE,...",
            "Print how often each value of a feature occurs in the matches, such as S.upos or V.lemma,S.deprel.",
        ),
    ] = None,
    limit: Annotated[int | None, value("N", "Stop after N matches.", min=1)] = None,
    source_format: TreebankFormat = None,
) -> None:
    r"""Search treebanks, or the output of ramify parse, for a tree pattern.

    A pattern describes words and how they are related; different names stand for different words. Features are form,
    lemma, upos, xpos, deprel, id, head, prob (the probability of the arc, from ramify parse --marginals), and all
    features in FEATS and MISC.

    [bold]Examples[/bold]

    ramify search 'V \[upos=VERB]; V -\[nsubj]-> S; S \[upos=NOUN|PROPN]' treebank.conllu

    ramify search 'pattern { V -\[1=obj]-> O; O << V } without { V -\[cop]-> C }' treebank.conllu --count

    ramify search 'N \[upos=NOUN]; N -> A; A \[form=/un.*/i]' treebanks/ --by N.lemma,A.deprel

    ramify parse book.txt --marginals | ramify search 'X -> Y; Y.prob < 0.5' --format html --output doubtful.html
    """
    from ramify.cli.inputs import find_inputs
    from ramify.cli.search_output import write_counts, write_matches, write_total
    from ramify.search import Pattern

    kind = _format(format, output)
    try:
        compiled = Pattern(_pattern_text(pattern))
    except PatternError as error:
        if pattern.startswith("@"):
            raise  # the file is wrong, not the command
        raise UsageError(str(error)) from None
    keys = None if by is None else _keys(by, compiled)
    if count and by is not None:
        raise typer.BadParameter("--count and --by exclude each other.", param_hint="--count")
    with SlowProgress("Searching") as progress:
        found = itertools.islice(_matches(compiled, find_inputs(sources or ["-"]), source_format, progress), limit)
        if count:
            write_total(found, output)
        elif keys is not None:
            write_counts(found, keys, output)
        else:
            write_matches(found, kind, output)


def _format(given: str | None, output: str) -> str:
    kind = given or ("text" if output == "-" else _BY_SUFFIX.get(suffix_of(output), ""))
    if kind not in _FORMATS:
        where = f"{given!r}" if given else f"the suffix of {output!r}"
        raise typer.BadParameter(f"{where} is not one of {', '.join(_FORMATS)}.", param_hint="--format")
    return kind


def _pattern_text(given: str) -> str:
    return Path(given[1:]).read_text(encoding="utf-8-sig") if given.startswith("@") else given


def _keys(by: str, pattern: "Pattern") -> list[tuple[str, str]]:
    keys = []
    for key in by.split(","):
        name, _, feature = key.strip().partition(".")
        if name not in (*pattern.nodes, *pattern.edges) or not feature:
            known = ", ".join((*pattern.nodes, *pattern.edges))
            raise typer.BadParameter(
                f"{key.strip()!r} is not NAME.FEATURE with a name of the pattern ({known}).", param_hint="--by"
            )
        keys.append((name, feature))
    return keys


def _matches(
    pattern: "Pattern", inputs: "list[Input]", format: str | None, progress: SlowProgress
) -> "Iterator[Match]":
    from ramify.cli.parse_input import read_treebank

    for item in inputs:
        if item.path == "-" and sys.stdin.isatty() and len(inputs) == 1:
            raise typer.BadParameter("name a treebank, or pipe one into the command.", param_hint="IN")
        with read_treebank(item.path, format) as sentences:
            for sentence in progress.track(sentences):
                yield from pattern.matches(sentence)
