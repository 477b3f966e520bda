"""``ramify compress``: sentences in, shorter sentences out.

Annotations are evaluated here, because typer makes options of them.
"""

import contextlib
import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ramify.cli.options import Threads, argument, format_value
from ramify.cli.slow_progress import SlowProgress
from ramify.cli.usage import UsageError, one_of
from ramify.data.files import open_for_writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ramify.compression import Compression
    from ramify.data import Sentence

__all__ = ["compress"]

_FORMATS = ("text", "json", "conllu")


def compress(
    model: Annotated[str, argument("MODEL", "Compressor to use: a directory or a .zip file.")],
    sources: Annotated[
        list[str] | None,
        argument(
            "IN",
            "Text files, which are parsed first, or treebanks, whose trees are used, or folders of such files.",
            show_default="-, standard input",
        ),
    ] = None,
    rate: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Largest share of the words of each sentence that stays; not much less stays. By default the model "
            "decides how many words stay.",
        ),
    ] = None,
    words: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Maximum number of words of a compressed sentence; they are counted at spaces."
        ),
    ] = None,
    pipeline: Annotated[str, typer.Option(metavar="MODEL", help="Pipeline that parses texts.")] = "en",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="File to write; - is standard output.")
    ] = "-",
    format: Annotated[
        str,
        format_value(
            _FORMATS,
            "Output format: text (a sentence on each line), json (a line for each sentence, with the words that "
            "stay) or conllu (the sentences, with Cut=Yes in MISC where a word is cut).",
        ),
    ] = "text",
    threads: Threads = 1,
) -> None:
    """Shorten sentences by cutting subtrees of their dependency trees.

    A compressor is trained from pairs of sentences and compressions: ramify train --task compress.

    [bold]Examples[/bold]

    ramify compress compressor.zip news.txt

    ramify compress compressor.zip parsed.conllu --rate 0.5 --format json
    """
    from ramify.cli.inputs import find_inputs
    from ramify.compression import Compressor

    one_of(format, _FORMATS, "--format")
    if rate is not None and not 0 < rate <= 1:
        raise UsageError(f"--rate expects a number above 0 and at most 1; got {rate:g}.")
    inputs = find_inputs(sources or ["-"])
    compressor = Compressor.load(model)
    with SlowProgress("Compressing") as progress, open_for_writing(output) as file, contextlib.ExitStack() as stack:
        for item in inputs:
            for sentence in progress.track(_parsed(item.path, pipeline, threads, stack)):
                (compression,) = compressor.compress([sentence], rate=rate, max_words=words)
                file.write(_line(compression, format).encode())


def _parsed(path: str, pipeline: str, threads: int, stack: contextlib.ExitStack) -> "Iterator[Sentence]":
    from ramify.cli.parse_input import Source, load_model
    from ramify.data import read

    source = Source(path, None, stack)
    if source.format in ("conllu", "conllx", None):
        return iter(read(source.file, format=source.format, multiple_roots=True))
    model: Any = load_model(pipeline)
    sentences: Iterable[Sentence] = model.segmenter.stream(source.file, lines=source.format == "lines")
    return (result.sentence for result in model.annotate(sentences, threads=threads))


def _line(compression: "Compression", format: str) -> str:
    if format == "conllu":
        from ramify.compression import with_cuts

        kept = compression.kept.copy()
        for piece in compression.pieces:
            kept[piece.word] = True
        return with_cuts(compression.sentence, kept).to_conllu()
    if format == "json":
        return json.dumps(compression.to_dict(), ensure_ascii=False) + "\n"
    return compression.text + "\n"
