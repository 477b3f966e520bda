"""``ramify summarize``: documents in, a summary of a given length out.

Annotations are evaluated here, because typer makes options of them.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ramify.cli.options import Threads, format_value
from ramify.cli.slow_progress import SlowProgress
from ramify.cli.usage import UsageError, one_of
from ramify.data.files import open_for_writing, suffix_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ramify.data.documents import Document
    from ramify.summarization import Summary

__all__ = ["summarize"]

_FORMATS = ("text", "html", "json", "table")
_JSON_LINES = (".jsonl", ".ndjson")


def summarize(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="IN",
            help="Text files, folders of them, or JSON lines, where each line is a text or a cluster of documents; - "
            "is standard input.",
            show_default="-, standard input",
        ),
    ] = None,
    words: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Maximum number of words, counted at spaces.", show_default="100"),
    ] = None,
    sentences: Annotated[int | None, typer.Option(min=1, metavar="N", help="Maximum number of sentences.")] = None,
    ratio: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Maximum number of words as a share of those of the input.")
    ] = None,
    characters: Annotated[int | None, typer.Option(min=1, metavar="N", help="Maximum number of characters.")] = None,
    compress: Annotated[
        bool, typer.Option("--compress/--no-compress", help="Shorten sentences, or take them whole.")
    ] = True,
    query: Annotated[str, typer.Option(metavar="TEXT", help="Topic that the summary should be about.")] = "",
    headline: Annotated[
        bool, typer.Option("--headline", help="Treat the first line of every document as its headline.")
    ] = False,
    each: Annotated[
        bool, typer.Option("--each", help="Make a summary of each file, instead of one of all files.")
    ] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show the concepts that each sentence adds, and what each cut saves and costs."),
    ] = False,
    format: Annotated[
        str,
        format_value(
            _FORMATS,
            "Output format: text, html (a page with deleted words struck through), json (a line for each summary) or "
            "table (the sentences with their positions).",
        ),
    ] = "text",
    model: Annotated[str, typer.Option(metavar="MODEL", help="Summarizer to use.")] = "en",
    pipeline: Annotated[str, typer.Option(metavar="MODEL", help="Pipeline that parses the texts.")] = "en",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="File to write; - is standard output.")
    ] = "-",
    threads: Threads = 1,
) -> None:
    """Summarize documents: choose sentences, and delete their less important parts.

    Several files are summarized together, unless [bold]--each[/bold] is given; each line of a .jsonl file gets its own
    summary.

    [bold]Examples[/bold]

    ramify summarize report.txt --words 50

    ramify summarize news/ --query "election results" --format html -o summary.html
    """
    from ramify.cli.inputs import find_inputs
    from ramify.cli.parse_input import load_model
    from ramify.cli.summary_output import write_summary
    from ramify.summarization import Summarizer

    one_of(format, _FORMATS, "--format")
    if ratio is not None and not 0 < ratio <= 1:
        raise UsageError(f"--ratio expects a number above 0 and at most 1; got {ratio:g}.")
    if sum(value is not None for value in (words, ratio, characters)) > 1:
        raise UsageError("--words, --ratio and --characters exclude each other; give one of them.")
    paths = [item.path for item in find_inputs(sources or ["-"])]
    summarizer = Summarizer.load(model)
    nlp: Any = load_model(pipeline)
    options = {
        "words": words, "sentences": sentences, "ratio": ratio, "characters": characters, "compress": compress,
        "query": query, "headline": headline, "pipeline": nlp, "threads": threads,
    }  # fmt: skip
    with SlowProgress("Summarizing") as progress, open_for_writing(output) as file:
        for number, (name, documents) in enumerate(progress.track(_clusters(paths, each))):
            summary = summarizer.summarize(documents, **options)
            _say(summary, name)
            file.write(write_summary(summary, name, format, explain=explain, number=number).encode())


def _say(summary: "Summary", name: str) -> None:
    from ramify.printable import printable

    for note in summary.notes:
        print(printable(f"ramify summarize: {name}: {note}" if name else f"ramify summarize: {note}"), file=sys.stderr)


def _clusters(paths: "Sequence[str]", each: bool) -> "Iterator[tuple[str, Sequence[Document]]]":
    """Yield what is summarized together, with its name."""
    from ramify.data.documents import Document, read_documents
    from ramify.summarization import read_clusters

    together: list[Document] = []
    for path in paths:
        if suffix_of(path) in _JSON_LINES:
            for cluster in read_clusters(path):
                yield cluster.id, cluster.documents
            continue
        name = "standard input" if path == "-" else Path(path).name
        documents = [Document(document.text, name, document.metadata) for document in read_documents(path)]
        if each:
            yield name, documents
        else:
            together += documents
    if together:
        yield ", ".join(document.id for document in together), together
