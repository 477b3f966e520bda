"""``ramify tag``: sentences in, labels out.

Annotations are evaluated here, because typer makes options of them.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from ramify.cli.pictures import Output, check_treebank_name
from ramify.cli.slow_progress import SlowProgress
from ramify.data import write, write_sequences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.tagging import Tagger

__all__ = ["tag"]


def tag(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Tagger to use: a directory or a .zip file.")],
    source: Annotated[
        str, typer.Argument(metavar="IN", help="Treebank to tag; a column file if the tagger was trained on one.")
    ] = "-",
    output: Output = "-",
    threads: Annotated[
        int, typer.Option(min=0, metavar="N", help="Number of threads; 0 uses every core of the machine.")
    ] = 1,
    marginals: Annotated[
        bool,
        typer.Option("--marginals", help="Write the probability of every label, to column MISC or as one more column."),
    ] = False,
    k_best: Annotated[
        int, typer.Option(min=1, metavar="K", help="Write the K best labellings of every sentence, best first.")
    ] = 1,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Names of the columns of a column file, with commas between. By default they are as in training.",
        ),
    ] = None,
    batch_size: Annotated[
        int, typer.Option(min=1, metavar="N", help="Number of sentences that are tagged together.")
    ] = 1024,
) -> None:
    """Label the words of sentences with a tagger.

    The tagger fills in one column and leaves everything else as it is; labels that the input has in this column are
    replaced. Sentences are read, tagged and written one batch after the other, so memory does not grow with the input.

    [bold]Examples[/bold]

    ramify tag upos.zip plain.conllu > tagged.conllu

    ramify tag chunk.zip words-and-tags.txt --marginals

    ramify tag upos.zip plain.conllu | ramify tag lemma.zip | ramify parse model.zip > parsed.conllu
    """
    from ramify.cli.tag_output import annotated, read_input
    from ramify.tagging import Tagger

    tagger = Tagger.load(model)
    if not tagger.config.data.columns:
        check_treebank_name(output, "--output", "Use another name.")
    sentences = read_input(tagger, source, columns)
    results = tagger.pipe(sentences, marginals=marginals, k=k_best, threads=threads, batch_size=batch_size)
    with SlowProgress("Tagging") as progress:
        tagged = annotated(progress.track(results), tagger, marginals=marginals, k_best=k_best)
        _write(tagger, tagged, output)


def _write(tagger: "Tagger", tagged: "Iterator[object]", output: str) -> None:
    if tagger.config.data.columns:
        write_sequences(tagged, output)  # type: ignore[arg-type]
    else:
        write(tagged, output)  # type: ignore[arg-type]
