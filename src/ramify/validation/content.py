"""Level 3: the tree against the guidelines that hold for all languages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.validation.block import universal
from ramify.validation.tree import Tree, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ramify.validation.block import Block
    from ramify.validation.finding import Finding
    from ramify.validation.treebank import TreebankFacts

__all__ = ["check_content", "check_roots"]

# Tags that a relation asks for, and tags that it excludes. A prefix such as "ADV" is enough.
_ONLY = {
    "nummod": ("NUM", "NOUN", "SYM"),
    "expl": ("PRON", "DET", "PART"),
    "det": ("DET", "PRON"),
    "advmod": ("ADV", "ADJ", "CCONJ", "DET", "PART", "SYM"),
    "aux": ("AUX",),
    "cop": ("AUX", "PRON", "DET", "SYM"),
    "punct": ("PUNCT",),
}
_NOT = {
    "case": ("PROPN", "ADJ", "PRON", "DET", "NUM", "AUX"),
    "mark": ("NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "AUX", "INTJ"),
    "cc": ("NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "VERB", "AUX", "INTJ"),
}
# What words with these relations may govern; they are leaves otherwise.
_ALWAYS = ("goeswith", "fixed", "reparandum", "conj", "punct")
_MODIFIERS_OF = {
    "case": ("leaf-mark-case", (*_ALWAYS, "advmod", "obl", "cc")),
    "mark": ("leaf-mark-case", (*_ALWAYS, "advmod", "obl", "cc")),
    "aux": ("leaf-aux-cop", (*_ALWAYS, "cc")),
    "cop": ("leaf-aux-cop", (*_ALWAYS, "cc")),
    "clf": ("leaf-clf", (*_ALWAYS, "advmod", "obl", "cc")),
    "cc": ("leaf-cc", _ALWAYS),
    "det": (
        "leaf-det",
        (*_ALWAYS, *["det", "case", "advmod", "obl", "clf", "flat", "compound", "discourse", "parataxis", "cc"]),
    ),
    "fixed": ("leaf-fixed", ("goeswith", "reparandum", "conj", "punct")),
    "goeswith": ("leaf-goeswith", ()),
    "punct": ("leaf-punct", ("punct",)),
}
_NOMINAL = ("nsubj", "obj", "iobj", "obl", "vocative", "dislocated", "expl", "nmod")
_HEADS_OF_ORPHANS = ("conj", "parataxis", "root", "csubj", "ccomp", "advcl", "acl", "reparandum")


def check_roots(block: Block) -> Iterator[Finding]:
    """Check that the label is root where the head is 0, and nowhere else, in the tree and in the enhanced graph."""
    for row in block.rows:
        if row.is_word:
            is_root = universal(row["DEPREL"]) == "root"
            if row["HEAD"] == "0" and not is_root:
                yield row.finding(3, "0-is-not-root", f"HEAD is 0, so DEPREL is root; found {row['DEPREL']}.", "DEPREL")
            if row["HEAD"] != "0" and is_root:
                yield row.finding(3, "root-is-not-0", f"DEPREL is root, so HEAD is 0; found {row['HEAD']}.", "DEPREL")
        for head, label in [] if row.range else row.deps or []:
            is_root = universal(label) == "root"
            if head == "0" and not is_root:
                message = f"A relation from 0 in DEPS is root; found {label!r}."
                yield row.finding(3, "enhanced-0-is-not-root", message, "DEPS")
            if head != "0" and is_root:
                message = f"The relation root in DEPS comes from 0; found {head}."
                yield row.finding(3, "enhanced-root-is-not-0", message, "DEPS")


def check_content(block: Block, facts: TreebankFacts) -> Iterator[Finding]:
    """Check tags and features against relations, and what may depend on what."""
    tree = Tree(block)
    for word in tree.words:
        yield from _expected_features(word, facts)
        yield from _tag(word)
        yield from _foreign(word)
        yield from _order(word)
        yield from _single(word)
        yield from _nominal(word)
        yield from _leaves(tree, word)
        yield from _fixed(tree, word)
        yield from _goes_with(tree, word, facts)
        yield from _punctuation(tree, word)


def _expected_features(word: Word, facts: TreebankFacts) -> Iterator[Finding]:
    feats = word.row.feats
    if word.upos in ("PRON", "DET") and not feats.get("PronType"):
        message = f"A word tagged {word.upos} has the feature PronType."
        yield from facts.if_features(word.finding("pron-det-without-prontype", message, "FEATS", warning=True))
    if feats.get("VerbForm") == "Fin" and not feats.get("Mood"):
        yield word.finding("verbform-fin-without-mood", "A finite verb has the feature Mood.", "FEATS", warning=True)


def _tag(word: Word) -> Iterator[Finding]:
    # The first word of a fixed expression is tagged for itself in UPOS, for the whole in the feature ExtPos.
    external = word.row.feats.get("ExtPos")
    upos = external or word.upos
    below = {modifier.relation for modifier in word.modifiers}
    if "fixed" in below and not external:
        message = "The first word of a fixed expression has the feature ExtPos."
        yield word.finding("fixed-without-extpos", message, "FEATS", warning=True)
    only, excluded = _ONLY.get(word.relation), _NOT.get(word.relation)
    if only and not upos.startswith(only) and not (word.relation == "advmod" and "goeswith" in below):
        message = f"A word with the relation {word.relation} is tagged {', '.join(only)}; found {upos}."
        yield word.finding(f"rel-upos-{word.relation}", message, "UPOS")
    if excluded and upos.startswith(excluded):
        message = f"A word with the relation {word.relation} is not tagged {upos}."
        yield word.finding(f"rel-upos-{word.relation}", message, "UPOS")
    if upos == "PUNCT" and not word.relation.startswith(("punct", "root")):
        message = f"Punctuation has the relation punct; found {word.relation}."
        yield word.finding("upos-rel-punct", message, "DEPREL")
    if upos == "PROPN" and (word.relation == "fixed" or "fixed" in below):
        message = "Proper nouns make no fixed expression; use flat."
        yield word.finding("rel-upos-fixed", message, "DEPREL")


def _foreign(word: Word) -> Iterator[Finding]:
    if word.label == "flat:foreign":
        for each in filter(None, (word, word.head)):
            if each.upos != "X" or each.row["FEATS"] != "Foreign=Yes":
                message = "Words joined by flat:foreign have UPOS X and FEATS Foreign=Yes."
                yield each.finding("flat-foreign-upos-feats", message, "FEATS", warning=True)


def _order(word: Word) -> Iterator[Finding]:
    if word.relation in ("conj", "fixed", "flat", "goeswith", "appos") and word.head and word.head.id > word.id:
        message = f"The relation {word.relation} goes from left to right, so that its head is the first word."
        yield word.finding(f"right-to-left-{word.relation}", message, "HEAD")


def _single(word: Word) -> Iterator[Finding]:
    subjects = [
        modifier.id
        for modifier in word.modifiers
        if "subj" in modifier.relation
        and modifier.label not in ("nsubj:outer", "csubj:outer")
        and modifier.row.misc.get("Subject") != "Outer"
    ]
    objects = [modifier.id for modifier in word.modifiers if modifier.relation == "obj"]
    for name, found in (("subject", subjects), ("object", objects)):
        if len(found) > 1:
            message = f"A word has one {name} at most; found the words {', '.join(map(str, found))}."
            yield word.finding(f"too-many-{name}s", message)


def _nominal(word: Word) -> Iterator[Finding]:
    head = word.head
    under_nominal = head and head.upos in ("NOUN", "PROPN", "PRON") and head.relation in _NOMINAL
    is_clause = head and any(modifier.relation in ("cop", "nsubj", "csubj") for modifier in head.modifiers)
    if word.relation == "obl" and head and under_nominal and not is_clause:
        message = f"The head, word {head.id}, is a nominal, so the relation is nmod and not obl."
        yield word.finding("obl-should-be-nmod", message, "DEPREL")
    if word.relation == "orphan" and (head.relation if head else "") not in _HEADS_OF_ORPHANS:
        message = f"The head of an orphan has one of the relations {', '.join(_HEADS_OF_ORPHANS)}."
        yield word.finding("orphan-parent", message, "DEPREL", warning=True)


def _leaves(tree: Tree, word: Word) -> Iterator[Finding]:
    if word.relation not in _MODIFIERS_OF:
        return
    check, allowed = _MODIFIERS_OF[word.relation]
    for modifier in word.modifiers:
        negation = (
            modifier.relation == "advmod"
            and modifier.upos in ("PART", "ADV")
            and modifier.row.feats.get("Polarity") == "Neg"
        )
        if negation and word.relation != "punct":
            continue
        if modifier.relation == "punct" and tree.gap(word):
            continue
        possessive = word.relation == "det" and word.row.feats.get("Poss") == "Yes"
        if modifier.relation not in allowed and not (possessive and modifier.relation in ("appos", "acl", "nmod")):
            message = (
                f"The head, word {word.id}, has the relation {word.relation}, and such words do not govern "
                f"{modifier.relation}."
            )
            yield modifier.finding(check, message, "HEAD")


def _fixed(tree: Tree, word: Word) -> Iterator[Finding]:
    parts = [word.id, *(modifier.id for modifier in word.modifiers if modifier.relation == "fixed")]
    inside = tree.words[word.id - 1 : parts[-1]] if len(parts) > 1 else ()
    others = [str(each.id) for each in inside if each.id not in parts and each.relation != "punct"]
    if others:
        message = f"Other words stand inside the fixed expression: {', '.join(others)}."
        yield word.finding("fixed-gap", message, warning=True)


def _goes_with(tree: Tree, word: Word, facts: TreebankFacts) -> Iterator[Finding]:
    parts = [word, *(modifier for modifier in word.modifiers if modifier.relation == "goeswith")]
    if len(parts) > 1:
        parts.sort(key=lambda part: part.id)
        last = max(part.id for part in parts if part is not word)
        if [part.id for part in parts] != list(range(word.id, last + 1)):
            message = "Words joined by goeswith follow each other without a gap."
            yield word.finding("goeswith-gap", message)
        if any(part.row.misc.get("SpaceAfter") == "No" for part in parts[:-1]):
            message = "Words joined by goeswith have spaces between them in the text."
            yield word.finding("goeswith-nospace", message, "MISC")
        if word.row.feats.get("Typo") != "Yes":
            message = "The first of words joined by goeswith has the feature Typo=Yes."
            yield from facts.if_features(word.finding("goeswith-missing-typo", message, "FEATS"))
    if word.relation == "goeswith":
        deps = (
            "_",
            f"{word.head.id if word.head else 0}:{word.label}",
        )
        for check, column, expected in (
            ("goeswith-lemma", "LEMMA", ("_",)),
            ("goeswith-upos", "UPOS", ("X",)),
            ("goeswith-feats", "FEATS", ("_",)),
            ("goeswith-edeps", "DEPS", deps),
        ):
            if word.row[column] not in expected:
                message = f"The first part of a word carries its annotation; here {column} is {' or '.join(expected)}."
                yield word.finding(check, message, column)


def _punctuation(tree: Tree, word: Word) -> Iterator[Finding]:
    if word.relation != "punct":
        return
    crossed = tree.arcs_across(word)
    if crossed:
        message = f"Punctuation does not make others non-projective; it does so to {', '.join(map(str, crossed))}."
        yield word.finding("punct-causes-nonproj", message, "HEAD")
    gap = tree.gap(word)
    if gap:
        message = f"Punctuation is not attached across other words; it is, across {', '.join(map(str, gap))}."
        yield word.finding("punct-is-nonproj", message, "HEAD")
