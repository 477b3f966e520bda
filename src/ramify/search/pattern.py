"""Patterns, and the search for them in treebanks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ramify.data import Sentence, read, to_head_array
from ramify.errors import InvalidInputError
from ramify.search.grammar import parse_request
from ramify.search.match import Match
from ramify.search.matcher import BlockMatcher
from ramify.search.words import Words
from ramify.trees.projectivity import is_projective, is_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ramify.data.files import PathOrFile

__all__ = ["Pattern", "search"]


class Pattern:
    """A tree pattern in the syntax of Grew.

    Parameters
    ----------
    text : ``pattern { … } without { … }``; clauses without ``pattern { … }`` around them are the inside of one

    Raises
    ------
    PatternError
        The text does not follow the grammar; the message points at the place.

    Examples
    --------
    >>> from ramify.data import Sentence
    >>> s = Sentence(["Dogs", "bark"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> pattern = Pattern("pattern { V [upos=VERB]; V -[nsubj]-> S; S << V }")
    >>> [match] = pattern.matches(s)
    >>> match["S"].form, match.words
    ('Dogs', {'V': 2, 'S': 1})
    """

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise InvalidInputError(f"Pattern expects a string; got {type(text).__name__}.")
        self.text = text
        request = parse_request(text)
        self._request = request
        self._block = BlockMatcher(request.block)
        self._conditions = [(wanted, BlockMatcher(block, request.block.tests)) for wanted, block in request.conditions]

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    def __reduce__(self) -> tuple[type[Pattern], tuple[str]]:
        return Pattern, (self.text,)

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the words that a match has."""
        return tuple(self._request.block.tests)

    @property
    def edges(self) -> tuple[str, ...]:
        """Names of the edges that a match has."""
        return tuple(self._request.block.edges)

    def matches(self, sentence: Sentence) -> list[Match]:
        """Return all matches in a sentence, in the order of their words; different names are different words.

        Parameters
        ----------
        sentence : a `ramify.data.Sentence`, or what has one as ``sentence``, such as a parser's result
        """
        columns = _columns_of(sentence)
        if not self._fits(columns):
            return []
        words = Words(columns)
        names = self.nodes
        found = sorted(tuple(bound[name] for name in names) for bound in self._block.find(words, {}))
        matches = []
        for numbers in found:
            bound = dict(zip(names, numbers, strict=True))
            if all(any(True for _ in block.find(words, bound)) is wanted for wanted, block in self._conditions):
                edges = {name: bound[dependent] for name, dependent in self._request.block.edges.items()}
                matches.append(Match(columns, bound, edges))
        return matches

    def _fits(self, sentence: Sentence) -> bool:
        """Tell whether a sentence as a whole is one to look at."""
        for test in self._request.metadata:
            if not test.holds(sentence.metadata(test.feature)):
                return False
        for name in self._request.shape:
            heads = to_head_array(sentence)
            tree = is_tree(heads)
            holds = tree if name.endswith("tree") else tree and is_projective(heads)
            if holds is name.startswith("is_not_"):
                return False
        return True


def search(treebank: PathOrFile | Iterable[Any], pattern: Pattern | str) -> Iterator[Match]:
    """Look for a pattern in a treebank, one sentence at a time; memory does not grow with it.

    Parameters
    ----------
    treebank : a path or an open file, as in `ramify.data.read`, a `ramify.Doc`, or sentences
    pattern : what to look for

    Examples
    --------
    >>> matches = list(search("tests/data/ewt-sample-200.conllu", "V [upos=VERB]; V -[nsubj:pass]-> S"))
    >>> matches[0]["S"].deprel
    'nsubj:pass'
    """
    wanted = pattern if isinstance(pattern, Pattern) else Pattern(pattern)
    sentences: Iterable[Any]
    if isinstance(treebank, (str, os.PathLike)) or hasattr(treebank, "read"):
        sentences = read(treebank, multiple_roots=True)  # type: ignore[arg-type]
    else:
        sentences = getattr(treebank, "sentences", treebank)  # the tokens of a document are no sentences
    return (match for sentence in sentences for match in wanted.matches(sentence))


def _columns_of(item: Any) -> Sentence:
    sentence = item if isinstance(item, Sentence) else getattr(item, "sentence", None)
    if not isinstance(sentence, Sentence):
        raise InvalidInputError(
            f"A pattern is looked for in a ramify.data.Sentence, or in what has one; got {type(item).__name__}."
        )
    return sentence
