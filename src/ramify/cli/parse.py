"""``ramify parse``: tagged sentences in, trees out.

Annotations are evaluated here, because typer makes options of them.
"""

import itertools
from typing import TYPE_CHECKING, Annotated

import typer

from ramify.cli.console import message
from ramify.cli.slow_progress import SlowProgress
from ramify.data import Sentence, read, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ramify.parsing import ParseResult

__all__ = ["parse"]

_LOOKED_AT = 20  # sentences, to see whether there are tags


def parse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model: a directory, or a .zip.")],
    source: Annotated[str, typer.Argument(metavar="IN", help="Tagged sentences; - is standard input.")] = "-",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="File to write; - is standard output.")
    ] = "-",
    threads: Annotated[int, typer.Option(min=0, help="How many; 0 is all there are.")] = 1,
    batch_size: Annotated[int, typer.Option(min=1, help="Sentences parsed at a time.")] = 256,
    source_format: Annotated[
        str | None,
        typer.Option("--from", metavar="FORMAT", help="conllu or conllx; told by suffix and content if not given."),
    ] = None,
) -> None:
    """Parse tagged sentences: fill in heads and labels, leave all else as it is.

    Sentences are read, parsed and written as they come, in their order; memory does not grow with the input. Heads and
    labels that the input has are replaced.

    [bold]Examples[/bold]

    ramify parse model/ tagged.conllu > parsed.conllu

    ramify parse model.zip tagged.conllu.gz --output parsed.conllu.gz --threads 4

    tagger < text | ramify parse model/ | ramify evaluate gold.conllu -
    """
    from ramify.parsing import Parser

    parser = Parser.load(model)
    # Heads of the input are replaced, so several roots in it do no harm.
    sentences = read(source, format=source_format, multiple_roots=True)
    with SlowProgress("Parsing") as progress:
        results = parser.pipe(sentences, batch_size=batch_size, threads=threads, copy=False)
        first = [result.sentence for result in itertools.islice(results, _LOOKED_AT)]
        if first and not any(_has_tags(sentence) for sentence in first):
            message("warning: the input has no tags in column UPOS, which the parser relies on", style="yellow")
        write(progress.track(_chained(first, results)), output)


def _has_tags(sentence: Sentence) -> bool:
    return any(tag != "_" for tag in sentence.upos)


def _chained(first: list[Sentence], results: "Iterable[ParseResult]") -> "Iterator[Sentence]":
    yield from first
    for result in results:
        yield result.sentence
