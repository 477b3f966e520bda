"""``ramify convert``: from one treebank format to another."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Annotated

from ramify.cli.console import message
from ramify.cli.options import TREEBANK_FORMATS, TreebankFormat, argument, flag, format_value
from ramify.cli.pictures import check_treebank_name
from ramify.cli.slow_progress import SlowProgress
from ramify.cli.usage import one_of
from ramify.data import Sentence, read, write
from ramify.data.treebanks import format_of_suffix

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["convert"]


def convert(
    source: Annotated[str, argument("IN", "Treebank to read; - is standard input.")],
    target: Annotated[str, argument("OUT", "File to write. The default, -, is standard output.")] = "-",
    source_format: TreebankFormat = None,
    target_format: Annotated[
        str | None,
        format_value(
            TREEBANK_FORMATS,
            "Output format: conllu or conllx. By default the suffix of OUT chooses it, else it stays as it is.",
            "--to",
        ),
    ] = None,
    lenient: Annotated[bool, flag("Repair or skip malformed sentences, and report each.", "--lenient")] = False,
    multiple_roots: Annotated[
        bool | None, flag("Allow several roots in a sentence, or refuse them. By default CoNLL-X may have them.")
    ] = None,
) -> None:
    """Convert a treebank between CoNLL-U and CoNLL-X, compressed or not (.gz, .xz, .zst).

    What both formats have is written back byte for byte. What the output format cannot hold is left out, and counted on
    standard error.

    [bold]Examples[/bold]

    ramify convert treebank.conll treebank.conllu

    ramify convert treebank.conllu.gz - --to conllx | head

    ramify convert broken.conllu mended.conllu --lenient
    """
    for option, chosen in (("--from", source_format), ("--to", target_format)):
        if chosen is not None:
            one_of(chosen, TREEBANK_FORMATS, option)
    if target_format is None:
        check_treebank_name(target, "OUT", "Use another name, or say the format with --to.")
    lost: collections.Counter[str] = collections.Counter()
    sentences = read(
        source,
        format=source_format,
        strict=not lenient,
        multiple_roots=multiple_roots,
        on_problem=lambda problem: message(str(problem), style="yellow"),
    )
    known = target_format or format_of_suffix(target)
    with SlowProgress(f"Converting {source}") as progress:
        sentences = _counting_losses(progress.track(sentences), known, lost)
        count = write(sentences, target, format=target_format)
    if lost:
        losses = ", ".join(f"{number:,} {what}" for what, number in lost.items())
        message(f"{count:,} sentences; left out, because the format does not have them: {losses}")


def _counting_losses(
    sentences: Iterator[Sentence], target_format: str | None, lost: collections.Counter[str]
) -> Iterator[Sentence]:
    for sentence in sentences:
        if target_format is not None and sentence.format != target_format:
            for what, number in _losses(sentence).items():
                lost[what] += number
        yield sentence


def _losses(sentence: Sentence) -> dict[str, int]:
    deps, misc = (sum(value != "_" for value in column) for column in (sentence.deps, sentence.misc))
    if sentence.format == "conllx":
        found = {"values of PHEAD": deps, "values of PDEPREL": misc}
    else:
        found = {
            "comments": len(sentence.comments),
            "multiword tokens": len(sentence.multiword_tokens),
            "empty nodes": len(sentence.empty_nodes),
            "values of DEPS": deps,
            "values of MISC": misc,
        }
    return {what: number for what, number in found.items() if number}
