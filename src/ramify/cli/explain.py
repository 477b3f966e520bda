"""``ramify explain``: why this head and not that one.

Annotations are evaluated here, because typer makes options of them.
"""

import contextlib
import json
from typing import Annotated

import typer

from ramify.cli.console import data_console
from ramify.cli.draw import select
from ramify.data.files import open_for_writing
from ramify.errors import InvalidInputError

__all__ = ["explain"]


def explain(
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODEL]",
            help="Pipeline or parser: a directory, or a .zip.",
            show_default="the built-in English one",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="[IN]",
            help="Text or CoNLL-U for a pipeline, tagged sentences for a parser; - is standard input.",
            show_default="-",
        ),
    ] = None,
    text: Annotated[str | None, typer.Option(metavar="TEXT", help="Take this text instead of a file.")] = None,
    sentence: Annotated[str, typer.Option(metavar="N", help="Which sentence: its number, or its sent_id.")] = "1",
    word: Annotated[int, typer.Option(min=1, metavar="W", help="Which word, by its number.")] = 1,
    against: Annotated[
        int | None, typer.Option(min=0, metavar="H", help="The other head; 0 is the root. The runner-up if not given.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The other label, on the same or other head.")
    ] = None,
    misc_constraints: Annotated[
        bool,
        typer.Option("--misc-constraints", help="Obey Head=, NotHead=, Deprel= and Root=Yes in MISC, and price them."),
    ] = False,
    projective: Annotated[bool, typer.Option("--projective", help="Projective trees only.")] = False,
    format: Annotated[str, typer.Option(metavar="WHICH", help="text, json or html.")] = "text",
    all_parts: Annotated[
        bool, typer.Option("--all-parts", help="Features of every part that differs, not only of the word's own arcs.")
    ] = False,
    top: Annotated[int, typer.Option(min=0, help="Features shown of each arc and label; json has all.")] = 8,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUT", help="File to write; - is standard output.")
    ] = "-",
) -> None:
    """Explain why a word has the head that the parser gives it, and not another one.

    The best tree is compared with the best tree that has the other arc: the parts that only one of them has, with what
    each counts, add up to the difference of their scores; so do features to the score of an arc.

    [bold]Examples[/bold]

    ramify explain --text "I saw her duck." --word 4

    ramify explain model/ tagged.conllu --sentence 3 --word 5

    ramify explain model/ tagged.conllu --sentence 3 --word 5 --against 2 --format html -o why.html

    ramify explain model/ tagged.conllu --word 5 --label obl

    ramify explain pipeline/ text.txt --word 4 --all-parts
    """
    from ramify.cli.parse_input import load_model, read_sentences, sort_arguments
    from ramify.parsing import Parser, constraints_of_misc

    if format not in ("text", "json", "html"):
        raise InvalidInputError(f"--format expects text, json or html; got {format!r}.")
    model_name, source_name = sort_arguments(model, source, text)
    loaded = load_model(model_name)
    with contextlib.ExitStack() as stack:
        named = list(select(read_sentences(loaded, source_name, text, None, stack), sentence))
    if len(named) != 1:
        raise InvalidInputError(f"--sentence expects one sentence; {sentence!r} names {len(named)}.")
    chosen = named[0]
    known = constraints_of_misc(chosen) if misc_constraints else []
    if isinstance(loaded, Parser):
        parser = loaded
    else:
        parser = loaded.parser
        chosen = next(loaded.annotate([chosen])).sentence
    found = parser.explain(chosen, word, against, label=label, constraints=known, projective=projective)
    if format == "text" and output == "-":
        from ramify.viz.explanation import renderables

        console = data_console()
        for renderable in renderables(found, top=top, all_parts=all_parts):
            console.print(renderable)
        return
    if format == "json":
        page = json.dumps(found.to_dict(), ensure_ascii=False, indent=2) + "\n"
    else:
        page = found.html(top=top) if format == "html" else found.text(top=top, all_parts=all_parts)
    with open_for_writing(output) as file:
        file.write(page.encode())
