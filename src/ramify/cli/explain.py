"""``ramify explain`` says why a word has this head and not another one.

Annotations are evaluated here, because typer makes options of them.
"""

import contextlib
import json
from typing import Annotated

from ramify.cli.console import data_console
from ramify.cli.draw import select
from ramify.cli.options import Projective, argument, flag, format_value, value
from ramify.cli.pictures import Output, format_for
from ramify.cli.usage import UsageError, checking_options
from ramify.data.files import open_for_writing

__all__ = ["explain"]

_FORMATS = ("text", "json", "html")
_BY_SUFFIX = {".txt": "text", ".json": "json", ".html": "html", ".htm": "html"}


def explain(
    model: Annotated[
        str | None,
        argument(
            "MODEL",
            "Pipeline or parser to use: a directory or a .zip file.",
            show_default="the built-in English pipeline",
        ),
    ] = None,
    source: Annotated[
        str | None,
        argument(
            "IN",
            "File with the sentence. A pipeline takes text or CoNLL-U, a parser takes tagged sentences.",
            show_default="-, standard input",
        ),
    ] = None,
    text: Annotated[str | None, value("TEXT", "Use this text instead of a file.")] = None,
    sentence: Annotated[str, value("N", "The sentence, by its number or its sent_id.")] = "1",
    word: Annotated[int, value("W", "The word to explain, by its number in the sentence.", min=1)] = 1,
    against: Annotated[
        int | None,
        value(
            "H", "The head to compare with, by its number; 0 is the root. The default is the second best head.", min=0
        ),
    ] = None,
    label: Annotated[
        str | None, value("LABEL", "The label to compare with, on the same head or on the one of --against.")
    ] = None,
    misc_constraints: Annotated[
        bool,
        flag(
            "Obey the constraints Head=, NotHead=, Deprel= and Root=Yes in column MISC, and show what each costs.",
            "--misc-constraints",
        ),
    ] = False,
    projective: Projective = False,
    format: Annotated[
        str | None,
        format_value(
            _FORMATS,
            "Output format: text, json or html. By default the suffix of --output chooses it.",
            show_default=False,
        ),
    ] = None,
    all_parts: Annotated[
        bool,
        flag("Show the features of every part that differs, not only those of the word's own arcs.", "--all-parts"),
    ] = False,
    saliency: Annotated[
        bool, flag("Show how much each word matters to a network; this needs PyTorch.", "--saliency")
    ] = False,
    top: Annotated[int, value("N", "Number of features to show of each arc and label; JSON has them all.", min=0)] = 8,
    output: Output = "-",
) -> None:
    """Explain why a word has the head that the parser gives it, and not another one.

    The best tree is compared with the best tree that has the other arc. The scores of the parts that only one of the
    trees has add up to the difference between the trees, and the weights of its features add up to the score of an arc.

    [bold]Examples[/bold]

    ramify explain --text "I saw her duck." --word 4

    ramify explain model/ tagged.conllu --sentence 3 --word 5

    ramify explain model/ tagged.conllu --sentence 3 --word 5 --against 2 -o why.html

    ramify explain model/ tagged.conllu --word 5 --label obl

    ramify explain pipeline/ text.txt --word 4 --all-parts
    """
    from ramify.cli.parse_input import load_model, read_sentences, sort_arguments
    from ramify.parsing import Parser, constraints_of_misc

    kind = format_for(format, output, "text", _FORMATS, _BY_SUFFIX)
    with checking_options():
        model_name, source_name = sort_arguments(model, source, text)
    loaded = load_model(model_name)
    with contextlib.ExitStack() as stack:
        named = list(select(read_sentences(loaded, source_name, text, None, stack), sentence))
    if len(named) != 1:
        raise UsageError(f"--sentence expects one sentence; {sentence!r} names {len(named)}.")
    chosen = named[0]
    known = constraints_of_misc(chosen) if misc_constraints else []
    if isinstance(loaded, Parser):
        parser = loaded
    else:
        parser = loaded.parser
        chosen = next(loaded.annotate([chosen])).sentence
    how = {"projective": projective, "saliency": saliency}
    found = parser.explain(chosen, word, against, label=label, constraints=known, **how)
    if kind == "text" and output == "-":
        from ramify.viz.explanation import renderables

        console = data_console()
        for renderable in renderables(found, top=top, all_parts=all_parts):
            console.print(renderable)
        return
    if kind == "json":
        page = json.dumps(found.to_dict(), ensure_ascii=False, indent=2) + "\n"
    else:
        page = found.html(top=top) if kind == "html" else found.text(top=top, all_parts=all_parts)
    with open_for_writing(output) as file:
        file.write(page.encode())
