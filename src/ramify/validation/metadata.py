"""Level 2: comments, and the text of a sentence against the forms of its tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ramify.validation.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.validation.block import Block, Row
    from ramify.validation.treebank import TreebankFacts

__all__ = ["check_parallel_id", "check_sent_id", "check_text"]

_NEW = {name: re.compile(rf"#\s*{name}(?:\s+(\S+))?") for name in ("newdoc", "newpar")}
_SENT_ID = re.compile(r"#\s*sent_id\s*=\s*(\S+)")
_TEXT = re.compile(r"#\s*text\s*=\s*(.*)")
_PARALLEL_ID = re.compile(
    r"#\s*parallel_id\s*=\s*([a-z]+/[-0-9a-z]+)(/(?=[ap])(?:alt([1-9][0-9]*))?(?:part([1-9][0-9]*))?)?"
)


def check_sent_id(block: Block, facts: TreebankFacts) -> Iterator[Finding]:
    """Check that the sentence has a name of its own."""
    line = block.first_row
    found = [match[1] for match in map(_SENT_ID.fullmatch, block.comments) if match]
    for comment in block.comments:
        if comment.startswith(("# sent_id", "#sent_id")) and not _SENT_ID.fullmatch(comment):
            message = f"A sentence is named by '# sent_id = NAME', a name without spaces; found {comment!r}."
            yield block.finding(line, 2, "invalid-sent-id", message)
    if len(found) != 1:
        check = "multiple-sent-id" if found else "missing-sent-id"
        yield block.finding(line, 2, check, f"A sentence has one line '# sent_id = NAME'; found {len(found)}.")
        return
    if found[0] in facts.sent_ids:
        yield block.finding(line, 2, "non-unique-sent-id", f"An earlier sentence has the sent_id {found[0]!r}, too.")
    if found[0].count("/") > 1:
        message = f"A sent_id has at most one slash, before the language; found {found[0]!r}."
        yield block.finding(line, 2, "slash-in-sent-id", message)
    facts.sent_ids.add(found[0])


def check_parallel_id(block: Block, facts: TreebankFacts) -> Iterator[Finding]:
    """Check the name that translations of a sentence share."""
    line = block.first_row
    matches = [match for match in map(_PARALLEL_ID.fullmatch, block.comments) if match]
    for comment in block.comments:
        if comment.startswith(("# parallel_id", "#parallel_id")) and not _PARALLEL_ID.fullmatch(comment):
            message = (
                f"The form is '# parallel_id = corpus/sentence', then /alt1, /part1 or /alt1part1; found {comment!r}."
            )
            yield block.finding(line, 2, "invalid-parallel-id", message)
    if len(matches) > 1:
        yield block.finding(line, 2, "multiple-parallel-id", f"One parallel_id is expected; found {len(matches)}.")
    elif matches:
        name, suffix = matches[0][1], matches[0][2] or ""
        if name + suffix in facts.parallel_ids:
            message = f"An earlier sentence has the parallel_id {name + suffix!r}, too."
            yield block.finding(line, 2, "non-unique-parallel-id", message)
        else:
            for part, text in (("alt", matches[0][3]), ("part", matches[0][4])):
                yield from _counted(block, facts, name, part, text)
        facts.parallel_ids.add(name + suffix)


def _counted(block: Block, facts: TreebankFacts, name: str, part: str, text: str | None) -> Iterator[Finding]:
    """Check that alternatives, or parts, of one sentence count 1, 2, 3, …, or that there are none."""
    number = int(text) if text else None
    previous = facts.parallel_parts.get((name, part), 0)
    if (
        (previous is None and number is not None)
        or (previous and number is None)
        or (previous is not None and number is not None and number != previous + 1)
    ):
        message = f"The sentences of {name!r} have {part}1, {part}2, …, or none has {part}; found {text or 'none'}."
        yield block.finding(block.first_row, 2, f"parallel-id-{part}", message)
    facts.parallel_parts[name, part] = number


def check_text(block: Block, facts: TreebankFacts) -> Iterator[Finding]:
    """Check that the text is there, and that it consists of the forms, with spaces where MISC says so."""
    line = block.first_row
    found = {name: [c for c in block.comments if pattern.fullmatch(c)] for name, pattern in _NEW.items()}
    for name, comments in found.items():
        if len(comments) > 1:
            yield block.finding(line, 2, f"multiple-{name}", f"One {name} is expected; found {len(comments)}.")
    if any(found.values()) and facts.no_space_after:
        message = "A document or paragraph starts here, but the last token before it has SpaceAfter=No."
        yield block.finding(line, 2, "spaceafter-newdocpar", message)
    texts = [match[1] for match in map(_TEXT.fullmatch, block.comments) if match]
    if len(texts) != 1:
        check = "multiple-text" if texts else "missing-text"
        yield block.finding(line, 2, check, f"A sentence has one line '# text = …'; found {len(texts)}.")
        return
    if not texts[0]:
        yield block.finding(line, 2, "empty-text", "The text of the sentence is empty.")
    elif texts[0][-1].isspace():
        yield block.finding(line, 2, "text-trailing-whitespace", "The text of the sentence ends with a space.")
    yield from _forms(block, texts[0], facts)


def _forms(block: Block, text: str, facts: TreebankFacts) -> Iterator[Finding]:
    inside: set[str] = set()  # IDs of words in multiword tokens
    mismatch = False
    for row in block.rows:
        yield from _spacing(row, inside)
        if row.empty or row["ID"] in inside:
            continue
        if row.range:
            inside |= set(map(str, range(row.range[0], row.range[1] + 1)))
        if not text.startswith(row["FORM"]):
            if not mismatch:  # what follows has the same cause, mostly
                hint = " Perhaps the token before it should not have SpaceAfter=No." if text[:1].isspace() else ""
                message = f"The text goes on with {text[:20]!r}, the form is {row['FORM']!r}.{hint}"
                yield row.finding(2, "text-form-mismatch", message, "FORM")
            mismatch = True
            continue
        text = text[len(row["FORM"]) :]
        facts.no_space_after = "SpaceAfter=No" in row["MISC"].split("|")
        if not facts.no_space_after:
            if text and not text[0].isspace():
                message = f"No space follows in the text ({(row['FORM'] + text)[:20]!r}), so MISC needs SpaceAfter=No."
                yield row.finding(2, "missing-spaceafter", message, "MISC")
            text = text.lstrip()
    if text:
        message = f"The text goes on after the last form with {text[:40]!r}."
        yield block.finding(block.first_row, 2, "text-extra-chars", message)


def _spacing(row: Row, inside: set[str]) -> Iterator[Finding]:
    if "NoSpaceAfter=Yes" in row["MISC"]:
        message = "Write SpaceAfter=No instead of NoSpaceAfter=Yes."
        line = row.block.first_row  # where the official validator reports it
        yield Finding(line, 2, "nospaceafter-yes", message, row["ID"], "MISC", sent_id=row.block.sent_id)
    if any(item.startswith("SpaceAfter=") and item != "SpaceAfter=No" for item in row["MISC"].split("|")):
        message = "SpaceAfter has the value No only; other spaces are written with SpacesAfter."
        yield row.finding(2, "spaceafter-value", message, "MISC")
    if "SpaceAfter=No" in row["MISC"]:
        if row.empty:
            yield row.finding(2, "spaceafter-empty-node", "An empty node has no SpaceAfter=No.", "MISC")
        elif row["ID"] in inside:
            message = "SpaceAfter=No stands at the multiword token, not at its words."
            yield row.finding(2, "spaceafter-mwt-node", message, "MISC")
