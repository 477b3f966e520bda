"""``ramify parse``: text or tagged sentences in, trees out.

Annotations are evaluated here, because typer makes options of them.
"""

import contextlib
import itertools
from typing import TYPE_CHECKING, Annotated

import typer

from ramify.cli.console import message
from ramify.cli.inputs import FORMATS as INPUT_FORMATS
from ramify.cli.inputs import is_folder
from ramify.cli.options import Projective, Threads, argument, flag, format_value, value
from ramify.cli.pictures import (
    Alternatives,
    FormatName,
    Outputs,
    Probabilities,
    Width,
    check_drawing,
    choose_format,
    write_trees,
)
from ramify.cli.slow_progress import SlowProgress
from ramify.cli.usage import UsageError, checking_options, completing
from ramify.data.treebanks import format_of_suffix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.data import Sentence
    from ramify.parsing import Constraint, ConstraintFile, Parser, ParseResult
    from ramify.parsing.request import StreamOptions

__all__ = ["parse"]

_LOOKED_AT = 20  # sentences, to see whether there are tags
_DECODERS = ("map", "mbr")


def parse(
    arguments: Annotated[
        list[str] | None,
        argument(
            "MODEL|IN",
            "A pipeline or a parser (a directory, a .zip, or the name of a built-in model), then files or folders "
            "to parse; - is standard input. If the first argument is no model, it is an input.",
            show_default="the built-in English model and standard input",
        ),
    ] = None,
    model: Annotated[
        str | None, value("MODEL", "Model to use; all arguments are then inputs.", "--model", "-m")
    ] = None,
    text: Annotated[str | None, value("TEXT", "Parse this text instead of a file.")] = None,
    output: Outputs = "-",
    format: FormatName = None,
    as_json: Annotated[bool, flag("Write JSON; the same as --format json.", "--json")] = False,
    threads: Threads = 1,
    marginals: Annotated[
        bool, flag("Write the probability of every arc; in CoNLL-U to column MISC, as ArcProb=.", "--marginals")
    ] = False,
    top_heads: Annotated[
        int, value("N", "Number of most probable heads to write for each word, to column MISC as HeadProbs=.", min=0)
    ] = 0,
    k_best: Annotated[
        int,
        value(
            "K",
            "Write the K best trees of every sentence, best first, each with its rank, score and probability.",
            min=1,
        ),
    ] = 1,
    constraints: Annotated[
        str | None,
        value(
            "FILE",
            "File of constraints that the trees must satisfy. Each line has a sentence, a word and a constraint.",
        ),
    ] = None,
    misc_constraints: Annotated[
        bool,
        flag(
            "Obey the constraints Head=, NotHead=, Deprel= and Root=Yes in column MISC of the input.",
            "--misc-constraints",
        ),
    ] = False,
    projective: Projective = False,
    decoder: Annotated[
        str,
        value(
            "DECODER",
            "Tree to choose: map is the tree with the best score, mbr the one with the most heads that are "
            "expected to be right.",
            autocompletion=completing(lambda: _DECODERS),
        ),
    ] = "map",
    time_limit: Annotated[float | None, value("SECONDS", "Maximum time to spend on one sentence.")] = None,
    max_words: Annotated[
        int, value("N", "Do not parse sentences that are longer than this; 0 is no limit.", min=0)
    ] = 2000,
    alternatives: Alternatives = None,
    probabilities: Probabilities = False,
    width: Width = None,
    batch_size: Annotated[int, value("N", "Number of sentences that are parsed together.", min=1)] = 256,
    source_format: Annotated[
        str | None,
        format_value(
            INPUT_FORMATS,
            "Input format: text, lines (one sentence per line), horizontal (words separated by blanks, one "
            "sentence per line), vertical (one word per line), conllu or conllx. By default ramify looks at the suffix "
            "and the content.",
            "--from",
            "--input-format",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        value(
            "CLUSTER",
            "Parse a corpus in shards with Ray: on ray://HOST:PORT, on the cluster of this machine (auto), or with N "
            "workers on this machine (local:N); processes:N needs no Ray. Also reads .jsonl and .parquet. The same "
            "command continues a job that was interrupted.",
        ),
    ] = None,
    shard_size: Annotated[float, value("MB", "Size of a shard (with --cluster).", min=0.000001)] = 8.0,
) -> None:
    """Parse text with a pipeline, or tagged sentences with a parser.

    A pipeline splits text into sentences and words, tags them and parses them. In CoNLL-U input it keeps the sentences
    and words, and fills in the other columns. Without MODEL, the English pipeline that comes with ramify is used. A
    parser fills in heads and labels, and leaves everything else as it is.

    Several inputs are written one after the other, each marked by a comment (# newdoc id = NAME), or into one file each
    with --output DIR/. A folder stands for all files in it whose suffix is known (.txt, .conllu, .vert, ...).

    Sentences are read, parsed and written one batch after the other, so memory does not grow with the input. A sentence
    that cannot be parsed is written without heads and reported; the exit status is then 1.

    [bold]Examples[/bold]

    ramify parse --text "I saw the man with the telescope." --format table

    ramify parse book.txt > parsed.conllu

    ramify parse chapter1.txt chapter2.txt --output parsed/

    ramify parse words.txt --from horizontal

    ramify parse book.txt --output trees.html

    ramify parse book.txt --json | jq .sentences[0].words[0].form

    ramify parse pipeline/ - --format html < text > trees.html

    ramify parse model/ tagged.conllu > parsed.conllu

    ramify parse model.zip tagged.conllu.gz --output parsed.conllu.gz --threads 4

    ramify parse model/ tagged.conllu --marginals --top-heads 3

    ramify parse model/ half-annotated.conllu --misc-constraints

    ramify parse model/ tagged.conllu --alternatives 0.1 --output trees.svg

    tagger < text | ramify parse model/ | ramify evaluate gold.conllu -

    ramify parse corpus/ --cluster local:8 --output parsed/
    """
    from ramify.cli.inputs import find_inputs, input_format, plan_outputs
    from ramify.cli.parse_input import load_model, read_inputs, split_arguments
    from ramify.cli.parse_output import keeping_ranks, ranked, with_probabilities
    from ramify.parsing import Parser, read_constraints

    if cluster is not None:
        from ramify.cli.parse_cluster import parse_on_cluster

        others = {
            "text": text is not None, "json": as_json, "marginals": marginals, "top-heads": top_heads > 0,
            "k-best": k_best > 1, "constraints": constraints is not None, "misc-constraints": misc_constraints,
            "projective": projective, "decoder": decoder != "map", "time-limit": time_limit is not None,
            "alternatives": alternatives is not None, "probabilities": probabilities, "width": width is not None,
        }  # fmt: skip
        with checking_options():
            model_name, names = split_arguments(arguments or [], model, text)
        done = parse_on_cluster(
            cluster, model_name, names, output, format=format, source_format=source_format, threads=threads,
            max_words=max_words, shard_size=shard_size, others=others,
        )  # fmt: skip
        if not done:
            raise typer.Exit(1)
        return
    kind = _output_format(format, as_json, output, top_heads)
    options = {"alternatives": alternatives, "probabilities": probabilities, "width": width}
    extras = {"marginals": marginals, "top-heads": top_heads, "k-best": k_best > 1} | options
    _check_conllx(kind, output, [name for name, value in extras.items() if value not in (None, False, 0)])
    drawing = check_drawing(kind, options, always=("alternatives", "probabilities") if kind == "conllu" else ())
    _check_options(decoder, time_limit)
    input_format(source_format, "")  # a wrong name is an error before a model is read
    with checking_options():
        model_name, names = split_arguments(arguments or [], model, text)
    inputs = find_inputs(names)
    loaded = load_model(model_name)
    parser = loaded if isinstance(loaded, Parser) else loaded.parser
    probable = marginals or probabilities or alternatives is not None or top_heads > 0
    asked: StreamOptions = {
        "marginals": probable,
        "k": k_best, "decoder": decoder, "projective": projective, "time_limit": time_limit, "max_words": max_words,
        "threads": threads, "batch_size": batch_size,
    }  # fmt: skip
    report = _Report()
    for group, target in plan_outputs(inputs, output, kind):
        file = None if constraints is None else read_constraints(constraints)
        with contextlib.ExitStack() as stack:
            sentences = read_inputs(loaded, group, text, source_format, stack)
            known = None
            if file is not None or misc_constraints:
                sentences, again = itertools.tee(sentences)
                known = _constraints(parser, again, file, misc_constraints)
            run = loaded.pipe if isinstance(loaded, Parser) else loaded.annotate
            # The constraints of a batch are read before its heads are replaced, but MISC is not ours.
            asked["copy"] = known is not None
            results = run(sentences, constraints=known, **asked)
            checked = _with_warning(results) if isinstance(loaded, Parser) else results
            progress = stack.enter_context(SlowProgress("Parsing"))
            trees = ranked(report.passed(progress.track(checked)))
            if kind == "conllu":
                trees = keeping_ranks(trees)
            if kind == "conllu" and probable:
                trees = with_probabilities(trees, top_heads, alternatives)
            write_trees(trees, kind, target, drawing, language=getattr(loaded, "language", None))
    if report.failed:
        message(f"ramify: {report.failed:,} of {report.number:,} sentences have no tree", style="red")
        raise typer.Exit(1)


def _output_format(given: str | None, as_json: bool, output: str, top_heads: int) -> str:
    if as_json and given not in (None, "json"):
        raise UsageError(f"--json is the same as --format json; got --format {given} too. Leave one of them out.")
    kind = choose_format("json" if as_json else given, "-" if is_folder(output) else output, "conllu")
    if top_heads and kind != "conllu":
        raise UsageError(f"--top-heads writes to CoNLL-U; got the format {kind}. Use --alternatives P there.")
    return kind


def _check_conllx(kind: str, output: str, options: list[str]) -> None:
    if kind == "conllu" and options and output != "-" and format_of_suffix(output) == "conllx":
        raise UsageError(
            f"--{options[0]} has no place in CoNLL-X, which {output!r} is by its suffix: that format has neither "
            "comments nor a column MISC. Write to a file that ends in .conllu, or leave the option out."
        )


def _check_options(decoder: str, time_limit: float | None) -> None:
    from ramify.parsing.request import make_request

    with checking_options():
        make_request(decoder=decoder, time_limit=time_limit)


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
    """Passes results on, and says which ones failed."""

    def __init__(self) -> None:
        self.number = 0
        self.failed = 0

    def passed(self, results: "Iterator[ParseResult]") -> "Iterator[ParseResult]":
        from ramify.cli.parse_output import describe_failure

        for result in results:
            self.number += 1
            if not result.found:
                self.failed += 1
                message(describe_failure(result, self.number), style="yellow")
            yield result
