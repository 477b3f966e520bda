"""``ramify draw``: pictures of trees that a file has.

Annotations are evaluated here, because typer makes options of them.
"""

from collections.abc import Iterator
from typing import Annotated

import typer

from ramify.cli.pictures import Alternatives, Lemmas, Probabilities, TagColumn, Width, write_pictures
from ramify.data import Sentence, read
from ramify.data.files import suffix_of
from ramify.errors import InvalidInputError

__all__ = ["draw", "select"]

_BY_SUFFIX = {".svg": "svg", ".html": "html", ".htm": "html", ".tex": "tikz", ".dot": "dot", ".gv": "dot"}
_BY_SUFFIX |= {".json": "json", ".txt": "table", ".conllu": "conllu"}


def draw(
    source: Annotated[str, typer.Argument(metavar="IN", help="Treebank; - is standard input.")] = "-",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="File to write; - is standard output.")
    ] = "-",
    format: Annotated[
        str | None,
        typer.Option(
            metavar="WHICH",
            help="svg, html, tikz, dot, table, json, displacy or conllu; told by OUT if not given, else table.",
        ),
    ] = None,
    sentences: Annotated[
        str | None,
        typer.Option(metavar="WHICH", help="Numbers, ranges or sent_ids: 1,3-5,weblog-0007. All if not given."),
    ] = None,
    alternatives: Alternatives = None,
    probabilities: Probabilities = False,
    tags: TagColumn = "upos",
    lemmas: Lemmas = False,
    width: Width = 1000.0,
    source_format: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help="conllu or conllx; told by suffix and content if not given."),
    ] = None,
) -> None:
    """Draw the trees of a treebank: arcs above the words, as SVG, HTML, LaTeX, Graphviz or text.

    Probabilities are those that ramify parse --marginals --top-heads 3 left in column MISC.

    [bold]Examples[/bold]

    ramify draw parsed.conllu --sentences 1-3

    ramify draw parsed.conllu --sentences 7 --output tree.svg

    ramify parse model/ tagged.conllu --marginals --top-heads 3 | ramify draw --alternatives 0.1 -o trees.html
    """
    kind = format or _BY_SUFFIX.get(suffix_of(output), "table")
    chosen = select(read(source, format=source_format, multiple_roots=True), sentences)
    write_pictures(
        chosen, kind, output, width, alternatives=alternatives, probabilities=probabilities, tags=tags, lemmas=lemmas
    )


def select(sentences: Iterator[Sentence], wanted: str | None) -> Iterator[Sentence]:
    """Yield the sentences that are named by number, range of numbers or sent_id; an error if one is not there."""
    if wanted is None:
        yield from sentences
        return
    ranges: dict[str, tuple[int, int]] = {}
    names = set()
    for item in filter(None, (item.strip() for item in wanted.split(","))):
        first, dash, last = item.partition("-")
        if first.isdecimal() and (last.isdecimal() or not dash):
            ranges[item] = (int(first), int(last or first))
        else:
            names.add(item)
    end = max((last for _, last in ranges.values()), default=0)
    missing = set(ranges) | names
    for number, sentence in enumerate(sentences, 1):
        found = {item for item, (first, last) in ranges.items() if first <= number <= last}
        found |= {sentence.sent_id or ""} & names
        if found:
            missing -= found
            yield sentence
        if number >= end and not missing & names:
            break
    if missing:
        raise InvalidInputError(
            f"--sentences expects numbers (from 1), ranges or sent_ids of the input; {sorted(missing)[0]!r} is none."
        )
