"""Move the prose of our docstrings out of the type slot, and put the annotations there.

Our docstrings say ``name : what it is``: the types are in the annotations, once. numpydoc, which Sphinx follows, reads
what stands after the colon as a type. So before it reads a docstring, the prose moves below the name, and the
annotation, as it is written in the code, takes its place.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

_PLAIN_TYPE = re.compile(r"(bool|int|float|str|[A-Z]\w+)(, optional)?")
_TRAILING_UNDERSCORE = re.compile(r"_(?!\w)")  # `np.bool_` would be a reference in reStructuredText
_SECTIONS = {"Parameters", "Attributes", "Returns", "Yields"}


def rewrite(documented: Any, lines: list[str]) -> list[str]:
    """Return the lines of a docstring with annotations as types, and with what stood there as descriptions."""
    hints = _annotations(documented)
    done: list[str] = []
    at = 0
    while at < len(lines):
        is_section = lines[at] in _SECTIONS and lines[at + 1 : at + 2] == ["-" * len(lines[at])]
        if not is_section:
            done.append(lines[at])
            at += 1
            continue
        end = next((i for i in range(at + 2, len(lines)) if not lines[i]), len(lines))
        fields = _fields(lines[at + 2 : end])
        done += lines[at : at + 2]
        if lines[at] in ("Returns", "Yields"):
            done += _results(fields, hints.get("return", ""))
        else:
            done += [line for field in fields for line in _named(*field, hints)]
        at = end
    return done


def _fields(lines: list[str]) -> list[tuple[str, list[str]]]:
    """Cut a section into its fields: the first line of each, and those below it."""
    fields: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith(" ") and fields:
            fields[-1][1].append(line)
        else:
            fields.append((line, []))
    return fields


def _named(first: str, below: list[str], hints: dict[str, str]) -> list[str]:
    names, _, prose = first.partition(" : ")
    types = {name: hints.get(name.lstrip("*"), "") for name in names.split(", ")}
    if below and _PLAIN_TYPE.fullmatch(prose):
        types = {name: hint or prose for name, hint in types.items()}
        prose = ""
    description = _description(prose, below)
    return [line for name, hint in types.items() for line in (f"{name} : {hint}" if hint else name, *description)]


def _description(prose: str, below: list[str]) -> list[str]:
    """Join what stood after the colon with the lines below it, which may begin a sentence of their own."""
    if not prose:
        return below
    ends = bool(below) and below[0].strip()[:1].isupper() and prose[-1] not in ".;:,"
    return [f"    {prose}." if ends else f"    {prose}", *below]


def _results(fields: list[tuple[str, list[str]]], hint: str) -> list[str]:
    """Name each of several results; a single one has the annotation of the function."""
    lines = []
    for first, below in fields:
        name, colon, prose = first.partition(" : ")
        if colon:
            lines += [name, *_description(prose, below)]
        elif len(fields) == 1 and hint and not _PLAIN_TYPE.fullmatch(first):
            lines += [hint, *_description(first, below)]
        else:
            lines += [first, *below]
    return lines


def _annotations(documented: Any) -> dict[str, str]:
    """Return annotations as they are written; of a class, those of its constructor and of its attributes."""
    found: dict[str, Any] = {}
    if inspect.isclass(documented):
        for parent in reversed(documented.__mro__):
            found |= inspect.get_annotations(parent)
        found |= getattr(documented.__init__, "__annotations__", {})
    else:
        function = getattr(documented, "fget", None) or inspect.unwrap(documented)
        found |= getattr(function, "__annotations__", {})
    texts = {name: hint if isinstance(hint, str) else inspect.formatannotation(hint) for name, hint in found.items()}
    texts = {name: _TRAILING_UNDERSCORE.sub(r"\\_", text) for name, text in texts.items()}
    return {name: text for name, text in texts.items() if name == "return" or text not in ("Any", "typing.Any")}


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx, to come before napoleon reads the docstrings."""

    def process(app: Any, what: str, name: str, documented: Any, options: Any, lines: list[str]) -> None:
        lines[:] = rewrite(documented, lines)
        if what in ("attribute", "data", "property") and lines:
            # napoleon would take what stands before a colon in the first line for the type.
            lines[0] = lines[0].replace(": ", " – ", 1)

    app.connect("autodoc-process-docstring", process, priority=400)
    return {"parallel_read_safe": True}
