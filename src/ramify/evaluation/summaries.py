"""Files of summaries and of human references, for ROUGE."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramify.data.files import file_name, open_for_reading, suffix_of
from ramify.data.lines import decoded_lines
from ramify.errors import InvalidInputError, ParseError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["matched_summaries", "read_summaries"]

_KEYS = ("references", "target", "summary", "text")  # the first that a JSON line has
_CHUNK = 1 << 16


def read_summaries(source: str | Path) -> dict[str, list[str]]:
    """Read one or more summaries for each input, by the input's name.

    Parameters
    ----------
    source : a ``.jsonl`` file, another text file, or a folder
        A JSON line has ``"summary"`` or ``"references"`` (or ``"target"``): a text, or a list of texts, which are
        several references; ``"id"`` names the input. Another text file has the summaries of one input on each line,
        with tabs between several. A folder has files ``NAME.txt``, or ``NAME.1.txt``, ``NAME.2.txt``, …. Inputs
        without names are numbered from 1.
    """
    if Path(source).is_dir():
        return _read_folder(Path(source))
    found: dict[str, list[str]] = {}
    for number, name, texts in _read_file(str(source)):
        if name in found:
            raise ParseError(file_name(str(source)), number, "", "a new id on each line", f"{name!r} again")
        found[name] = texts
    if not found:
        raise InvalidInputError(f"{source} has no summaries.")
    return found


def matched_summaries(
    gold: dict[str, list[str]], system: dict[str, list[str]], name: str
) -> tuple[list[str], list[list[str]]]:
    """Return a system's summaries in the order of the references, and these.

    Parameters
    ----------
    gold, system : as `read_summaries` returns them
    name : of the system, for messages
    """
    lost = [key for key in gold if key not in system]
    if lost:
        raise InvalidInputError(f"{name} has no summary for {lost[0]!r} ({len(lost)} of {len(gold)} are missing).")
    several = [key for key in gold if len(system[key]) != 1]
    if several:
        raise InvalidInputError(
            f"{name} is expected to have one summary for each input; {several[0]!r} has {len(system[several[0]])}."
        )
    return [system[key][0] for key in gold], list(gold.values())


def _read_folder(folder: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.txt")):
        found.setdefault(path.name.split(".")[0], []).append(_text_of(path))
    if not found:
        raise InvalidInputError(f"{folder} is expected to have summaries in files NAME.txt or NAME.1.txt; it has none.")
    return found


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(str(path), 0, "", "UTF-8 text", f"byte 0x{error.object[error.start]:02X}") from None


def _read_file(source: str) -> Iterator[tuple[int, str, list[str]]]:
    name = file_name(source)
    is_json = suffix_of(source) in (".jsonl", ".ndjson")
    with open_for_reading(source) as file:
        for number, line in decoded_lines(iter(lambda: file.read(_CHUNK), b""), name):
            if not is_json:
                yield number, str(number), line.split("\t")
            elif line.strip():
                yield number, *_read_json(line, name, number)


def _read_json(line: str, name: str, number: int) -> tuple[str, list[str]]:
    expected = 'a JSON object with "summary" or "references": a text, or a list of texts'
    try:
        value: Any = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ParseError(name, number, "", expected, f"no JSON ({error})") from None
    key = next((key for key in _KEYS if key in value), None) if isinstance(value, dict) else None
    texts = value[key] if key is not None else None
    texts = [texts] if isinstance(texts, str) else texts
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        found = f"an object with {sorted(value)}" if isinstance(value, dict) else type(value).__name__
        raise ParseError(name, number, "", expected, found)
    return str(value.get("id", number)), texts
