"""Level 2: the value of each cell, checked against the values that UD has for all languages."""

from __future__ import annotations

import itertools
import re
import unicodedata
from typing import TYPE_CHECKING

from ramify.data.universal import RELATIONS
from ramify.validation.block import COLUMNS, Block, Row, universal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.validation.finding import Finding

__all__ = ["TAGS", "check_heads", "check_tree", "check_values", "readable_feats"]

TAGS = (
    "ADJ",
    "ADP",
    "ADV",
    "AUX",
    "CCONJ",
    "DET",
    "INTJ",
    "NOUN",
    "NUM",
    "PART",
    "PRON",
    "PROPN",
    "PUNCT",
    "SCONJ",
    "SYM",
    "VERB",
    "X",
)
_HEAD = re.compile(r"0|[1-9][0-9]*")
_ENHANCED_HEAD = re.compile(r"(0|[1-9][0-9]*)(\.[1-9][0-9]*)?")
_FEATURE = re.compile(r"([A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?)=([A-Z0-9][A-Za-z0-9]*(?:,[A-Z0-9][A-Za-z0-9]*)*)")
_LABEL = re.compile(r"[a-z]+(:[a-z]+)?")
_ENHANCED_LABEL = re.compile(r"[a-z]+(:[a-z]+)?(:[a-zß]+(_[a-zß]+)*)?(:[a-z]+)?")  # ß stands for letters of all scripts
_NAMES = ("SpaceAfter", "Lang", "Translit", "LTranslit", "Gloss", "LId", "LDeriv", "Ref")
_LETTERS = ("Ll", "Lm", "Lo", "Mn", "Mc", "Me")  # of the case markers in enhanced labels


def check_heads(block: Block) -> Iterator[Finding]:
    """Check that every head is a word of the sentence, or the root."""
    known = {"0", *(row["ID"] for row in block.rows if row.is_word or row.empty)}
    for row in block.rows:
        if row.range:
            continue
        if row.is_word:
            head = row["HEAD"]
            if not _HEAD.fullmatch(head):
                yield row.finding(2, "invalid-head", f"HEAD is the ID of a word, or 0; found {head!r}.", "HEAD")
            if head not in known:
                yield row.finding(2, "unknown-head", f"The sentence has no word {head!r}.", "HEAD")
        if row.deps is None:
            message = f"DEPS is HEAD:LABEL, with | between several; found {row['DEPS']!r}."
            yield row.finding(2, "invalid-deps", message, "DEPS")
            continue
        for head, _ in row.deps:
            if not _ENHANCED_HEAD.fullmatch(head):
                message = f"A head in DEPS is the ID of a word or of an empty node, or 0; found {head!r}."
                yield row.finding(2, "invalid-ehead", message, "DEPS")
            if head not in known:
                yield row.finding(2, "unknown-ehead", f"The sentence has no word or empty node {head!r}.", "DEPS")


def check_tree(block: Block) -> Iterator[Finding]:
    """Check that the heads make one tree with one root; the first problem is enough."""
    modifiers: dict[int, list[int]] = {}
    for row in block.words:
        head = int(row["HEAD"])
        if head == int(row["ID"]):
            yield row.finding(2, "head-self-loop", "A word is not its own head.", "HEAD")
            return
        modifiers.setdefault(head, []).append(int(row["ID"]))
    roots = modifiers.get(0, [])
    if len(roots) > 1:
        message = f"One word has HEAD 0; found {len(roots)}: {', '.join(map(str, roots))}."
        yield block.finding(block.first_row, 2, "multiple-roots", message)
        return
    reached: set[int] = set()
    waiting = [0]
    while waiting:
        found = modifiers.get(waiting.pop(), [])
        reached.update(found)
        waiting += found
    lost = sorted(set(range(1, len(block.words) + 1)) - reached)
    if lost:
        message = f"No path leads from the root to the words {', '.join(map(str, lost))}; their heads are in a cycle."
        yield block.finding(block.first_row, 2, "non-tree", message)


def check_values(block: Block) -> Iterator[Finding]:
    """Check tags, features, labels and MISC of every line."""
    for row in block.rows:
        if row.range:
            yield from _of_multiword_token(row)
        else:
            if row.empty:
                yield from _of_empty_node(row)
            if row["UPOS"] not in TAGS and not (row.empty and row["UPOS"] == "_"):
                yield row.finding(2, "unknown-upos", f"UPOS is one of {' '.join(TAGS)}; found {row['UPOS']!r}.", "UPOS")
            if not row["XPOS"]:
                yield row.finding(2, "empty-string-in-xpos", "XPOS is empty; write '_' where there is none.", "XPOS")
            yield from _feats(row)
            if row.is_word:
                yield from _label(row)
            yield from _deps(row)
        yield from _misc(row)


def _of_multiword_token(row: Row) -> Iterator[Finding]:
    for name in COLUMNS[2:-1]:
        if row[name] != "_" and (name, row[name]) != ("FEATS", "Typo=Yes"):
            message = f"A multiword token has '_' in {name}; found {row[name]!r}."
            yield row.finding(2, "mwt-nonempty-field", message, name)


def _of_empty_node(row: Row) -> Iterator[Finding]:
    for name in ("HEAD", "DEPREL"):
        if row[name] != "_":
            message = f"An empty node has '_' in {name}; found {row[name]!r}."
            yield row.finding(2, "empty-node-nonempty-field", message, name)


def _feats(row: Row) -> Iterator[Finding]:
    if row["FEATS"] == "_":
        return
    features = row["FEATS"].split("|")
    if _disordered(features):
        yield row.finding(2, "unsorted-features", f"Features are in alphabetical order; found {row['FEATS']}.", "FEATS")
    names = set()
    for feature in features:
        match = _FEATURE.fullmatch(feature)
        names.add(match[1] if match else feature)
        if not match:
            message = f"A feature looks like Name=Value; found {feature!r}."
            yield row.finding(2, "invalid-feature", message, "FEATS")
            continue
        values = match[2].split(",")
        if len(set(values)) < len(values):
            yield row.finding(2, "repeated-feature-value", f"A value stands twice in {feature!r}.", "FEATS")
        if _disordered(values):
            message = f"The values of a feature are in alphabetical order; found {feature!r}."
            yield row.finding(2, "unsorted-feature-values", message, "FEATS")
    if len(names) < len(features):
        yield row.finding(2, "repeated-feature", f"A feature stands twice in {row['FEATS']!r}.", "FEATS")


def readable_feats(row: Row) -> bool:
    """Tell whether all features of a line are Name=Value, so that what needs them can be checked."""
    return row["FEATS"] == "_" or all(_FEATURE.fullmatch(feature) for feature in row["FEATS"].split("|"))


def _disordered(items: list[str]) -> bool:
    lower = [item.lower() for item in items]
    return lower != sorted(lower)


def _label(row: Row) -> Iterator[Finding]:
    label = row["DEPREL"]
    if not _LABEL.fullmatch(label):
        message = f"DEPREL is a relation in small letters, with or without a subtype after a colon; found {label!r}."
        yield row.finding(2, "invalid-deprel", message, "DEPREL")
    elif universal(label) not in RELATIONS:
        yield row.finding(2, "unknown-udeprel", f"UD has no relation {universal(label)!r}.", "DEPREL")


def _deps(row: Row) -> Iterator[Finding]:
    edges = [(_number(head), label) for head, label in row.deps or []]
    heads = [head for head, _ in edges]
    if heads != sorted(heads):
        yield row.finding(2, "unsorted-deps", f"DEPS is in the order of the heads; found {row['DEPS']!r}.", "DEPS")
    else:
        for (head, label), (next_head, next_label) in itertools.pairwise(edges):
            if head == next_head and next_label < label:
                message = f"Labels of one head are in alphabetical order; found {row['DEPS']!r}."
                yield row.finding(2, "unsorted-deps-2", message, "DEPS")
            elif head == next_head and next_label == label:
                yield row.finding(2, "repeated-deps", f"A relation stands twice in {row['DEPS']!r}.", "DEPS")
    if _number(row["ID"]) in heads:
        yield row.finding(2, "deps-self-loop", "A word is not its own head in DEPS.", "DEPS")
    for _, label in row.deps or []:
        if not _is_enhanced_label(label):
            message = f"A label in DEPS is a relation, a subtype, a marker and a case with colons; found {label!r}."
            yield row.finding(2, "invalid-edeprel", message, "DEPS")
        elif universal(label) not in (*RELATIONS, "ref"):
            yield row.finding(2, "unknown-eudeprel", f"UD has no enhanced relation {universal(label)!r}.", "DEPS")


def _number(identifier: str) -> tuple[int, int]:
    word, _, empty = identifier.partition(".")
    return int(word), int(empty or 0)


def _is_enhanced_label(label: str) -> bool:
    """Tell whether a label is ``relation[:subtype][:marker][:case]``; markers are of any script, without capitals."""
    if not label.isascii():
        label = "".join("ß" if c > "\x7f" and unicodedata.category(c) in _LETTERS else c for c in label)
    return _ENHANCED_LABEL.fullmatch(label) is not None


def _misc(row: Row) -> Iterator[Finding]:
    if row["MISC"] == "_":
        return
    seen: dict[str, int] = {}
    for item in row["MISC"].split("|"):
        name, equals, value = item.partition("=")
        if not name:
            check, message = ("empty-misc-key", "has no name") if equals else ("empty-misc", "is empty")
            yield row.finding(2, check, f"An attribute of MISC {message}: {row['MISC']!r}.", "MISC", warning=True)
        if name != name.strip() or value != value.strip():
            message = f"There is a space at the start or the end of a name or a value: {item!r}."
            yield row.finding(2, "misc-extra-space", message, "MISC", warning=True)
        if name in _NAMES:
            seen[name] = seen.get(name, 0) + 1
        elif name.strip().lower() in {known.lower() for known in _NAMES}:
            known = next(known for known in _NAMES if known.lower() == name.strip().lower())
            message = f"The attribute is written {known}; found {name!r}."
            yield row.finding(2, "misc-attr-typo", message, "MISC", warning=True)
    for name, count in seen.items():
        if count > 1:
            yield row.finding(2, "repeated-misc", f"{name} stands {count} times in MISC.", "MISC")
