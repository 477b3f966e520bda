"""Documents: views of text, sentences and tokens over the columns that the pipeline fills."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ramify.data import Sentence as Columns
from ramify.data import to_arrow, to_frame, to_spacy
from ramify.drawable import Drawable, drawing
from ramify.errors import InvalidInputError, MissingModelError
from ramify.parsing import Parser, ParseResult, ParseStatus, ScoredTree
from ramify.pipeline.document_json import SentenceFacts, document_to_json
from ramify.pipeline.document_reader import document_from_json
from ramify.pipeline.given import as_columns, read_conllu, shortened
from ramify.pipeline.layout import Layout, layout_of, surface_numbers
from ramify.pipeline.span import Placed, Span, TokenSequence
from ramify.pipeline.token import Token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt
    import pandas
    import pyarrow
    import spacy

    from ramify.data.files import PathOrFile
    from ramify.parsing import Constraint, Explanation
    from ramify.pipeline.pipeline import Pipeline

__all__ = ["Doc", "Sentence", "Span", "Token"]

_DRAWN_IN_NOTEBOOKS = 50


class Doc(Drawable, TokenSequence):
    """A text with its sentences, words, tags and trees.

    Made by a `Pipeline`, or from a treebank by `Doc.from_conllu` and `Doc.from_sentences`. It is a sequence of its
    words; those of a multiword token count one by one. A slice of it is a `Span`.

    A document that was made by a pipeline asks the parser for probabilities, k-best trees and explanations when you
    ask for them. Pickles hold the probabilities that are known, and not the parser: `attach` gives one back.

    Examples
    --------
    >>> from ramify.data import Sentence
    >>> doc = Doc.from_sentences([Sentence(["Dogs", "bark"], heads=[2, 0], deprels=["nsubj", "root"])])
    >>> doc[0].form, doc[0].head.form, doc[0:2].root.form
    ('Dogs', 'bark', 'bark')
    """

    __slots__ = ("_first", "_layout", "_numbers", "_parser", "_probabilities", "_results", "language")

    def __init__(
        self, results: list[ParseResult], parser: Parser | None, language: str, layout: Layout | None = None
    ) -> None:
        self._results = results
        self._parser = parser
        self._layout = layout
        self._first = np.concatenate(([0], np.cumsum([len(result.sentence) for result in results]))).astype(np.int64)
        self._numbers: dict[int, npt.NDArray[np.int64]] = {}
        self._probabilities: dict[int, npt.NDArray[np.float64] | None] = {}
        self.language = language

    @classmethod
    def from_sentences(cls, sentences: Iterable[Columns | Sequence[str]], *, language: str = "und") -> Doc:
        """Make a document of sentences that were tokenized, and perhaps parsed, elsewhere; no model is needed.

        Parameters
        ----------
        sentences : each a `ramify.data.Sentence`, with heads if it has a tree, or a list of words; they are copied
        language : code of the language
        """
        found = as_columns([sentences] if hasattr(sentences, "forms") else list(sentences), "Doc.from_sentences")
        return cls([ParseResult.of_sentence(sentence) for sentence in found], None, language)

    @classmethod
    def from_conllu(cls, source: PathOrFile, *, language: str = "und") -> Doc:
        """Read a document in CoNLL-U, as `to_conllu` writes it; no model is needed.

        Parameters
        ----------
        source : the text itself, which has line breaks; or a path, ``"-"`` for standard input, or an open file
        language : code of the language
        """
        return cls([ParseResult.of_sentence(sentence) for sentence in read_conllu(source)], None, language)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("_results", "_layout", "_probabilities", "language")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Doc.__init__(self, state["_results"], None, state["language"], state["_layout"])
        self._probabilities = state["_probabilities"]

    def __copy__(self) -> Doc:
        made = type(self)(list(self._results), self._parser, self.language, self._layout)
        made._probabilities = dict(self._probabilities)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Doc:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        made._parser = self._parser
        return made

    def attach(self, model: Pipeline | Parser) -> Doc:
        """Let the document ask a model for probabilities, k-best trees and explanations; return the document.

        Parameters
        ----------
        model : the pipeline or parser that made the document, if the answers shall be about its trees
        """
        parser = getattr(model, "parser", model)
        if not isinstance(parser, Parser):
            raise InvalidInputError(f"Doc.attach expects a Pipeline or a Parser; got {type(model).__name__}.")
        self._parser = parser
        return self

    def _model(self, purpose: str) -> Parser:
        if self._parser is None:
            raise MissingModelError(
                f"{purpose} of a document need the model that made it; this document has none, as it was unpickled or "
                "made without one. Call doc.attach(nlp) first, or ask before pickling: nlp(text, marginals=True)."
            )
        return self._parser

    def __len__(self) -> int:
        return int(self._first[-1])

    def __iter__(self) -> Iterator[Token]:
        return (Token(self, i, j) for i, result in enumerate(self._results) for j in range(len(result.sentence)))

    def _between(self, begin: int, end: int) -> Span:
        return Span(self, begin, end)

    def _at(self, position: int) -> Token:
        sentence = int(np.searchsorted(self._first, position, side="right")) - 1
        return Token(self, sentence, position - int(self._first[sentence]))

    def __repr__(self) -> str:
        return f"<Doc of {len(self._results):,} sentences, {len(self):,} tokens: {shortened(self.text)!r}>"

    def __str__(self) -> str:
        return self.text

    def _sentence(self, index: int) -> Sentence:
        return Sentence(self, index)

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

    def char_span(self, start: int, end: int) -> Span | None:
        """Return the span of words that covers these characters exactly; None if words do not start and end there.

        Parameters
        ----------
        start : first character in the text
        end : character after the last one
        """
        places = [(token.start, token.end) for token in self]
        first = next((i for i, place in enumerate(places) if place[0] == start), None)
        last = next((i for i in reversed(range(len(places))) if places[i][1] == end), None)
        return None if first is None or last is None or last < first else Span(self, first, last + 1)

    def to_conllu(self) -> str:
        """Return the document in CoNLL-U."""
        return "".join(result.sentence.to_conllu() for result in self._results)

    def to_spacy(self, vocab: spacy.vocab.Vocab | None = None) -> spacy.tokens.Doc:
        """Convert to a spaCy ``Doc``; see `ramify.data.to_spacy`."""
        return to_spacy([result.sentence for result in self._results], vocab)

    def to_frame(self, *, probabilities: bool = False) -> pandas.DataFrame:
        """Return the words as a pandas frame, one row for each; see `ramify.data.to_frame`.

        Parameters
        ----------
        probabilities : whether there is a column with the probability of the arc from the head
        """
        return to_frame(*self._tables(probabilities))

    def to_arrow(self, *, probabilities: bool = False) -> pyarrow.Table:
        """Return the words as a table of pyarrow; see `to_frame`."""
        return to_arrow(*self._tables(probabilities))

    def _tables(self, probabilities: bool) -> tuple[list[Columns], list[npt.NDArray[np.float64] | None] | None]:
        known = [view.marginals for view in self.sentences] if probabilities else None
        return [result.sentence for result in self._results], known

    def to_json(self, *, probabilities: bool = False) -> dict[str, Any]:
        """Return the document as what `json.dumps` takes; `from_json` reads it back.

        The format is described by the file ``document.schema.json`` in `ramify.pipeline`.

        Parameters
        ----------
        probabilities : whether words have the probabilities of their arcs
        """
        found = []
        for sentence in self.sentences:
            missing = sentence.status in (ParseStatus.INFEASIBLE, ParseStatus.TOO_LONG)
            status = sentence.status.value if missing else None
            known = sentence.probabilities if probabilities else None
            numbers = None if known is None else known.tolist()
            found.append((sentence.sentence, SentenceFacts(status=status, probabilities=numbers)))
        return document_to_json(found, language=self.language, layout=self._places())

    @classmethod
    def from_json(cls, value: object) -> Doc:
        """Read a document that `to_json` made, or ``ramify parse --json``: what `json.loads` returns.

        Text, sentences, words, tags, trees and the probabilities of their arcs are as they were. There is no parser;
        `attach` gives the document one.

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


class Sentence(Drawable, TokenSequence, Placed):
    """One sentence of a document; a sequence of its words. Word *i* of the tree is item *i* − 1."""

    __slots__ = ("_doc", "_index")
    _items: ClassVar[str] = "words"

    def __init__(self, doc: Doc, index: int) -> None:
        self._doc = doc
        self._index = index

    def __len__(self) -> int:
        return len(self.sentence)

    def __iter__(self) -> Iterator[Token]:
        return (Token(self._doc, self._index, i) for i in range(len(self)))

    def _between(self, begin: int, end: int) -> Span:
        first = int(self._doc._first[self._index])
        return Span(self._doc, first + begin, first + end)

    def _at(self, position: int) -> Token:
        return Token(self._doc, self._index, position)

    def _key(self) -> int:
        return self._index

    def __repr__(self) -> str:
        return f"<Sentence {self._index + 1}: {shortened(self.text)!r}>"

    def __str__(self) -> str:
        return self.text

    @property
    def sentence(self) -> Columns:
        """The columns that this is a view of, as treebanks have them."""
        return self._doc._results[self._index].sentence

    @property
    def status(self) -> ParseStatus:
        """How parsing ended: very long sentences have no tree."""
        return self._doc._results[self._index].status

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints that the tree was looked for under."""
        return self._doc._results[self._index].constraints

    @property
    def conflict(self) -> list[Constraint]:
        """Constraints that no tree satisfies together; empty if there is a tree."""
        return self._doc._results[self._index].conflict

    def _place(self) -> tuple[int, int]:
        return self._doc._span(self._index, 0)[1], self._doc._span(self._index, len(self) - 1)[2]

    @property
    def span(self) -> Span:
        """All words of the sentence, as a span of the document."""
        return self[:]

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

        Raises
        ------
        MissingModelError
            They were not computed yet, and the document has no model; `Doc.attach` gives it one.
        """
        result = self._doc._results[self._index]
        if result.found and result.marginals is None:
            parser = self._doc._model("Probabilities")
            found = parser.parse(result.sentence, constraints=result.constraints or None, marginals=True, max_words=0)
            result = found.of_tree(result.sentence)
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
        parser = self._doc._model("k-best trees")
        found = parser.parse(result.sentence, constraints=result.constraints or None, k=k, max_words=0)
        return found.k_best or [ScoredTree(found.heads, found.labels, found.value)]

    def explain(
        self,
        word: Token | int,
        against: Token | int | None = None,
        *,
        label: str | None = None,
        constraints: Sequence[Constraint] | None = None,
    ) -> Explanation:
        """Say why a word has the head that the parser gives it, and not another one; see `Parser.explain`.

        Parameters
        ----------
        word : a token of the sentence, or the number of a word, from 1
        against : the other head, or its number (0 is the root); the head in the best other tree if not given
        label : the other label, on the other head, or on the same if none is given
        constraints : what is known of the tree; those that it was looked for under if not given
        """
        known = self.constraints if constraints is None else constraints
        parser = self._doc._model("Explanations")
        other = None if against is None else self._number(against, "another head")
        return parser.explain(self.sentence, self._number(word, "a word"), other, label=label, constraints=known)

    def _number(self, word: Token | int, what: str) -> int:
        if not isinstance(word, Token):
            return word
        if word.sentence != self:
            raise InvalidInputError(
                f"explain expects {what} of the sentence {shortened(self.text)!r}; got {word!r} of another sentence."
            )
        return word.id

    def to_conllu(self) -> str:
        """Return the sentence's lines in CoNLL-U."""
        return self.sentence.to_conllu()
