"""``ramify tag``: sentences in, labels out.

Annotations are evaluated here, because typer makes options of them.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from ramify.cli.slow_progress import SlowProgress
from ramify.data import write, write_sequences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.tagging import Tagger

__all__ = ["tag"]


def tag(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Tagger: a directory, or a .zip.")],
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="IN",
            help="Treebanks, or column files if the model was trained on one; folders of them; - is standard input.",
            show_default="-",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="File to write, or a folder (DIR/) for one file per input; - is standard output.",
        ),
    ] = "-",
    threads: Annotated[int, typer.Option(min=0, help="How many; 0 is all there are.")] = 1,
    marginals: Annotated[
        bool,
        typer.Option("--marginals", help="Write the probability of every label: into MISC, or as one more column."),
    ] = False,
    k_best: Annotated[
        int, typer.Option(min=1, metavar="K", help="Write the K best labellings of every sentence, best first.")
    ] = 1,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Columns of a column file, with commas between; as in training if not given."
        ),
    ] = None,
    batch_size: Annotated[int, typer.Option(min=1, help="Sentences tagged at a time.")] = 1024,
    source_format: Annotated[
        str | None,
        typer.Option(
            "--from",
            "--input-format",
            metavar="FORMAT",
            help="horizontal (words separated by blanks, one sentence per line), vertical (one word per line), conllu "
            "or conllx; chosen by suffix and content if not given.",
        ),
    ] = None,
) -> None:
    """Label the words of sentences: fill in the column that the model is for, leave all else as it is.

    Sentences are read, tagged and written as they come, in their order; memory does not grow with the input. Labels
    that the input has in this column are replaced.

    [bold]Examples[/bold]

    ramify tag upos.zip plain.conllu > tagged.conllu

    ramify tag upos.zip words.txt --from horizontal --output tagged.conllu

    ramify tag chunk.zip words-and-tags.txt --marginals

    ramify tag upos.zip plain.conllu | ramify tag lemma.zip | ramify parse model.zip > parsed.conllu
    """
    from ramify.cli.inputs import find_inputs, input_format, plan_outputs
    from ramify.cli.tag_output import annotated, read_inputs
    from ramify.tagging import Tagger

    input_format(source_format, "")  # a wrong name is an error before a model is read
    inputs = find_inputs(sources or ["-"])
    tagger = Tagger.load(model)
    with SlowProgress("Tagging") as progress:
        for group, target in plan_outputs(inputs, output, "txt" if tagger.config.data.columns else "conllu"):
            sentences = read_inputs(tagger, group, columns, source_format)
            results = tagger.pipe(sentences, marginals=marginals, k=k_best, threads=threads, batch_size=batch_size)
            tagged = annotated(progress.track(results), tagger, marginals=marginals, k_best=k_best)
            _write(tagger, tagged, target)


def _write(tagger: "Tagger", tagged: "Iterator[object]", output: str) -> None:
    if tagger.config.data.columns:
        write_sequences(tagged, output)  # type: ignore[arg-type]
    else:
        write(tagged, output)  # type: ignore[arg-type]
