"""The pipeline: segmenter, taggers and parser, one after the other."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, overload

from ramify.errors import InvalidInputError, ModelError
from ramify.evaluation import evaluate
from ramify.evaluation.corpus import read_gold
from ramify.learn.containers import kind_of
from ramify.learn.registry import load_model
from ramify.learn.threads import num_threads
from ramify.neural.tags import Advice
from ramify.options import Integer, check_argument
from ramify.parsing import Parser
from ramify.pipeline.card import render_card
from ramify.pipeline.constraints import for_sentences
from ramify.pipeline.doc import Doc
from ramify.pipeline.given import as_columns, check_text
from ramify.pipeline.language import LanguageCheck
from ramify.pipeline.layout import Layout
from ramify.pipeline.model_files import COMPONENTS, TAGGERS, Manifest, read_manifest, write_pipeline
from ramify.segmentation import Segmenter, raw_text
from ramify.tagging import Tagger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from typing_extensions import Unpack

    from ramify.data import Document, Sentence
    from ramify.data.files import PathOrFile
    from ramify.evaluation import Evaluation
    from ramify.parsing import Constraint, Explanation, ParseResult, ScoredTree
    from ramify.parsing.request import StreamOptions
    from ramify.pipeline.config import PipelineConfig
    from ramify.pipeline.constraints import ConstraintFunction, TextConstraints
    from ramify.pipeline.doc import Sentence as SentenceView
    from ramify.pipeline.model_files import Savable
    from ramify.segmentation import Segmentation
    from ramify.summarization import Summarizer, Summary

__all__ = ["DocOptions", "Pipeline", "built_in", "find_built_in", "load"]

Context = TypeVar("Context")

_MODELS = Path(__file__).resolve().parent.parent / "models"
_MOST_CHARACTERS = 1 << 20  # of a batch of texts: what is worked on at a time stays small


class DocOptions(TypedDict, total=False):
    """How texts are analysed; `Pipeline.__call__` says what each option means."""

    marginals: bool
    max_words: int
    threads: int


class Pipeline:
    """Text in, trees out: a segmenter, taggers and a parser that were trained to work together.

    Made by `ramify.load` or `ramify.pipeline.train`. It never changes, so that threads can share it; a pickle of it
    holds the model files of its components.

    Parameters
    ----------
    segmenter, parser : the first and the last component
    taggers : by the column that they fill: ``upos``, and those of ``xpos``, ``feats`` and ``lemma`` that there are;
        a parser that predicts tags comes before them and needs none
    language : its code, such as ``"en"``
    facts : for the card: sections of names with values
    tag_weight : where taggers and the network of the parser predict the same column, the logarithms of the
        probabilities of the taggers are added to those of the network, with this weight
    """

    def __init__(
        self,
        segmenter: Segmenter,
        taggers: Mapping[str, Tagger],
        parser: Parser,
        *,
        language: str = "und",
        facts: Mapping[str, dict[str, Any]] | None = None,
        tag_weight: float = 0.0,
    ) -> None:
        expected = set() if parser.predicts_tags else {"upos"}
        if not expected <= set(taggers) <= set(TAGGERS):
            raise InvalidInputError(
                f"Pipeline expects taggers of upos and some of {', '.join(TAGGERS[1:])}; got {sorted(taggers)}."
            )
        self._advisers = {name: taggers[name] for name in TAGGERS[:3] if parser.predicts_tags and name in taggers}
        _check_advisers(self._advisers, tag_weight)
        if self._advisers and not parser.config.inference.keep_tags:
            parser = parser.with_options({"inference.keep-tags": True})
        self.segmenter = segmenter
        self.taggers = {name: taggers[name] for name in TAGGERS if name in taggers}
        self.parser = parser
        names = tuple(name for name in COMPONENTS if name in (*taggers, "segmenter", "parser"))
        self._manifest = Manifest(language, names, dict(facts or {}), float(tag_weight))

    @classmethod
    def train(
        cls,
        train: str | Path | Sequence[str | Path],
        dev: str | Path | Sequence[str | Path] | None = None,
        *,
        preset: str = "default",
        config: PipelineConfig | None = None,
        options: Mapping[str, object] | None = None,
        **more: Any,
    ) -> Pipeline:
        """Train a pipeline on a treebank.

        Parameters
        ----------
        train, dev : a folder with CoNLL-U files whose names contain train, dev and test; or files
        preset : of the parser: ``"first"``, ``"second"``, ``"third"`` or ``"default"``
        config : options of all components, instead of a preset
        options : single options that differ, as on the command line: ``{"parser.training.epochs": 5}``
        more : output, overwrite, resume, threads, licence, language, date, progress: see `ramify.pipeline.train`
        """
        from ramify.pipeline.config import PipelineConfig
        from ramify.pipeline.training import train as train_pipeline

        chosen = (config or PipelineConfig.preset(preset)).override(options or {})
        return train_pipeline(chosen, train, dev, **more)

    @classmethod
    def load(cls, path: str | Path, *, options: Mapping[str, object] | None = None) -> Pipeline:
        """Read a pipeline: a directory, or a zip of one. Loading an untrusted model cannot run code.

        Parameters
        ----------
        path : where it is
        options : of the parser's section ``inference``, where they differ: ``{"parser.inference.method": "ad3"}``
        """
        for key in options or {}:
            if not key.startswith("parser.inference."):
                raise InvalidInputError(
                    f"Pipeline.load expects options that start with parser.inference; got {key!r}, which is settled in "
                    "training."
                )
        kind = kind_of(path)
        if kind != "pipeline":
            raise ModelError(str(path), "", f"expected a pipeline; this is a {kind}: use ramify.load, which reads any")
        manifest, _ = read_manifest(path)
        folder = Path(path)
        taggers = {name: Tagger.load(folder / name) for name in manifest.components if name in TAGGERS}
        for name, tagger in taggers.items():
            if tagger.config.model.target != name:
                raise ModelError(
                    str(path), name, f"expected a tagger of {name}; it fills column {tagger.config.model.target}"
                )
        changed = {key.removeprefix("parser."): value for key, value in (options or {}).items()}
        segmenter, parser = Segmenter.load(folder / "segmenter"), Parser.load(folder / "parser", options=changed)
        more: dict[str, Any] = {"facts": manifest.facts, "tag_weight": manifest.tag_weight}
        return cls(segmenter, taggers, parser, language=manifest.language, **more)

    @staticmethod
    def read_facts(path: str | Path) -> dict[str, Any]:
        """Return what the card of a pipeline says, for programs, without loading its components."""
        manifest, _ = read_manifest(path)
        return {"language": manifest.language, "components": manifest.components} | manifest.facts

    def save(self, path: str | Path) -> None:
        """Write the pipeline: a directory, or a zip if the path ends in ``.zip``."""
        parts: dict[str, Savable] = {"segmenter": self.segmenter, **self.taggers, "parser": self.parser}
        write_pipeline(self._manifest, self.card, parts, Path(path))

    def __repr__(self) -> str:
        return f"<Pipeline of language {self.language}: {', '.join(self.components)}>"

    @property
    def language(self) -> str:
        """Code of the language."""
        return self._manifest.language

    @property
    def components(self) -> tuple[str, ...]:
        """Names of the components, in the order in which they work."""
        return self._manifest.components

    @property
    def facts(self) -> dict[str, dict[str, Any]]:
        """What the card says, for programs."""
        return {name: dict(values) for name, values in self._manifest.facts.items()}

    @property
    def card(self) -> str:
        """What the pipeline is made of and how good it is, as Markdown."""
        return render_card(self._manifest)

    def __call__(
        self,
        text: str,
        *,
        constraints: TextConstraints | None = None,
        **how: Unpack[DocOptions],
    ) -> Doc:
        """Analyse a text.

        Parameters
        ----------
        text : any text; an empty line ends a paragraph
        constraints : what is known of the trees: `Head`, `NotHead`, `Label` and `Root` of `ramify.parsing`. A list of
            them if the text is one sentence; else a list for each sentence, or a mapping from the number of a sentence,
            from 1, to its list, or a function that gets a sentence with words and tags (`ramify.data.Sentence`) and
            returns its list
        marginals : whether probabilities of arcs are computed now; else they are when first asked for
        max_words : longer sentences have tags but no tree; 2000 if not given
        threads : how many; 0 is all that the machine has
        """
        segmentation = self.segmenter.segment(check_text(text))
        known = None if constraints is None else for_sentences(constraints, len(segmentation))
        return self._docs([segmentation], known, **how)[0]

    def k_best(self, text: str, k: int) -> list[list[ScoredTree]]:
        """Return for each sentence of a text its k best trees, best first.

        Parameters
        ----------
        text : any text
        k : how many trees; sentences that have fewer, have fewer
        """
        check_argument("Pipeline.k_best", "k", Integer(1), k)
        return [sentence.k_best(k) for sentence in self(text).sentences]

    def explain(
        self,
        text: str,
        word: int | str,
        against: int | str | None = None,
        *,
        label: str | None = None,
        sentence: int = 1,
        constraints: TextConstraints | None = None,
    ) -> Explanation:
        """Say why a word of a text has the head that it gets, and not another one.

        Parameters
        ----------
        text : any text
        word : number of the word in its sentence, from 1, or the word itself if it is there only once
        against : the other head in the same form (0 is the root); the head in the best other tree if not given
        label : the other label, on the other head, or on the same if none is given
        sentence : number of the sentence, from 1
        constraints : as for a text
        """
        doc = self(text, constraints=constraints)
        chosen = doc.sentences[check_argument("explain", "sentence", Integer(1, len(doc.sentences)), sentence) - 1]
        other = None if against is None else _number_of(against, chosen)
        return chosen.explain(_number_of(word, chosen), other, label=label)

    @overload
    def pipe(
        self,
        texts: Iterable[str],
        *,
        as_tuples: Literal[False] = False,
        batch_size: int = 64,
        **how: Unpack[DocOptions],
    ) -> Iterator[Doc]: ...
    @overload
    def pipe(
        self,
        texts: Iterable[tuple[str, Context]],
        *,
        as_tuples: Literal[True],
        batch_size: int = 64,
        **how: Unpack[DocOptions],
    ) -> Iterator[tuple[Doc, Context]]: ...
    def pipe(
        self,
        texts: Iterable[Any],
        *,
        as_tuples: bool = False,
        batch_size: int = 64,
        **how: Unpack[DocOptions],
    ) -> Iterator[Any]:
        """Analyse a stream of texts: documents come in their order, and memory does not grow with their number.

        Parameters
        ----------
        texts : any iterable
        as_tuples : if True, the iterable gives pairs of a text and its context (its number in a database, say), and
            the result gives pairs of a document and the same context
        batch_size : how many are worked on at a time, at most
        how : marginals, max_words and threads, as for one text
        """
        num_threads(how.get("threads", 1))
        _check_batch_size(batch_size)
        if isinstance(texts, str):
            raise InvalidInputError("Pipeline.pipe expects several texts; got a single string. Put it into a list.")
        pairs = map(_text_and_context, texts) if as_tuples else ((text, None) for text in texts)
        docs = self._pipe(pairs, batch_size, **how)
        return docs if as_tuples else (doc for doc, _ in docs)

    def _pipe(
        self, pairs: Iterator[tuple[str, Any]], batch_size: int, **how: Unpack[DocOptions]
    ) -> Iterator[tuple[Doc, Any]]:
        batch: list[Segmentation] = []
        contexts: list[Any] = []
        size = 0
        for text, context in pairs:
            batch.append(self.segmenter.segment(check_text(text)))
            contexts.append(context)
            size += len(text)
            if len(batch) == batch_size or size >= _MOST_CHARACTERS:
                yield from zip(self._docs(batch, **how), contexts, strict=True)
                batch, contexts, size = [], [], 0
        yield from zip(self._docs(batch, **how), contexts, strict=True)

    def parse(
        self,
        sentences: Iterable[Sentence | Sequence[str]] | Sequence[str],
        *,
        constraints: TextConstraints | None = None,
        **how: Unpack[DocOptions],
    ) -> Doc:
        """Analyse sentences that are tokenized already: tags and trees are new, all else stays.

        Parameters
        ----------
        sentences : each a `ramify.data.Sentence` or a list of words; or a single list of words. They stay as they are
        constraints : as for a text
        how : marginals, max_words and threads, as for a text
        """
        if isinstance(sentences, str):
            raise InvalidInputError("Pipeline.parse expects sentences; got a string. Call the pipeline: nlp(text).")
        columns = as_columns([sentences] if hasattr(sentences, "forms") else list(sentences))
        known = None if constraints is None else for_sentences(constraints, len(columns))
        results = list(self.annotate(columns, constraints=known, copy=False, **how))
        return Doc(results, self.parser, self.language)

    def stream(
        self,
        source: PathOrFile | Iterable[str | bytes],
        batch_size: int = 256,
        **how: Unpack[DocOptions],
    ) -> Iterator[ParseResult]:
        """Analyse a text of any length as it comes, sentence by sentence; memory does not grow with it.

        Parameters
        ----------
        source : a path (``.gz``, ``.xz`` and ``.zst`` are decompressed), ``"-"`` for standard input, an open file, or
            pieces of text
        batch_size : how many sentences are worked on at a time
        how : marginals, max_words and threads, as for a text
        """
        sentences = self.segmenter.stream(source)
        return self.annotate(sentences, batch_size=batch_size, copy=False, **how)

    def annotate(
        self,
        sentences: Iterable[Sentence],
        *,
        constraints: Iterable[Sequence[Constraint]] | ConstraintFunction | None = None,
        **how: Unpack[StreamOptions],
    ) -> Iterator[ParseResult]:
        """Tag and parse a stream of sentences: results come in their order, memory does not grow with their number.

        Parameters
        ----------
        sentences : any iterable; tags, lemmas, heads and labels that they have are replaced
        constraints : an iterable with a list for each sentence, or a function that gets a tagged sentence and returns
            its list
        how : threads, batch_size and copy, as in `Parser.pipe`; marginals, k, decoder, projective, time_limit and
            max_words, as in `Parser.parse`
        """
        count, batch_size = num_threads(how.get("threads", 1)), how.get("batch_size", 256)
        _check_batch_size(batch_size)
        tagged = self._tagged(iter(sentences), count, batch_size, how.get("copy", True))
        if callable(constraints):
            tagged, same = itertools.tee(tagged)
            constraints = map(constraints, same)
        how["copy"] = False  # what is tagged is a copy already
        return self.parser.pipe(tagged, constraints=constraints, **how)

    def summarize(
        self,
        documents: str | Document | Iterable[str | Document],
        *,
        words: int | None = None,
        model: str | Path | Summarizer = "en",
        **options: Any,
    ) -> Summary:
        """Summarize documents, all of them together.

        Parameters
        ----------
        documents : texts
        words : most words of the summary, as blanks count them; 100 if no length is given
        model : a summarizer, or where one is; ``"en"`` comes with ramify
        options : sentences, ratio, characters, compress, query, headline, method, min_share, threads: see
            `Summarizer.summarize`

        Examples
        --------
        >>> import ramify
        >>> text = "The old mill burned down on Friday. Nobody was hurt. Firemen worked all night to save the barn."
        >>> summary = ramify.load("en").summarize(text, words=12)
        >>> 0 < summary.words <= 12
        True
        """
        from ramify.summarization import Summarizer

        summarizer = model if isinstance(model, Summarizer) else Summarizer.load(model)
        return summarizer.summarize(documents, words=words, pipeline=self, **options)

    def evaluate(
        self, treebank: PathOrFile | Iterable[Sentence], *, gold_tokens: bool = False, threads: int = 1
    ) -> Evaluation:
        """Analyse the text of a treebank, and score that by the metrics of the CoNLL 2018 shared task.

        Parameters
        ----------
        treebank : a path, an open file, or sentences
        gold_tokens : whether sentences and words are those of the treebank, so that only tags and trees are scored;
            else they are found in its raw text
        threads : how many; 0 is all that the machine has

        Examples
        --------
        >>> import ramify
        >>> scores = ramify.load("en").evaluate("tests/data/ewt-sample-200.conllu", gold_tokens=True)
        >>> scores["Words"].f1, scores["UPOS"].f1 > 0.9
        (1.0, True)
        """
        gold = read_gold(treebank)
        if gold_tokens:
            results = self.annotate(gold, threads=threads)
        else:
            results = self.stream([raw_text(gold)], threads=threads)
        return evaluate(gold, (result.sentence for result in results))

    def _tagged(self, sentences: Iterator[Sentence], count: int, batch_size: int, copy: bool) -> Iterator[Sentence]:
        check = LanguageCheck(self.segmenter, self.language)
        while batch := list(itertools.islice(sentences, batch_size)):
            check.add(batch)
            if copy:
                batch = [sentence.copy() for sentence in batch]
            self.tag(batch, threads=count)
            yield from batch
        check.finish()

    def tag(self, sentences: Sequence[Sentence], *, threads: int = 1) -> None:
        """Write tags and lemmas into sentences.

        Parameters
        ----------
        sentences : sentences with forms, which are changed
        threads : number of threads; 0 uses all cores
        """
        if self.parser.predicts_tags:
            advice = {name: self._advice(tagger, sentences, threads) for name, tagger in self._advisers.items()}
            self.parser.tag(sentences, advice=advice, threads=threads)
        for name, tagger in self.taggers.items():
            if name not in self._advisers:
                tagger.annotate(sentences, threads=threads)

    def _advice(self, tagger: Tagger, sentences: Sequence[Sentence], threads: int) -> Advice:
        results = tagger.tag(sentences, marginals=True, threads=threads)
        found = [result.marginals for result in results]
        return Advice(tagger.labels, [array for array in found if array is not None], self._manifest.tag_weight)

    def _docs(
        self,
        segmentations: Sequence[Segmentation],
        constraints: ConstraintFunction | list[Sequence[Constraint]] | None = None,
        **how: Unpack[DocOptions],
    ) -> list[Doc]:
        sentences = itertools.chain.from_iterable(segmentation.sentences for segmentation in segmentations)
        results = self.annotate(sentences, constraints=constraints, copy=False, **how)
        docs = []
        for segmentation in segmentations:
            layout = Layout(segmentation.text, segmentation.starts, segmentation.ends, segmentation.offsets)
            mine = list(itertools.islice(results, len(segmentation)))
            docs.append(Doc(mine, self.parser, self.language, layout))
        return docs


def _check_advisers(advisers: Mapping[str, Tagger], tag_weight: float) -> None:
    if bool(advisers) != (tag_weight > 0):
        raise InvalidInputError(
            "Pipeline expects a tag_weight above 0 if, and only if, taggers and the network of the parser predict the "
            f"same columns; got {tag_weight!r} for {sorted(advisers)}."
        )
    for name, tagger in advisers.items():
        if tagger.config.model.columns != ("form",):
            raise InvalidInputError(
                "Pipeline expects that taggers beside a network that predicts tags read forms alone; that of "
                f"{name} reads {', '.join(tagger.config.model.columns)}."
            )


def _text_and_context(pair: object) -> tuple[str, Any]:
    if not isinstance(pair, (tuple, list)) or len(pair) != 2:
        raise InvalidInputError(
            f"Pipeline.pipe with as_tuples expects pairs (text, context); got {type(pair).__name__} instead of a pair."
        )
    return pair[0], pair[1]


def _number_of(word: int | str, sentence: SentenceView) -> int:
    if not isinstance(word, str):
        return word
    found = [token.id for token in sentence if token.form == word]
    if len(found) != 1:
        raise InvalidInputError(
            f"explain expects a word that is once in the sentence {sentence.text[:80]!r}; {word!r} is there "
            f"{len(found)} times. Give its number, from 1."
        )
    return found[0]


def _check_batch_size(batch_size: int) -> None:
    check_argument("Pipeline", "batch_size", Integer(1), batch_size)


def built_in() -> list[str]:
    """Return the languages that come with the package: folders, or zips, of ``ramify/models``."""
    return sorted(_built_in())


def find_built_in(language: str) -> Path | None:
    """Return where the model of a language lies that comes with the package, or None."""
    return _built_in().get(language)


def _built_in() -> dict[str, Path]:
    if not _MODELS.is_dir():
        return {}
    zips = {path.stem: path for path in _MODELS.glob("*.zip")}
    return zips | {path.parent.name: path.parent for path in _MODELS.glob("*/pipeline.toml")}


def load(name: str | Path, *, options: Mapping[str, object] | None = None) -> Any:
    """Read a model of any kind: one that comes with ramify, by its language, or any other, by its path.

    Parameters
    ----------
    name : ``"en"``, or the path of a directory or a zip
    options : see `Pipeline.load` and `ramify.Parser.load`

    Returns
    -------
    A `Pipeline`, `ramify.Parser`, `ramify.Tagger` or `ramify.Segmenter`, or whatever the files say that they hold

    Raises
    ------
    ModelError
        There is no such model, or it is damaged.
    """
    if isinstance(name, str) and name in _built_in():
        return Pipeline.load(_built_in()[name], options=options)
    path = Path(name)
    if not path.exists() and not (path.parent.suffix.lower() == ".zip" and path.parent.is_file()):
        known = ", ".join(map(repr, built_in())) or "none in this installation"
        raise ModelError(
            str(name),
            "",
            f"there is no such model. Built-in languages: {known}. Train one with: ramify train --task "
            "pipeline --treebank DIR --output MODEL",
        )
    return load_model(path, options)
