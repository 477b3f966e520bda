"""Documents: views of text, sentences and tokens over the columns that the pipeline fills."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ramify.data import Sentence as Columns
from ramify.data import to_spacy
from ramify.drawable import Drawable, drawing
from ramify.errors import InvalidInputError, UnsupportedError
from ramify.parsing import ParseStatus, ScoredTree
from ramify.pipeline.document_json import SentenceFacts, document_to_json
from ramify.pipeline.document_reader import document_from_json
from ramify.pipeline.layout import Layout, layout_of, surface_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt
    import spacy

    from ramify.parsing import Parser, ParseResult
    from ramify.pipeline.document_reader import KeptResult

__all__ = ["Doc", "Sentence", "Token"]

_DRAWN_IN_NOTEBOOKS = 50


class Doc(Drawable):
    """A text with its sentences, words, tags and trees.

    Made by a `Pipeline`. It is a sequence of its words; those of a multiword token count one by one.

    Examples
    --------
    ``doc = nlp("I like it.")``, ``doc[0].form`` is ``'I'``, ``doc[0].head.form`` is ``'like'``.
    """

    __slots__ = ("_first", "_layout", "_numbers", "_parser", "_probabilities", "_results", "language")

    def __init__(self, results: list[Any], parser: Parser | None, language: str, layout: Layout | None = None) -> None:
        self._results: list[ParseResult | KeptResult] = results
        self._parser = parser
        self._layout = layout
        self._first = np.concatenate(([0], np.cumsum([len(result.sentence) for result in results]))).astype(np.int64)
        self._numbers: dict[int, npt.NDArray[np.int64]] = {}
        self._probabilities: dict[int, npt.NDArray[np.float64] | None] = {}
        self.language = language

    def __len__(self) -> int:
        return int(self._first[-1])

    def __iter__(self) -> Iterator[Token]:
        return (Token(self, i, j) for i, result in enumerate(self._results) for j in range(len(result.sentence)))

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> list[Token]: ...
    def __getitem__(self, index: int | slice) -> Token | list[Token]:
        """Token(s) by position, from 0."""
        if isinstance(index, slice):
            return [self._token(i) for i in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"Doc of {len(self)} tokens has no item {index}.")
        return self._token(position)

    def __repr__(self) -> str:
        text = self.text if len(self.text) <= 40 else self.text[:40] + "…"
        return f"<Doc of {len(self._results):,} sentences, {len(self):,} tokens: {text!r}>"

    def __str__(self) -> str:
        return self.text

    def _token(self, position: int) -> Token:
        sentence = int(np.searchsorted(self._first, position, side="right")) - 1
        return Token(self, sentence, position - int(self._first[sentence]))

    def _need_parser(self) -> Parser:
        if self._parser is None:
            raise UnsupportedError(
                "A document that was read from a file has no parser, which marginals and k_best need; "
                "parse its text again with a Pipeline."
            )
        return self._parser

    def _places(self) -> Layout:
        if self._layout is None:
            self._layout = layout_of([result.sentence for result in self._results])
        return self._layout

    def _span(self, sentence: int, word: int) -> tuple[int, int, int]:
        """Return the surface token of a word, and the characters that it covers."""
        if sentence not in self._numbers:
            self._numbers[sentence] = surface_numbers(self._results[sentence].sentence)
        places = self._places()
        number = int(places.offsets[sentence] + self._numbers[sentence][word])
        return number, int(places.starts[number]), int(places.ends[number])

    @property
    def text(self) -> str:
        """The text, as it was given; of words that were given, with the spaces that MISC records."""
        return self._places().text

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences."""
        return tuple(Sentence(self, i) for i in range(len(self._results)))

    @property
    def tokens(self) -> list[Token]:
        """The words."""
        return list(self)

    def to_conllu(self) -> str:
        """Return the document in CoNLL-U."""
        return "".join(result.sentence.to_conllu() for result in self._results)

    def to_spacy(self, vocab: spacy.vocab.Vocab | None = None) -> spacy.tokens.Doc:
        """Convert to a spaCy ``Doc``; see `ramify.data.to_spacy`."""
        return to_spacy([result.sentence for result in self._results], vocab)

    def to_json(self, *, probabilities: bool = False) -> dict[str, Any]:
        """Return the document as what `json.dumps` takes; `from_json` reads it back.

        The format is described by the file ``document.schema.json`` in `ramify.pipeline`.

        Parameters
        ----------
        probabilities : whether words have the probabilities of their arcs
        """
        found = []
        for sentence in self.sentences:
            status = None if sentence.status is ParseStatus.PARSED else sentence.status.value
            known = sentence.probabilities if probabilities else None
            numbers = None if known is None else known.tolist()
            found.append((sentence.sentence, SentenceFacts(status=status, probabilities=numbers)))
        return document_to_json(found, language=self.language, layout=self._places())

    @classmethod
    def from_json(cls, value: object) -> Doc:
        """Read a document that `to_json` made, or ``ramify parse --json``: what `json.loads` returns.

        Text, sentences, words, tags, trees and the probabilities of their arcs are as they were. There is no parser, so
        `Sentence.marginals` and `Sentence.k_best` are not available.

        Examples
        --------
        >>> word = {"id": 1, "start": 0, "end": 2, "form": "Hi", "upos": "INTJ", "head": 0, "deprel": "root"}
        >>> doc = Doc.from_json({"version": 1, "text": "Hi", "sentences": [{"words": [word]}]})
        >>> doc.text, doc[0].upos, doc[0].is_root
        ('Hi', 'INTJ', True)
        """
        read = document_from_json(value)
        doc = cls(read.results, None, read.language, read.layout)
        doc._probabilities.update(read.probabilities)
        return doc

    def svg(self, **options: Any) -> str:
        """Draw all sentences as a standalone SVG file; `ramify.viz.DrawingOptions` says what options there are."""
        drawn: str = drawing().svg(self.sentences, **options)
        return drawn

    def html(self, **options: Any) -> str:
        """Draw all sentences as a standalone HTML page; `ramify.viz.DrawingOptions` says what options there are."""
        drawn: str = drawing().html(self.sentences, **options)
        return drawn

    def table(self, **options: Any) -> str:
        """Write all sentences as tables for a terminal, with arcs in front of the words."""
        drawn: str = drawing().table(self.sentences, **options)
        return drawn

    def _repr_svg_(self) -> str:
        return self.svg() if self._results else ""

    def _repr_html_(self) -> str:
        shown = self.sentences[:_DRAWN_IN_NOTEBOOKS]
        drawn: str = drawing().html(shown, page=False)
        left = len(self._results) - len(shown)
        return drawn + (f"<p>… and {left:,} more sentences</p>" if left else "")


class Sentence(Drawable):
    """One sentence of a document; a sequence of its words."""

    __slots__ = ("_doc", "_index")

    def __init__(self, doc: Doc, index: int) -> None:
        self._doc = doc
        self._index = index

    def __len__(self) -> int:
        return len(self.sentence)

    def __iter__(self) -> Iterator[Token]:
        return (Token(self._doc, self._index, i) for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Token: ...
    @overload
    def __getitem__(self, index: slice) -> list[Token]: ...
    def __getitem__(self, index: int | slice) -> Token | list[Token]:
        """Token(s) by position, from 0; word *i* of the tree is item *i* − 1."""
        if isinstance(index, slice):
            return [Token(self._doc, self._index, i) for i in range(*index.indices(len(self)))]
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"Sentence of {len(self)} words has no item {index}.")
        return Token(self._doc, self._index, position)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sentence) and self._doc is other._doc and self._index == other._index

    def __hash__(self) -> int:
        return hash((id(self._doc), self._index))

    def __repr__(self) -> str:
        return f"<Sentence {self._index + 1}: {self.text!r}>"

    def __str__(self) -> str:
        return self.text

    @property
    def doc(self) -> Doc:
        """The document."""
        return self._doc

    @property
    def sentence(self) -> Columns:
        """The columns that this is a view of, as treebanks have them."""
        return self._doc._results[self._index].sentence

    @property
    def status(self) -> ParseStatus:
        """How parsing ended: very long sentences have no tree."""
        return self._doc._results[self._index].status

    @property
    def start(self) -> int:
        """First character in the text of the document."""
        return self._doc._span(self._index, 0)[1]

    @property
    def end(self) -> int:
        """Character after the last one."""
        return self._doc._span(self._index, len(self) - 1)[2]

    @property
    def text(self) -> str:
        """The sentence as it stands in the text."""
        return self._doc.text[self.start : self.end]

    @property
    def tokens(self) -> list[Token]:
        """The words."""
        return list(self)

    @property
    def root(self) -> Token | None:
        """The word that hangs from the root; the first one where several do; None if there is no tree."""
        roots = np.flatnonzero(self.heads == 0)
        return Token(self._doc, self._index, int(roots[0])) if roots.size else None

    @property
    def heads(self) -> npt.NDArray[np.int32]:
        """Heads, shape (n,): 0 is the root, −1 is no head."""
        return self.sentence.heads

    @property
    def deprels(self) -> tuple[str, ...]:
        """Dependency labels, n strings."""
        return self.sentence.deprels

    @property
    def marginals(self) -> npt.NDArray[np.float64] | None:
        """Probabilities of arcs, shape (n + 1, n + 1), indexed [head, modifier]; None if there is no tree.

        Computed when they are first asked for, unless the pipeline was told to do so at once.
        """
        result = self._doc._results[self._index]
        if result.found and result.marginals is None:
            result = self._doc._need_parser().parse(result.sentence, marginals=True, max_words=0)
            self._doc._results[self._index] = result
        return result.marginals

    @property
    def probabilities(self) -> npt.NDArray[np.float64] | None:
        """Probabilities of the tree's own arcs, shape (n,); None if there is no tree."""
        known = self._doc._probabilities
        if self._index not in known:
            dense = self.marginals
            words = np.arange(1, len(self) + 1)
            known[self._index] = None if dense is None else dense[self.heads, words]
        return known[self._index]

    def k_best(self, k: int) -> list[ScoredTree]:
        """Return the k best trees, best first; fewer if there are not as many, none if there is no tree at all."""
        result = self._doc._results[self._index]
        if not result.found:
            return []
        found = self._doc._need_parser().parse(result.sentence, k=k, max_words=0)
        return found.k_best or [ScoredTree(found.heads, found.labels, found.value)]

    def to_conllu(self) -> str:
        """Return the sentence's lines in CoNLL-U."""
        return self.sentence.to_conllu()


class Token:
    """One word of a document."""

    __slots__ = ("_doc", "_index", "_sentence")

    def __init__(self, doc: Doc, sentence: int, index: int) -> None:
        self._doc = doc
        self._sentence = sentence
        self._index = index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and self._doc is other._doc and self.i == other.i

    def __hash__(self) -> int:
        return hash((id(self._doc), self.i))

    def __repr__(self) -> str:
        return f"<Token {self.i}: {self.form}>"

    def __str__(self) -> str:
        return self.form

    def _columns(self) -> Columns:
        return self._doc._results[self._sentence].sentence

    def _sibling(self, index: int) -> Token:
        return Token(self._doc, self._sentence, index)

    @property
    def doc(self) -> Doc:
        """The document."""
        return self._doc

    @property
    def sentence(self) -> Sentence:
        """The sentence that the word is in."""
        return Sentence(self._doc, self._sentence)

    @property
    def i(self) -> int:
        """Position in the document, from 0."""
        return int(self._doc._first[self._sentence]) + self._index

    @property
    def id(self) -> int:
        """Number of the word in its sentence, from 1, as trees count."""
        return self._index + 1

    @property
    def form(self) -> str:
        """The word."""
        return self._columns()[self._index].form

    @property
    def lemma(self) -> str:
        """Its lemma; ``'_'`` if the pipeline has no lemmas."""
        return self._columns()[self._index].lemma

    @property
    def upos(self) -> str:
        """Universal part of speech."""
        return self._columns()[self._index].upos

    @property
    def xpos(self) -> str:
        """Tag of the language; ``'_'`` if the pipeline has none."""
        return self._columns()[self._index].xpos

    @property
    def feats(self) -> str:
        """Morphological features, such as ``'Number=Sing'``; ``'_'`` if there are none."""
        return self._columns()[self._index].feats

    @property
    def deprel(self) -> str:
        """Label of the arc from the head; ``'_'`` if the sentence has no tree."""
        return self._columns()[self._index].deprel

    @property
    def head(self) -> Token | None:
        """The head; None for the root of the sentence, and where the sentence has no tree."""
        head = int(self._columns().heads[self._index])
        return self._sibling(head - 1) if head > 0 else None

    @property
    def is_root(self) -> bool:
        """Whether the word hangs from the root."""
        return int(self._columns().heads[self._index]) == 0

    @property
    def prob(self) -> float | None:
        """Probability of the arc from the head; None if the sentence has no tree."""
        known = self.sentence.probabilities
        return None if known is None else float(known[self._index])

    @property
    def children(self) -> list[Token]:
        """The words that have this one as their head, in their order."""
        return [self._sibling(int(i)) for i in np.flatnonzero(self._columns().heads == self.id)]

    @property
    def subtree(self) -> list[Token]:
        """The word and all words below it, in their order."""
        heads = self._columns().heads
        inside = np.zeros(len(heads) + 1, bool)
        level = np.array([self.id])
        while level.size:
            inside[level] = True
            level = np.flatnonzero(np.isin(heads, level)) + 1
        return [self._sibling(int(i) - 1) for i in np.flatnonzero(inside)]

    @property
    def start(self) -> int:
        """First character in the text; words of a multiword token have its place."""
        return self._doc._span(self._sentence, self._index)[1]

    @property
    def end(self) -> int:
        """Character after the last one."""
        return self._doc._span(self._sentence, self._index)[2]

    @property
    def idx(self) -> int:
        """The same as `start`, which spaCy calls so."""
        return self.start

    @property
    def whitespace(self) -> str:
        """What stands between this and the next token; nothing inside multiword tokens."""
        number, _, end = self._doc._span(self._sentence, self._index)
        if self._index + 1 < len(self._columns()) and self._doc._span(self._sentence, self._index + 1)[0] == number:
            return ""
        places = self._doc._places()
        following = int(places.starts[number + 1]) if number + 1 < len(places.starts) else len(places.text)
        return places.text[end:following]


def check_text(text: object) -> str:
    """Refuse what is no text."""
    if not isinstance(text, str):
        raise InvalidInputError(
            f"A pipeline expects a string; got {type(text).__name__}. Words that are tokenized already go to "
            "Pipeline.parse, several texts to Pipeline.pipe."
        )
    return text


def as_columns(sentences: Sequence[Any]) -> list[Columns]:
    """Return sentences that were tokenized elsewhere; lists of words become sentences."""
    if isinstance(sentences, (list, tuple)) and sentences and all(isinstance(word, str) for word in sentences):
        sentences = [sentences]
    found = []
    for item in sentences:
        if isinstance(item, Columns):
            found.append(item.copy())
        elif isinstance(item, (list, tuple)) and item and all(isinstance(word, str) for word in item):
            found.append(Columns(item))
        else:
            raise InvalidInputError(
                f"Pipeline.parse expects sentences: ramify.data.Sentence or lists of words; got {type(item).__name__}."
            )
    return found
