"""How ``ramify search`` shows what it found: marked text, sentences, JSON, drawings, counts."""

from __future__ import annotations

import collections
import itertools
import json
from typing import TYPE_CHECKING

from rich.text import Text

from ramify.cli.console import PlainConsole
from ramify.data import write
from ramify.data.files import open_for_writing
from ramify.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ramify.data import Sentence
    from ramify.search import Match

__all__ = ["highlighted", "write_counts", "write_matches", "write_total"]

_WORD_STYLE, _NAME_STYLE = "bold green", "cyan"


def write_matches(matches: Iterable[Match], format: str, output: str) -> None:
    """Write every match, as it comes."""
    if format == "conllu":
        write(_commented(matches), output)
        return
    pieces = {"text": _lines, "json": _json, "html": _page, "svg": _picture}[format](matches, output)
    with open_for_writing(output) as file:
        for piece in pieces:
            file.write(piece.encode("utf-8", "replace"))


def write_total(matches: Iterable[Match], output: str) -> None:
    """Write how many matches there are, in how many sentences."""
    number = 0
    sentences = 0
    last = None
    for match in matches:
        number += 1
        sentences += match.sentence is not last
        last = match.sentence
    with open_for_writing(output) as file:
        file.write(f"{_plural(number, 'match', 'es')} in {_plural(sentences, 'sentence', 's')}\n".encode())


def _plural(number: int, noun: str, ending: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else ending)


def write_counts(matches: Iterable[Match], keys: list[tuple[str, str]], output: str) -> None:
    """Write how often each combination of values occurs, most frequent first, with tabs between columns."""
    counts = collections.Counter(
        tuple(printable(match.feature(name, feature) or "_") for name, feature in keys) for match in matches
    )
    rows = [("matches", *(f"{name}.{feature}" for name, feature in keys))]
    rows += [(str(number), *values) for values, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    with open_for_writing(output) as file:
        for row in rows:
            file.write(("\t".join(row) + "\n").encode())


def highlighted(match: Match) -> Text:
    """Return the sentence on one line, matched words with their names in brackets."""
    sentence = match.sentence
    names: dict[int, list[str]] = {}
    for name, word in match.words.items():
        names.setdefault(word, []).append(name)
    tight = _tight(sentence)
    line = Text()
    if sentence.sent_id:
        line.append(f"{printable(sentence.sent_id)}: ", style="dim")
    for word, form in enumerate(sentence.forms, 1):
        if word in names:
            line.append("[")
            line.append(",".join(names[word]), style=_NAME_STYLE)
            line.append(" ")
            line.append(printable(form), style=_WORD_STYLE)
            line.append("]")
        else:
            line.append(printable(form))
        if word not in tight and word < len(sentence):
            line.append(" ")
    return line


def _tight(sentence: Sentence) -> set[int]:
    """Return the words that no space follows."""
    tight = {word for word, misc in enumerate(sentence.misc, 1) if "SpaceAfter=No" in misc.split("|")}
    for token in sentence.multiword_tokens:
        tight -= set(range(token.first, token.last + 1))
        if "SpaceAfter=No" in token.misc.split("|"):
            tight.add(token.last)
    return tight


def _lines(matches: Iterable[Match], output: str) -> Iterator[str]:
    console = PlainConsole(soft_wrap=True) if output == "-" else PlainConsole(no_color=True, force_terminal=False)
    coloured = output == "-" and console.is_terminal
    for match in matches:
        line = highlighted(match)
        if coloured:
            with console.capture() as capture:
                console.print(line, soft_wrap=True)
            yield capture.get()
        else:
            yield line.plain + "\n"


def _json(matches: Iterable[Match], output: str) -> Iterator[str]:
    return (json.dumps(match.to_json(), ensure_ascii=False) + "\n" for match in matches)


def _commented(matches: Iterable[Match]) -> Iterator[Sentence]:
    """Yield every sentence with a match once, with a comment for each match."""
    for _, group in itertools.groupby(matches, key=lambda match: id(match.sentence)):
        found = list(group)
        sentence = found[0].sentence.copy()
        if sentence.format == "conllu":
            words = [" ".join(f"{name}:{word}" for name, word in match.words.items()) for match in found]
            sentence.comments = [*sentence.comments, *(f"# match = {text}" for text in words)]
        yield sentence


def _page(matches: Iterable[Match], output: str) -> Iterator[str]:
    from ramify.viz.html import figure, page_around
    from ramify.viz.options import DrawingOptions
    from ramify.viz.tree import drawn

    options = DrawingOptions()
    before, after = page_around("Matches", "\0").split("\0")
    yield before
    for match in matches:
        yield figure(drawn(match.sentence, options), options, marked=match.words.values()) + "\n"
    yield after


def _picture(matches: Iterable[Match], output: str) -> Iterator[str]:
    from ramify.viz.options import DrawingOptions
    from ramify.viz.svg import draw_tree, stack
    from ramify.viz.tree import drawn

    options = DrawingOptions()
    figures = [draw_tree(drawn(match.sentence, options), options, set(match.words.values())) for match in matches]
    yield stack(figures)
