"""``ramify draw``: pictures of trees that a file has.

Annotations are evaluated here, because typer makes options of them.
"""

from collections.abc import Iterator
from typing import Annotated

from ramify.cli.options import TREEBANK_FORMATS, TreebankFormat, argument, value
from ramify.cli.pictures import (
    Alternatives,
    FormatName,
    Lemmas,
    Output,
    Probabilities,
    TagColumn,
    Width,
    check_drawing,
    choose_format,
    write_trees,
)
from ramify.cli.usage import one_of, split_list
from ramify.data import Sentence, read
from ramify.errors import InvalidInputError

__all__ = ["draw", "select"]


def draw(
    source: Annotated[str, argument("IN", "Treebank to draw. The default, -, is standard input.")] = "-",
    output: Output = "-",
    format: FormatName = None,
    sentences: Annotated[
        str | None,
        value("LIST", "Sentences to draw, by number, range or sent_id, as in 1,3-5,weblog-0007. The default is all."),
    ] = None,
    alternatives: Alternatives = None,
    probabilities: Probabilities = False,
    tags: TagColumn = None,
    lemmas: Lemmas = False,
    width: Width = None,
    source_format: TreebankFormat = None,
) -> None:
    """Draw the trees of a treebank as SVG, PNG, PDF, HTML, LaTeX, Graphviz or text.

    The suffix of the output file chooses the format; without a file the trees are printed as tables. Probabilities are
    read from column MISC, where ramify parse --marginals --top-heads 3 writes them.

    [bold]Examples[/bold]

    ramify draw parsed.conllu --sentences 1-3

    ramify draw parsed.conllu --sentences 7 --output tree.svg

    ramify parse model/ tagged.conllu --marginals --top-heads 3 | ramify draw --alternatives 0.1 -o trees.html
    """
    kind = choose_format(format, output, "table")
    options = {"alternatives": alternatives, "probabilities": probabilities}
    drawing = check_drawing(kind, options | {"tags": tags, "lemmas": lemmas, "width": width})
    if source_format is not None:
        one_of(source_format, TREEBANK_FORMATS, "--from")
    chosen = select(read(source, format=source_format, multiple_roots=True), sentences)
    write_trees(chosen, kind, output, drawing)


def select(sentences: Iterator[Sentence], wanted: str | None) -> Iterator[Sentence]:
    """Yield the sentences that are named by number, range of numbers or sent_id; an error if one is not there."""
    if wanted is None:
        yield from sentences
        return
    ranges: dict[str, tuple[int, int]] = {}
    names = set()
    for item in split_list(wanted):
        first, dash, last = item.partition("-")
        if first.isdecimal() and (last.isdecimal() or not dash):
            ranges[item] = (int(first), int(last or first))
        else:
            names.add(item)
    end = max((last for _, last in ranges.values()), default=0)
    missing = set(ranges) | names
    number = 0
    for number, sentence in enumerate(sentences, 1):
        found = {item for item, (first, last) in ranges.items() if first <= number <= last}
        found |= {sentence.sent_id or ""} & names
        if found:
            missing -= found
            yield sentence
        if number >= end and not missing & names:
            break
    if missing and number == 0:
        raise InvalidInputError("The input has no sentences. Name a file, or pipe text or a treebank into the command.")
    if missing:
        raise InvalidInputError(
            f"--sentences expects numbers (from 1), ranges or sent_ids of the input; {sorted(missing)[0]!r} is none."
        )
