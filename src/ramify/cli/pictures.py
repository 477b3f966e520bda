"""All commands that write trees share these formats, options and outputs."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from ramify.cli.options import flag, format_value, value
from ramify.cli.usage import UsageError, checking_options, completing, one_of
from ramify.data import write
from ramify.data.files import open_for_writing, suffix_of
from ramify.data.treebanks import format_of_suffix

__all__ = [
    "FORMATS",
    "Alternatives",
    "FormatName",
    "Lemmas",
    "Output",
    "Outputs",
    "Probabilities",
    "TagColumn",
    "Width",
    "check_drawing",
    "check_treebank_name",
    "choose_format",
    "format_for",
    "write_trees",
]

FORMATS = ("conllu", "table", "json", "svg", "png", "pdf", "html", "tikz", "dot", "displacy")
_PICTURES = ("svg", "png", "pdf", "html")
_BY_SUFFIX = {f".{name}": name for name in ("svg", "png", "pdf", "html", "dot", "json", "conllu")}
_BY_SUFFIX |= {".conllx": "conllu", ".conll": "conllu", ".txt": "table", ".tex": "tikz", ".gv": "dot", ".htm": "html"}

# The formats in which an option of drawings makes a difference.
_USES = {
    "width": _PICTURES,
    "tags": (*_PICTURES, "tikz", "dot", "table", "displacy"),
    "lemmas": _PICTURES,
    "probabilities": (*_PICTURES, "tikz", "dot", "table", "json", "displacy"),
    "alternatives": (*_PICTURES, "tikz", "dot", "table", "json"),
}

Output = Annotated[str, value("FILE", "File to write.", "--output", "-o", show_default="-, standard output")]
Outputs = Annotated[
    str,
    value(
        "FILE",
        "File to write, or a folder (DIR/) for one file per input.",
        "--output",
        "-o",
        show_default="-, standard output",
    ),
]
FormatName = Annotated[
    str | None,
    format_value(
        FORMATS,
        f"Output format: {', '.join(FORMATS[:-1])} or {FORMATS[-1]}. By default the suffix of --output decides.",
        show_default=False,
    ),
]
Alternatives = Annotated[
    float | None, value("P", "Also show other heads that have at least this probability.", min=0.0, max=1.0)
]
Probabilities = Annotated[bool, flag("Show the probability of every arc.", "--probabilities")]
TagColumn = Annotated[
    str | None,
    value(
        "COLUMN",
        "Tags to show with the words: upos, xpos or none.",
        autocompletion=completing(lambda: ("upos", "xpos", "none")),
        show_default="upos",
    ),
]
Lemmas = Annotated[bool, flag("Show the lemmas below the words.", "--lemmas")]
Width = Annotated[
    float | None,
    value(
        "PIXELS",
        "Maximum width of a picture. Longer sentences continue in a new row; 0 keeps each in one row.",
        show_default="1000",
    ),
]


def choose_format(given: str | None, output: str, default: str) -> str:
    """Return the format to write: the one that was asked for, else the one that the file's suffix names.

    Parameters
    ----------
    given : value of ``--format``, if there was one
    output : a path, or ``"-"``
    default : for standard output, and files without a suffix
    """
    return format_for(given, output, default, FORMATS, _BY_SUFFIX)


def format_for(
    given: str | None, output: str, default: str, formats: Sequence[str], suffixes: Mapping[str, str]
) -> str:
    """Return the format of a command that has formats, and suffixes, of its own."""
    if given is not None:
        return one_of(given, formats, "--format")
    suffix = "" if output == "-" else suffix_of(output)
    if suffix and suffix not in suffixes:
        raise UsageError(
            f"--output expects a file whose suffix names its format ({', '.join(suffixes)}); got {output!r}. "
            "Use another name, or say the format with --format."
        )
    return suffixes.get(suffix, default)


def check_treebank_name(output: str, option: str, remedy: str) -> None:
    """Refuse a file whose suffix promises something else than a treebank, for commands that write nothing else."""
    if output != "-" and suffix_of(output) and format_of_suffix(output) is None:
        raise UsageError(f"{option} expects a file that ends in .conllu, .conllx or .conll; got {output!r}. {remedy}")


def check_drawing(format: str, given: dict[str, Any], always: tuple[str, ...] = ()) -> dict[str, Any]:
    """Check the options of a drawing and return them. An option that the format does not use is an error.

    Parameters
    ----------
    format : what is written
    given : options as the command line has them; None and False are not given
    always : options that the command itself knows how to use in any format
    """
    chosen = {name: value for name, value in given.items() if value is not None and value is not False}
    for name in chosen:
        if format not in _USES[name] and name not in always:
            raise UsageError(
                f"--{name} has no meaning in the format {format}; it is for {', '.join(_USES[name])}. Leave it out."
            )
    if "width" in chosen:
        chosen["width"] = chosen["width"] or math.inf
    from ramify.viz import DrawingOptions

    with checking_options():
        DrawingOptions(**chosen)
    return chosen


def write_trees(
    items: Iterable[Any], format: str, output: str, options: dict[str, Any], language: str | None = None
) -> None:
    """Write sentences, or results, to a file or to standard output."""
    from ramify.viz import write_drawings
    from ramify.viz.tree import sentence_of

    if format == "conllu":
        write(map(sentence_of, items), output)
        return
    pieces = write_drawings(items, format, language=language, **options)
    with open_for_writing(output) as file:
        for piece in pieces:
            file.write(piece if isinstance(piece, bytes) else piece.encode("utf-8", "replace"))
