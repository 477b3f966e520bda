"""What the caller gives: texts, sentences that are tokenized already, documents in CoNLL-U, numbers."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ramify.data import Sentence, read
from ramify.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ramify.data.files import PathOrFile

__all__ = ["as_columns", "check_text", "read_conllu", "shortened"]


def read_conllu(source: PathOrFile) -> list[Sentence]:
    """Read sentences from a text that has line breaks, or from a file."""
    if isinstance(source, str) and ("\n" in source or not source.strip()):
        source = io.StringIO(source)
    return list(read(source, format="conllu", multiple_roots=True))


def shortened(text: str, most: int = 40) -> str:
    """Return a text as a representation shows it."""
    return text if len(text) <= most else text[:most] + "…"


def check_text(text: object) -> str:
    """Refuse what is no text."""
    if not isinstance(text, str):
        raise InvalidInputError(
            f"A pipeline expects a string; got {type(text).__name__}. Words that are tokenized already go to "
            "Pipeline.parse, several texts to Pipeline.pipe."
        )
    return text


def as_columns(sentences: Sequence[Any], who: str = "Pipeline.parse") -> list[Sentence]:
    """Return sentences that were tokenized elsewhere; lists of words become sentences."""
    if isinstance(sentences, (list, tuple)) and sentences and all(isinstance(word, str) for word in sentences):
        sentences = [sentences]
    found = []
    for item in sentences:
        if isinstance(item, Sentence):
            found.append(item.copy())
        elif isinstance(item, (list, tuple)) and item and all(isinstance(word, str) for word in item):
            found.append(Sentence(item))
        else:
            raise InvalidInputError(
                f"{who} expects sentences: ramify.data.Sentence or lists of words; got {type(item).__name__}."
            )
    return found
