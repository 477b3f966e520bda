"""A session of an annotator with a file: what the page shows of a sentence, and what follows from a decision."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.annotation.actions import ACTIONS, Change, Place
from ramify.annotation.blocks import with_cells
from ramify.annotation.document import Document
from ramify.annotation.others import Others
from ramify.annotation.reparse import Answer, Reparser, Tree
from ramify.annotation.scan import Scan
from ramify.annotation.views import describe
from ramify.errors import InvalidInputError, ParseError
from ramify.parsing import Head, Label, NotHead, Parser

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from ramify.annotation.marks import Marks
    from ramify.data import Sentence
    from ramify.parsing import Constraint

__all__ = ["Session"]

_TAGS = ("UPOS", "XPOS", "FEATS", "LEMMA")


@dataclass(frozen=True)
class _Read:
    """A sentence of the file, and what the parser takes for it.

    Attributes
    ----------
    sentence : as the file has it
    tagged : with tags, which the parser needs
    tree : that of the file; where it has none, the parser's
    """

    sentence: Sentence
    tagged: Sentence
    tree: Tree


class Session:
    """A file, a parser, and the decisions of an annotator.

    Parameters
    ----------
    path : the file, which is changed in place
    parser : parser that answers decisions
    tag : function that writes tags into sentences without tags
    others : further files with the same sentences, to compare with
    likely, price : see `ramify.annotation.reparse.Reparser`
    max_words : longer sentences are not parsed; they can be edited nevertheless

    Examples
    --------
    >>> import pathlib, ramify, shutil, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "some.conllu")
    >>> _ = shutil.copy("tests/data/ewt-sample-200.conllu", file)
    >>> session = Session(file, ramify.load("en").parser)
    >>> view = session.act(0, {"do": "head", "word": 1, "head": 2})
    >>> view["words"][0]["head"], session.save()
    (2, True)
    >>> session.close()
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        parser: Parser,
        *,
        tag: Callable[[list[Sentence]], object] | None = None,
        others: Sequence[str | os.PathLike[str]] = (),
        likely: float = 0.6,
        price: float = 0.0,
        max_words: int = 250,
    ) -> None:
        self.document = Document(path)
        self.reparser = Reparser(parser, likely, price, max_words, tag)
        try:
            self.others = Others(others, len(self.document.blocks))
        except BaseException:
            self.document.close()
            raise
        self.scan = Scan(self._for_scan, len(self.document.blocks), self.reparser)

    def __len__(self) -> int:
        return len(self.document.blocks)

    def close(self) -> None:
        """Write the file, and end the session."""
        self.scan.close()
        try:
            self.document.save()
        finally:
            self.document.close()

    def save(self) -> bool:
        """Write the file; return whether anything had changed."""
        return self.document.save()

    def use(self, parser: Parser) -> None:
        """Use another parser from now on."""
        self.reparser = replace(self.reparser, parser=parser, _known=type(self.reparser._known)())
        self.scan.close()
        self.scan = Scan(self._for_scan, len(self), self.reparser)
        self.scan.start()

    def _for_scan(self, number: int) -> Sentence | None:
        if number >= len(self.document.blocks):
            return None
        return self.reparser.tagged(self.document.sentence(number))

    def _number(self, number: int) -> int:
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(self):
            raise InvalidInputError(f"The file has {len(self)} sentences; got number {number!r}, counted from 0.")
        return number

    def _read(self, number: int) -> _Read:
        sentence = self.document.sentence(self._number(number))
        tagged = self.reparser.tagged(sentence)
        tree = Tree.of(sentence)
        if not tree.is_whole:
            known: list[Constraint] = [Head(w, head) for w, head in enumerate(tree.heads, 1) if head >= 0]
            found = self.reparser.best(tagged, [*known, *self.reparser.hard(self.document.marks[number], tree)])
            if found.found:
                pairs = zip(tree.labels, found.labels, strict=True)
                tree = Tree(tuple(map(int, found.heads)), tuple(b if a == "_" else a for a, b in pairs))
        return _Read(sentence, tagged, tree)

    def view(self, number: int) -> dict[str, Any]:
        """Return everything that is shown of a sentence, as what `json.dumps` takes.

        Parameters
        ----------
        number : of the sentence, from 0
        """
        marks = self.document.marks[self._number(number)]
        try:
            read = self._read(number)
        except (ParseError, InvalidInputError) as error:
            return {
                "number": number,
                "count": len(self),
                "problem": str(error),
                "state": marks.state,
                "lines": self.document.blocks[number].decode().splitlines(),
            }
        hard = self.reparser.hard(marks, read.tree)
        found = self.reparser.best(read.tagged, hard)
        dense = found.marginals if found.found else None
        self._know(number, read.tree, dense)
        shown = describe(
            self.document.blocks[number], read.tree, read.tagged, marks, dense, checked=self.document.format == "conllu"
        )
        shown["others"] = self.others.compared(number, read.sentence)
        shown |= {
            "number": number,
            "count": len(self),
            "can_undo": self.document.can_undo,
            "can_redo": self.document.can_redo,
            "proposed": not Tree.of(read.sentence).is_whole,
            "conflict": [_named(c) for c in found.conflict],
        }
        return shown

    def _know(self, number: int, tree: Tree, dense: Any) -> None:
        if dense is not None and tree.is_whole:
            sure = dense[list(tree.heads), np.arange(1, len(tree.heads) + 1)]
            self.scan.know(number, sure.astype(np.float32))

    def act(self, number: int, action: dict[str, Any]) -> dict[str, Any]:
        """Carry out an action; when this returns, its effect is on the disk.

        Parameters
        ----------
        number : of the sentence, from 0
        action : ``do`` names it (`ramify.annotation.actions.ACTIONS`, and ``tree`` for one of the best trees); the
            other fields say more. ``without`` lists decisions to drop first, as a conflict names them; ``alone`` keeps
            the arcs of all other words where a tree allows that

        Returns
        -------
        As `view`, with ``moved``: the words whose arcs the parser has changed. If the decision contradicts others,
        nothing has happened, and ``conflict`` names a smallest set of decisions that contradict each other.
        """
        read = self._read(number)
        change, answer = self._answered(number, read, action)
        if answer.tree is None:
            return self.view(number) | {"conflict": [_named(c) for c in answer.conflict], "refused": True}
        tree = answer.tree
        self._carry_out(number, read, change, tree)
        moved = _moved(read.tree, tree) if change.parse or change.tree else []
        touched = action.get("word")
        view = self.view(number)
        self.scan.wake()  # now, as the view knows this sentence already
        return view | {"moved": [word for word in moved if word != touched], "what": change.what}

    def _answered(self, number: int, read: _Read, action: dict[str, Any]) -> tuple[Change, Answer]:
        """Return what an action asks for, and what the parser says to it."""
        before = self.document.marks[number]
        for other in action.get("without", ()):
            before = _dropped(before, other)
        change = self._change(number, read, before, action)
        if not change.parse:
            return change, Answer(change.tree or read.tree)
        changed = None if change.blocks is None else self.reparser.tagged(self._sentence_of(change.blocks[0]))
        alone = bool(action.get("alone"))
        return change, self.reparser.answer(
            read.tagged, read.tree, before, change.marks[0], changed=changed, alone=alone
        )

    def preview(self, number: int, action: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the arcs of other words that would change if an action was carried out; then the action is fast.

        Parameters
        ----------
        number, action : as in `act`
        """
        read = self._read(number)
        change, answer = self._answered(number, read, action)
        if answer.tree is None:
            return []
        tree = answer.tree
        if change.blocks is None:
            self.reparser.best(read.tagged, self.reparser.hard(change.marks[0], tree))  # what `view` asks for
        words = [word for word in _moved(read.tree, tree) if word != action.get("word")]
        return [{"word": word, "head": tree.heads[word - 1], "label": tree.labels[word - 1]} for word in words]

    def _sentence_of(self, block: bytes) -> Sentence:
        from ramify.annotation.blocks import parsed

        return parsed(block, self.document.format)

    def _change(self, number: int, read: _Read, marks: Marks, action: dict[str, Any]) -> Change:
        name = action.get("do")
        if name == "tree":
            return self._other_tree(read, marks, action)
        if name not in ACTIONS:
            raise InvalidInputError(f"There is no action {name!r}; there are tree, {', '.join(ACTIONS)}.")
        place = Place(
            self.document.blocks[number : number + 2], marks, read.tree, self.document.format, self._free_name
        )
        return ACTIONS[name](place, action)

    def _other_tree(self, read: _Read, marks: Marks, action: dict[str, Any]) -> Change:
        k = action.get("k")
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= 20:
            raise InvalidInputError(f"The action expects k from 1 to 20; got {k!r}.")
        trees = self._k_best(read, marks, k)
        if len(trees) < k:
            raise InvalidInputError(f"There are only {len(trees)} trees under these decisions.")
        return Change(f"tree number {k}", (marks,), tree=trees[k - 1])

    def _k_best(self, read: _Read, marks: Marks, k: int) -> list[Tree]:
        hard = self.reparser.hard(marks, read.tree)
        found = self.reparser.parser.parse(
            read.tagged, constraints=hard or None, k=max(2, k), max_words=self.reparser.max_words
        )
        return [Tree(tuple(map(int, tree.heads)), tree.labels) for tree in found.k_best]

    def _carry_out(self, number: int, read: _Read, change: Change, tree: Tree) -> None:
        marks, blocks = change.marks, change.blocks or (self.document.blocks[number],)
        if len(blocks) == 1 and change.count == 1 and len(tree.heads) == len(self._sentence_of(blocks[0])):
            touched = _moved(read.tree, tree)
            first = marks[0]
            for word in touched:
                mark = first.of(word)
                if mark.head is None and not mark.locked:
                    first = first.with_word(word, moved=True)
            marks = (first,)
            blocks = (self._written(blocks[0], read, tree, force=change.what != "note"),)
        self.document.replace(change.what, number, change.count, blocks, marks)
        self.scan.replace(number, change.count, len(blocks))
        self.others.replace(number, change.count, len(blocks))

    def _written(self, block: bytes, read: _Read, tree: Tree, *, force: bool) -> bytes:
        """Put a tree into a block: only cells that say something else are replaced."""
        present = Tree.of(self._sentence_of(block))
        cells: dict[tuple[str, str], str] = {}
        if not force:
            return block
        for word, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True), 1):
            if head >= 0 and head != present.heads[word - 1]:
                cells[str(word), "HEAD"] = str(head)
            if label != "_" and label != present.labels[word - 1]:
                cells[str(word), "DEPREL"] = label
        if read.tagged is not read.sentence:  # there were no tags at all
            for name, column in zip(_TAGS, ("upos", "xpos", "feats", "lemmas"), strict=True):
                present_values = getattr(self._sentence_of(block), column)
                for word, value in enumerate(getattr(read.tagged, column), 1):
                    if value != "_" and present_values[word - 1] == "_":
                        cells[str(word), name] = value
        return with_cells(block, cells)

    def _free_name(self, name: str) -> str:
        taken = set(re.findall(rb"^#\s*sent_id\s*=\s*(\S+)", b"".join(self.document.blocks), re.M))
        number = 2
        while f"{name}-{number}".encode() in taken:
            number += 1
        return f"{name}-{number}"

    def undo(self) -> dict[str, Any] | None:
        """Take the last step back, with its decisions; return the view of its sentence, or None."""
        return self._turned(self.document.undo())

    def redo(self) -> dict[str, Any] | None:
        """Repeat the last step that was taken back."""
        return self._turned(self.document.redo())

    def _turned(self, step: Any) -> dict[str, Any] | None:
        if step is None:
            return None
        self.scan.replace(step.first, len(step.before), len(step.after))
        self.others.replace(step.first, len(step.before), len(step.after))
        view = self.view(min(step.first, len(self) - 1))
        self.scan.wake()
        return view | {"what": step.what, "moved": []}

    def heads(self, number: int, word: int) -> list[dict[str, Any]]:
        """Return heads that a word could have, likely ones first, with their prices."""
        read = self._checked(number, word)
        marks = self.document.marks[number]
        return [vars(each) for each in self.reparser.heads(read.tagged, read.tree, marks, word)]

    def labels(self, number: int, word: int) -> list[dict[str, Any]]:
        """Return labels that the arc of a word could have, likely ones first, with their prices."""
        read = self._checked(number, word)
        return [vars(each) for each in self.reparser.labels(read.tagged, read.tree, word)]

    def explain(self, number: int, word: int, against: int | None = None) -> str:
        """Say as text why the parser gives a word its head, and not another one."""
        read = self._checked(number, word)
        marks = self.document.marks[number].without(word)
        hard = self.reparser.hard(marks, read.tree)
        return self.reparser.parser.explain(read.tagged, word, against, constraints=hard).text(top=5)

    def k_best(self, number: int, k: int = 5) -> list[dict[str, Any]]:
        """Return the best trees under the decisions, best first: heads and labels."""
        read = self._read(number)
        return [vars(tree) for tree in self._k_best(read, self.document.marks[number], k)]

    def _checked(self, number: int, word: object) -> _Read:
        read = self._read(number)
        if isinstance(word, bool) or not isinstance(word, int) or not 1 <= word <= len(read.sentence):
            raise InvalidInputError(f"The sentence has words 1 to {len(read.sentence)}; got {word!r}.")
        return read


def _moved(old: Tree, new: Tree) -> list[int]:
    if len(old.heads) != len(new.heads):
        return []
    pairs = zip(old.heads, old.labels, new.heads, new.labels, strict=True)
    return [word for word, (a, b, c, d) in enumerate(pairs, 1) if (a, b) != (c, d)]


def _named(constraint: Constraint) -> dict[str, Any]:
    """Describe a constraint so that the page can name it, and give it back to be dropped."""
    found: dict[str, Any] = {"word": constraint.word, "text": str(constraint)}
    if isinstance(constraint, Head):
        return found | {"kind": "head", "head": constraint.head}
    if isinstance(constraint, NotHead):
        return found | {"kind": "not_head", "head": constraint.head}
    if isinstance(constraint, Label):
        return found | {"kind": "label", "label": constraint.label}
    return found | {"kind": "head", "head": 0}


def _dropped(marks: Marks, named: dict[str, Any]) -> Marks:
    """Drop a decision that a conflict has named."""
    word, kind = named.get("word"), named.get("kind")
    if not isinstance(word, int) or kind not in ("head", "not_head", "label"):
        raise InvalidInputError(f"A decision to remove has the fields word and kind; got {named!r}.")
    if kind == "not_head":
        rest = tuple(head for head in marks.of(word).forbidden if head != named.get("head"))
        return marks.with_word(word, forbidden=rest)
    if kind == "label":
        return marks.with_word(word, label=None, locked=False)
    return marks.with_word(word, head=None, label=None, locked=False)
