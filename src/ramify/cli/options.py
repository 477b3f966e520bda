"""Options that several commands have, with one text each."""

from __future__ import annotations

from typing import Annotated

import typer

from ramify.cli.usage import completing

__all__ = ["TREEBANK_FORMATS", "Projective", "Threads", "TreebankFormat"]

TREEBANK_FORMATS = ("conllu", "conllx")
_FORMAT_HELP = "Input format: conllu or conllx. By default ramify looks at the suffix and the content."

Threads = Annotated[int, typer.Option(min=0, metavar="N", help="Number of threads; 0 uses every core of the machine.")]
Projective = Annotated[bool, typer.Option("--projective", help="Search among projective trees only.")]
TreebankFormat = Annotated[
    str | None,
    typer.Option("--from", metavar="FORMAT", autocompletion=completing(lambda: TREEBANK_FORMATS), help=_FORMAT_HELP),
]
