"""``ramify tag``: sentences in, labels out.

Annotations are evaluated here, because typer makes options of them.
"""

from typing import TYPE_CHECKING, Annotated

from ramify.cli.options import Threads, argument, flag, format_value, value
from ramify.cli.pictures import Outputs, check_treebank_name
from ramify.cli.slow_progress import SlowProgress
from ramify.data import write, write_sequences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.tagging import Tagger

__all__ = ["tag"]


def tag(
    model: Annotated[str, argument("MODEL", "Tagger to use: a directory or a .zip file.")],
    sources: Annotated[
        list[str] | None,
        argument(
            "IN",
            "Treebanks to tag, or column files if the tagger was trained on them; folders of them.",
            show_default="-, standard input",
        ),
    ] = None,
    output: Outputs = "-",
    threads: Threads = 1,
    marginals: Annotated[
        bool, flag("Write the probability of every label, to column MISC or as one more column.", "--marginals")
    ] = False,
    k_best: Annotated[int, value("K", "Write the K best labellings of every sentence, best first.", min=1)] = 1,
    columns: Annotated[
        str | None,
        value(
            "NAMES", "Names of the columns of a column file, with commas between. By default they are as in training."
        ),
    ] = None,
    batch_size: Annotated[int, value("N", "Number of sentences that are tagged together.", min=1)] = 1024,
    source_format: Annotated[
        str | None,
        format_value(
            ("horizontal", "vertical", "conllu", "conllx"),
            "Input format: horizontal (words separated by blanks, one sentence per line), vertical (one word per "
            "line), conllu or conllx. By default ramify looks at the suffix and the content.",
            "--from",
            "--input-format",
        ),
    ] = None,
) -> None:
    """Label the words of sentences with a tagger.

    The tagger fills in one column and leaves everything else as it is; labels that the input has in this column are
    replaced. Sentences are read, tagged and written one batch after the other, so memory does not grow with the input.

    [bold]Examples[/bold]

    ramify tag upos.zip plain.conllu > tagged.conllu

    ramify tag upos.zip words.txt --from horizontal --output tagged.conllu

    ramify tag chunk.zip words-and-tags.txt --marginals

    ramify tag upos.zip plain.conllu | ramify tag lemma.zip | ramify parse model.zip > parsed.conllu
    """
    from ramify.cli.inputs import find_inputs, input_format, is_folder, plan_outputs
    from ramify.cli.tag_output import annotated, read_inputs
    from ramify.tagging import Tagger

    input_format(source_format, "")  # a wrong name is an error before a model is read
    inputs = find_inputs(sources or ["-"])
    tagger = Tagger.load(model)
    if not tagger.config.data.columns and not is_folder(output):
        check_treebank_name(output, "--output", "Use another name.")
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
