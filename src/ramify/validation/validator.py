"""The order of the checks; some run only if others have found nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ramify.data.files import file_name, open_for_reading, read_chunks, refuse_other_encodings
from ramify.errors import InvalidInputError
from ramify.validation.block import Block, is_blank
from ramify.validation.content import check_content, check_roots
from ramify.validation.finding import Finding
from ramify.validation.graph import check_connected
from ramify.validation.lines import check_cells, check_ids, check_lines, check_overlaps
from ramify.validation.metadata import check_parallel_id, check_sent_id, check_text
from ramify.validation.treebank import TreebankFacts, check_enhanced_everywhere, check_enhanced_orphans, note_features
from ramify.validation.values import check_heads, check_tree, check_values, readable_feats

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ramify.data.files import PathOrFile

__all__ = ["LEVELS", "Validator", "validate"]

LEVELS = (1, 2, 3)
_HARMLESS = {"pseudo-empty-line", "invalid-utf", "unicode-normalization", "missing-empty-line"}


class Validator:
    r"""Check one sentence after the other, and remember what the sentences of a treebank have to agree on.

    Parameters
    ----------
    level : 1 checks the format, 2 also the values, 3 also the content

    Examples
    --------
    >>> row = "1 Hi hi INTJ _ _ 0 dep _ _".replace(" ", chr(9))
    >>> lines = ["# sent_id = 1", "# text = Hi", row, ""]
    >>> [(f.word, f.check) for f in Validator().check(lines)]
    [('1', '0-is-not-root')]
    """

    def __init__(self, level: int = 3) -> None:
        if level not in LEVELS:
            raise InvalidInputError(f"Validator expects a level from 1 to 3; got {level!r}.")
        self._level = level
        self._facts = TreebankFacts()

    def check(self, lines: Sequence[str], first_line: int = 1) -> list[Finding]:
        """Check the lines of a sentence, with the empty line that ends it.

        Parameters
        ----------
        lines : without line breaks
        first_line : line number of the first of them
        """
        return list(self._findings(Block(lines, first_line)))

    def _findings(self, block: Block) -> Iterator[Finding]:
        # Each of these needs that the ones before it found nothing serious.
        basic = [check_lines, check_cells, check_ids, check_overlaps]
        if self._level > 1:
            basic += [check_heads, check_tree]
        for check in basic:
            found = list(check(block))
            yield from found
            if any(not _harmless(finding) for finding in found):
                return
        if self._level == 1:
            return
        yield from note_features(block, self._facts)
        yield from check_values(block)
        if not all(readable_feats(row) for row in block.rows if not row.range):
            return
        yield from check_enhanced_everywhere(block, self._facts)
        yield from check_sent_id(block, self._facts)
        yield from check_parallel_id(block, self._facts)
        yield from check_text(block, self._facts)
        if self._level > 2:
            yield from check_roots(block)
            yield from check_enhanced_orphans(block, self._facts)
        yield from check_connected(block)
        if self._level > 2:
            yield from check_content(block, self._facts)

    def finish(self) -> list[Finding]:
        """Return what can be said only after the last sentence, at the first one that it is about."""
        line = self._facts.with_enhanced
        if self._level < 3 or not line or self._facts.enhancement:
            return []
        message = "DEPS repeats the tree in all sentences; leave it '_' where nothing is enhanced."
        return [Finding(line, 3, "edeps-identical-to-basic-trees", message)]


def _harmless(finding: Finding) -> bool:
    return (
        finding.check in _HARMLESS
        or (finding.level == 1 and finding.check.endswith("whitespace"))
        or (finding.check in ("invalid-whitespace-mwt", "empty-column"))
    )


def validate(source: PathOrFile, *, level: int = 3) -> Iterator[Finding]:
    """Check a treebank in CoNLL-U against the universal rules of UD.

    Parameters
    ----------
    source : path, ``"-"`` for standard input, or an open file
    level : 1 checks the format of lines, 2 also the values in them, 3 also the content of the annotation

    Yields
    ------
    Finding
        In the order of the sentences. A finding that depends on a later sentence comes with that sentence.

    Examples
    --------
    >>> findings = list(validate("tests/data/ewt-sample-200.conllu"))
    >>> sum(not finding.warning for finding in findings)
    0
    """
    validator = Validator(level)

    def findings() -> Iterator[Finding]:
        name = file_name(source)
        with open_for_reading(source) as file:
            number, breaks = 0, ""
            block: list[str] = []
            for text in _lines(refuse_other_encodings(read_chunks(file, name), name)):
                number += 1
                line = text.rstrip("\n").rstrip("\r")
                breaks = breaks or text[len(line) :].strip("\n")
                block.append(line)
                if is_blank(line):
                    yield from validator.check(block, number - len(block) + 1)
                    block = []
            if block:
                yield from validator.check(block, number - len(block) + 1)
        if breaks:
            yield Finding(number, 1, "non-unix-newline", "Lines end with the Windows line break; CoNLL-U has \\n only.")
        yield from validator.finish()

    return findings()


def _lines(chunks: Iterator[bytes]) -> Iterator[str]:
    """Yield lines with their ends; bytes that are no UTF-8 become U+FFFD, which is a finding of its own."""
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace") + "\n"
    if rest:
        yield rest.decode("utf-8", "replace")
