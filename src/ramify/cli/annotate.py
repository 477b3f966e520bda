"""``ramify annotate``: correct a treebank on a page in the browser, where the parser answers every decision.

Annotations are evaluated here, because typer makes options of them.
"""

import dataclasses
import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ramify.cli.options import argument, flag, value
from ramify.cli.usage import UsageError, checking_options

if TYPE_CHECKING:
    from ramify.parsing import Parser
    from ramify.pipeline import Pipeline

__all__ = ["annotate"]


def annotate(
    file: Annotated[
        Path, argument("FILE", "Treebank to correct; the file itself is changed. A .txt file is parsed first.")
    ],
    model: Annotated[
        str, value("MODEL", "Pipeline or parser: a path, or the language code of a built-in model.")
    ] = "en",
    compare: Annotated[
        list[Path] | None,
        value(
            "FILE",
            "File with another annotation of the same sentences, to compare with. The option can be repeated.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[int, value("N", "Port of the page; 0 chooses a free one.", min=0, max=65535)] = 0,
    no_browser: Annotated[bool, flag("Only print the address; do not open a browser.", "--no-browser")] = False,
    price: Annotated[
        float, value("X", "Penalty for changing an arc that was likely, in units of the parser's score.", min=0)
    ] = 0.0,
    max_words: Annotated[
        int, value("N", "Maximum length of a sentence that is parsed. Longer ones can only be edited.", min=1)
    ] = 250,
    train_every: Annotated[
        int,
        value("N", "Train a parser in the background after every N accepted sentences; 0 turns this off.", min=0),
    ] = 0,
) -> None:
    """Correct a treebank in the browser: every decision is a constraint, and the parser answers with the best tree.

    The file is changed in place, and only the edited cells change. Every step is written to a journal beside the file
    before the page says that it is saved. So a crash loses nothing, and steps can be undone later.

    [bold]Examples[/bold]

    ramify annotate treebank.conllu

    ramify annotate treebank.conllu --model models/mine --train-every 50

    ramify annotate mine.conllu --compare yours.conllu

    ramify annotate text.txt
    """
    from ramify.errors import MissingExtraError

    try:
        from ramify.serve.annotate import make_annotation_app
        from ramify.serve.server import listen, make_server
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "starlette", "serve", "ramify annotate") from None
    from ramify import load
    from ramify.annotation import Session
    from ramify.annotation.background import BackgroundTraining
    from ramify.cli.console import message
    from ramify.serve.options import ServeOptions

    with checking_options():
        options = ServeOptions(port=port, token=os.environ.get("RAMIFY_TOKEN") or None)
    loaded: Any = load(model)
    parser, pipeline = _parts(loaded, model)
    path = _parsed_text(file, pipeline) if file.suffix == ".txt" else file
    tag = None if pipeline is None else _tagging(pipeline)
    session = Session(path, parser, tag=tag, others=compare or (), price=price, max_words=max_words)
    sock, port = listen(options)
    options = dataclasses.replace(options, port=port)
    address = f"http://127.0.0.1:{port}/"

    def started() -> None:
        message(f"ramify annotates {path} at {address} (ctrl-C saves and ends)")
        if not no_browser:
            webbrowser.open(address)

    training = BackgroundTraining(train_every) if train_every else None
    make_server(make_annotation_app(session, options, training), options, started=started).run(sockets=[sock])
    sys.exit(0)


def _parts(loaded: Any, name: str) -> "tuple[Parser, Pipeline | None]":
    from ramify.parsing import Parser
    from ramify.pipeline import Pipeline

    if isinstance(loaded, Pipeline):
        return loaded.parser, loaded
    if isinstance(loaded, Parser):
        return loaded, None
    raise UsageError(f"--model expects a pipeline or a parser; {name} is a {type(loaded).__name__.lower()}.")


def _tagging(pipeline: "Pipeline") -> Any:
    def tag(sentences: list[Any]) -> None:
        for tagger in pipeline.taggers.values():
            tagger.annotate(sentences)

    return tag


def _parsed_text(file: Path, pipeline: "Pipeline | None") -> Path:
    """Segment, tag and parse a text; return the treebank that is made of it."""
    from ramify.data import write

    if pipeline is None:
        raise UsageError("A text file needs a pipeline, which segments and tags it; --model is a parser.")
    target = file.with_suffix(".conllu")
    if target.exists():
        raise UsageError(f"{target} exists already; annotate that file, or move it away to parse the text again.")
    write((result.sentence for result in pipeline.stream(file)), target)
    return target
