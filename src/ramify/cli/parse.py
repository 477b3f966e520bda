"""``ramify parse``: text or tagged sentences in, trees out.

Annotations are evaluated here, because typer makes options of them.
"""

import contextlib
import itertools
from typing import TYPE_CHECKING, Annotated

import typer

from ramify.cli.console import message
from ramify.cli.pictures import Alternatives, Probabilities, Width, write_pictures
from ramify.cli.slow_progress import SlowProgress
from ramify.data import Sentence, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.parsing import Constraint, ConstraintFile, Parser, ParseResult

__all__ = ["parse"]

_LOOKED_AT = 20  # sentences, to see whether there are tags


def parse(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL] IN",
            help="A pipeline or a parser (a directory, a .zip, or the name of a built-in model), then files or folders "
            "to parse; - is standard input. If the first argument is no model, it is an input.",
            show_default="the built-in English model and standard input",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Model to use; all arguments are then inputs."),
    ] = None,
    text: Annotated[str | None, typer.Option(metavar="TEXT", help="Parse this text instead of a file.")] = None,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="File to write, or a folder (DIR/) for one file per input; - is standard output.",
        ),
    ] = "-",
    format: Annotated[
        str,
        typer.Option(metavar="WHICH", help="conllu, or a drawing: svg, html, tikz, dot, table, json or displacy."),
    ] = "conllu",
    threads: Annotated[int, typer.Option(min=0, help="How many; 0 is all there are.")] = 1,
    marginals: Annotated[
        bool, typer.Option("--marginals", help="Write the probability of every arc into MISC, as ArcProb=.")
    ] = False,
    top_heads: Annotated[
        int, typer.Option(min=0, help="With --marginals: so many heads a word with their probabilities, as HeadProbs=.")
    ] = 0,
    k_best: Annotated[
        int, typer.Option(min=1, metavar="K", help="Write the K best trees of every sentence, best first.")
    ] = 1,
    constraints: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="What is known of the trees; lines of sentence, word, constraint."),
    ] = None,
    misc_constraints: Annotated[
        bool,
        typer.Option("--misc-constraints", help="Obey Head=, NotHead=, Deprel= and Root=Yes in MISC of the input."),
    ] = False,
    projective: Annotated[bool, typer.Option("--projective", help="Projective trees only.")] = False,
    decoder: Annotated[
        str, typer.Option(metavar="WHICH", help="map: the best tree; mbr: the most right heads to be expected.")
    ] = "map",
    time_limit: Annotated[float | None, typer.Option(metavar="SECONDS", help="Most time a sentence may take.")] = None,
    max_words: Annotated[int, typer.Option(min=0, help="Longer sentences get no tree; 0 is no limit.")] = 2000,
    alternatives: Alternatives = None,
    probabilities: Probabilities = False,
    width: Width = 1000.0,
    batch_size: Annotated[int, typer.Option(min=1, help="Sentences parsed at a time.")] = 256,
    source_format: Annotated[
        str | None,
        typer.Option(
            "--from",
            "--input-format",
            metavar="FORMAT",
            help="text, lines (one sentence per line), horizontal (words separated by blanks, one sentence per line), "
            "vertical (one word per line), conllu or conllx; chosen by suffix and content if not given.",
        ),
    ] = None,
) -> None:
    """Parse text with a pipeline, or tagged sentences with a parser.

    A pipeline cuts text into sentences and words, tags them and parses them; of CoNLL-U it keeps sentences and words,
    and fills in the other columns. Without MODEL it is the English one that comes with ramify. A parser fills in heads
    and labels, and leaves all else as it is.

    Several inputs are written one after the other, each marked by a comment (# newdoc id = NAME), or into one file each
    with --output DIR/. A folder stands for all files in it whose suffix is known (.txt, .conllu, .vert, ...).

    Input is read, parsed and written as it comes, in its order; memory does not grow with it. A sentence that cannot be
    parsed is written without heads and reported; the exit status is then 1.

    [bold]Examples[/bold]

    ramify parse --text "I saw the man with the telescope." --format table

    ramify parse book.txt > parsed.conllu

    ramify parse chapter1.txt chapter2.txt --output parsed/

    ramify parse words.txt --from horizontal

    ramify parse pipeline/ - --format html < text > trees.html

    ramify parse model/ tagged.conllu > parsed.conllu

    ramify parse model.zip tagged.conllu.gz --output parsed.conllu.gz --threads 4

    ramify parse model/ tagged.conllu --marginals --top-heads 3

    ramify parse model/ half-annotated.conllu --misc-constraints

    ramify parse model/ tagged.conllu --format svg --alternatives 0.1 --output trees.svg

    tagger < text | ramify parse model/ | ramify evaluate gold.conllu -
    """
    from ramify.cli.inputs import find_inputs, input_format, plan_outputs
    from ramify.cli.parse_input import load_model, read_inputs, split_arguments
    from ramify.parsing import Parser, read_constraints

    input_format(source_format, "")  # a wrong name is an error before a model is read
    model_name, names = split_arguments(arguments or [], model, text)
    inputs = find_inputs(names)
    loaded = load_model(model_name)
    parser = loaded if isinstance(loaded, Parser) else loaded.parser
    report = _Report(top_heads if marginals and format == "conllu" else -1)
    for group, target in plan_outputs(inputs, output, format):
        file = None if constraints is None else read_constraints(constraints)
        with contextlib.ExitStack() as stack:
            sentences = read_inputs(loaded, group, text, source_format, stack)
            known = None
            if file is not None or misc_constraints:
                sentences, again = itertools.tee(sentences)
                known = _constraints(parser, again, file, misc_constraints)
            run = loaded.pipe if isinstance(loaded, Parser) else loaded.annotate
            results = run(
                sentences,
                constraints=known,
                marginals=marginals or probabilities or alternatives is not None,
                k=k_best,
                decoder=decoder,
                projective=projective,
                time_limit=time_limit,
                max_words=max_words,
                threads=threads,
                batch_size=batch_size,
                # The constraints of a batch are read before its heads are replaced, but MISC is not ours.
                copy=known is not None,
            )
            checked = _with_warning(results) if isinstance(loaded, Parser) else results
            _write(report, checked, format, target, k_best, width, alternatives, probabilities)
    if report.failed:
        message(f"ramify: {report.failed:,} of {report.number:,} sentences have no tree", style="red")
        raise typer.Exit(1)


def _write(
    report: "_Report",
    results: "Iterator[ParseResult]",
    format: str,
    output: str,
    k_best: int,
    width: float,
    alternatives: float | None,
    probabilities: bool,
) -> None:
    from ramify.cli.parse_output import expand_k_best

    with SlowProgress("Parsing") as progress:
        passed = report.passed(progress.track(results))
        if format == "conllu":
            write(expand_k_best(passed) if k_best > 1 else (result.sentence for result in passed), output)
        else:
            shown = expand_k_best(passed) if k_best > 1 else passed
            write_pictures(shown, format, output, width, alternatives=alternatives, probabilities=probabilities)


def _constraints(
    parser: "Parser", sentences: "Iterator[Sentence]", file: "ConstraintFile | None", misc: bool
) -> "Iterator[list[Constraint]]":
    from ramify.parsing import constraints_of_misc

    for number, sentence in enumerate(sentences, 1):
        found = [] if file is None else file.of(sentence, number, parser.labels)
        yield found + (constraints_of_misc(sentence) if misc else [])
    if file is not None and file.unused():
        names = ", ".join(map(str, file.unused()[:5]))
        message(
            f"warning: {file.name} has constraints for sentences that are not in the input: {names}", style="yellow"
        )


def _with_warning(results: "Iterator[ParseResult]") -> "Iterator[ParseResult]":
    first = list(itertools.islice(results, _LOOKED_AT))
    if first and not any(tag != "_" for result in first for tag in result.sentence.upos):
        message("warning: the input has no tags in column UPOS, which the parser relies on", style="yellow")
    yield from first
    yield from results


class _Report:
    """Passes results on, adds probabilities to them and says which ones failed."""

    def __init__(self, top_heads: int) -> None:
        self.number = 0
        self.failed = 0
        self._top_heads = top_heads  # -1: no probabilities

    def passed(self, results: "Iterator[ParseResult]") -> "Iterator[ParseResult]":
        from ramify.cli.parse_output import describe_failure, write_probabilities

        for result in results:
            self.number += 1
            if not result.found:
                self.failed += 1
                message(describe_failure(result, self.number), style="yellow")
            elif self._top_heads >= 0:
                write_probabilities(result, self._top_heads)
            yield result
