"""A component for spaCy: ``nlp.add_pipe("ramify")`` tags and parses the documents of any pipeline of spaCy."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.data import Sentence
from ramify.errors import InvalidInputError, MissingExtraError
from ramify.learn.threads import num_threads
from ramify.pipeline import Pipeline, load

try:
    from spacy.language import Language
    from spacy.tokens import Doc, Token
except ImportError:
    raise MissingExtraError("spacy", "spacy", "ramify.spacy") from None

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt
    from spacy.tokens import Span

    from ramify.parsing import ParseResult

__all__ = ["Component", "make_component"]

_COLUMNS = ("HEAD", "DEP", "POS", "TAG", "LEMMA", "MORPH")


@Language.factory(
    "ramify",
    default_config={"model": "en", "probabilities": False, "overwrite": True, "threads": 1},
    assigns=["token.pos", "token.tag", "token.morph", "token.lemma", "token.dep", "token.head", "doc.sents"],
)  # type: ignore[untyped-decorator]
def make_component(
    nlp: Language, name: str, model: str, probabilities: bool, overwrite: bool, threads: int
) -> Component:
    """Make the component; spaCy calls this for ``nlp.add_pipe("ramify", config={…})``.

    Parameters
    ----------
    nlp, name : given by spaCy
    model : name or path of a pipeline of ramify
    probabilities : whether ``token._.ramify_probability`` is computed
    overwrite : whether heads, labels, tags, lemmas and sentences of the document itself are set; if not, only the
        extensions are
    threads : number of threads; 0 uses all cores
    """
    loaded = load(model)
    if not isinstance(loaded, Pipeline):
        raise InvalidInputError(
            f"The component ramify of spaCy expects a pipeline; {model!r} is a {type(loaded).__name__.lower()}."
        )
    num_threads(threads)
    return Component(loaded, probabilities=probabilities, overwrite=overwrite, threads=threads)


class Component:
    """Tags and parses documents of spaCy, with the tokens that they have.

    Sentences are those of the document; if it has none, ramify finds them. White space that spaCy made a token belongs
    to no tree: it hangs on the word before it.

    Parameters
    ----------
    pipeline : a pipeline of ramify
    probabilities, overwrite, threads : see `make_component`
    """

    def __init__(
        self, pipeline: Pipeline, *, probabilities: bool = False, overwrite: bool = True, threads: int = 1
    ) -> None:
        self.pipeline = pipeline
        self._probabilities = probabilities
        self._overwrite = overwrite
        self._threads = threads
        _declare_extensions()

    def __call__(self, doc: Doc) -> Doc:
        """Annotate one document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 64) -> Iterator[Doc]:
        """Annotate a stream of documents, some of them at a time."""
        docs = iter(stream)
        while batch := list(itertools.islice(docs, batch_size)):
            spans = [[_words(span) for span in self._sentences(doc)] for doc in batch]
            columns = [_columns(words) for found in spans for words in found]
            results = self.pipeline.annotate(columns, copy=False, marginals=self._probabilities, threads=self._threads)
            for doc, found in zip(batch, spans, strict=True):
                self._write(doc, [(words, next(results)) for words in found])
                yield doc

    def _sentences(self, doc: Doc) -> list[Span]:
        if doc.has_annotation("SENT_START"):
            found = list(doc.sents)
        else:
            segmentation = self.pipeline.segmenter.segment(doc.text)
            places = segmentation.starts[segmentation.offsets[:-1]] if len(segmentation) else np.zeros(0)
            tokens = np.array([token.idx for token in doc], np.int64)
            begins = sorted({0, *np.searchsorted(tokens, places).tolist(), len(doc)} - {len(doc)})
            found = [doc[i:j] for i, j in itertools.pairwise([*begins, len(doc)])]
        return [span for span in found if any(not token.is_space for token in span)]

    def _write(self, doc: Doc, results: list[tuple[list[Token], ParseResult]]) -> None:
        n = len(doc)
        found: dict[str, list[Any]] = {"heads": [None] * n, "labels": [""] * n, "tags": [""] * n}
        if self._probabilities:
            found["probabilities"] = [None] * n
        for words, result in results:
            _fill(found, [word.i for word in words], result)
        doc._.ramify = found
        if self._overwrite and n:
            doc.from_array(list(_COLUMNS), _array(doc, results))


def _declare_extensions() -> None:
    if Doc.has_extension("ramify"):
        return
    Doc.set_extension("ramify", default=None)
    Token.set_extension("ramify_head", getter=_head)
    Token.set_extension("ramify_label", getter=lambda token: _of(token, "labels"))
    Token.set_extension("ramify_tag", getter=lambda token: _of(token, "tags"))
    Token.set_extension("ramify_probability", getter=lambda token: _of(token, "probabilities"))


def _of(token: Token, name: str) -> Any:
    found = token.doc._.ramify
    return None if found is None or name not in found else found[name][token.i]


def _head(token: Token) -> Token | None:
    head = _of(token, "heads")
    return None if head is None else token.doc[head]


def _words(span: Span) -> list[Token]:
    return [token for token in span if not token.is_space]


def _columns(words: list[Token]) -> Sentence:
    return Sentence(
        [word.text for word in words], misc=["_" if word.whitespace_ else "SpaceAfter=No" for word in words]
    )


def _fill(found: dict[str, list[Any]], places: list[int], result: ParseResult) -> None:
    """Write what the extensions say: heads as numbers of tokens, the root as its own head."""
    sentence = result.sentence
    heads = sentence.heads.tolist()
    for j, (place, head) in enumerate(zip(places, heads, strict=True)):
        found["tags"][place] = sentence.upos[j]
        if head >= 0:
            found["heads"][place] = place if head == 0 else places[head - 1]
            found["labels"][place] = sentence.deprels[j]
            if "probabilities" in found and result.marginals is not None:
                found["probabilities"][place] = float(result.marginals[head, j + 1])


def _array(doc: Doc, results: list[tuple[list[Token], ParseResult]]) -> npt.NDArray[np.uint64]:
    """Return the columns of a document as spaCy takes them: heads relative to the token, texts as numbers."""
    strings = doc.vocab.strings
    table = np.zeros((len(doc), len(_COLUMNS)), np.uint64)
    start = next((token.i for token in doc if not token.is_space), 0)
    heads = np.arange(len(doc)) - 1  # white space hangs on what is before it, or on the first word
    heads[:start] = start
    heads[0] = start
    for words, result in results:
        sentence = result.sentence
        places = np.array([word.i for word in words])
        given = sentence.heads
        first = places[0]
        # Without a tree, all words hang on the first one, without labels: a sentence needs one root.
        heads[places] = np.where(given > 0, places[np.maximum(given, 1) - 1], np.where(given == 0, places, first))
        texts = ["ROOT" if head == 0 else label for head, label in zip(given.tolist(), sentence.deprels, strict=True)]
        columns = (texts, sentence.upos, sentence.xpos, sentence.lemmas)
        for k, column in enumerate(columns, 1):
            table[places, k] = [strings.add("" if value == "_" else value) for value in column]
        table[places, 5] = [doc.vocab.morphology.add("" if value == "_" else value) for value in sentence.feats]
    for token in doc:
        if token.is_space:
            table[token.i, 2] = strings.add("SPACE")
            table[token.i, 3] = strings.add("_SP")
            table[token.i, 1] = strings.add("dep")
    table[:, 0] = (heads - np.arange(len(doc))).astype(np.int64).view(np.uint64)
    return table
