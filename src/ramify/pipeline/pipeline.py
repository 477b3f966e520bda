"""The pipeline: segmenter, taggers and parser, one after the other."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ramify.errors import InvalidInputError, ModelError
from ramify.learn.threads import num_threads
from ramify.parsing import Decoder, Parser
from ramify.pipeline.card import render_card
from ramify.pipeline.doc import Doc, as_columns, check_text
from ramify.pipeline.language import LanguageCheck
from ramify.pipeline.layout import Layout
from ramify.pipeline.model_files import COMPONENTS, TAGGERS, Manifest, kind_of, read_manifest, write_pipeline
from ramify.segmentation import Segmenter
from ramify.tagging import Tagger

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ramify.data import Sentence
    from ramify.data.files import PathOrFile
    from ramify.parsing import Constraint, ParseResult
    from ramify.pipeline.model_files import Savable
    from ramify.segmentation import Segmentation

__all__ = ["MAX_WORDS", "Pipeline", "built_in", "find_built_in", "load"]

MAX_WORDS = 2000
_MODELS = Path(__file__).resolve().parent.parent / "models"
_MOST_CHARACTERS = 1 << 20  # of a batch of texts: what is worked on at a time stays small
_READ_BY = {
    "parser": "ramify.Parser.load; it takes tagged sentences",
    "tagger": "ramify.tagging.Tagger.load; it takes sentences",
    "segmenter": "ramify.segmentation.Segmenter.load; it takes text",
}


class Pipeline:
    """Text in, trees out: a segmenter, taggers and a parser that were trained to work together.

    Made by `ramify.load` or `ramify.pipeline.train`. It never changes, so that threads can share it.

    Parameters
    ----------
    segmenter, parser : the first and the last component
    taggers : by the column that they fill: ``upos``, and those of ``xpos``, ``feats`` and ``lemma`` that there are
    language : its code, such as ``"en"``
    facts : for the card: sections of names with values
    """

    def __init__(
        self,
        segmenter: Segmenter,
        taggers: Mapping[str, Tagger],
        parser: Parser,
        *,
        language: str = "und",
        facts: Mapping[str, dict[str, Any]] | None = None,
    ) -> None:
        if not {"upos"} <= set(taggers) <= set(TAGGERS):
            raise InvalidInputError(
                f"Pipeline expects taggers of upos and some of {', '.join(TAGGERS[1:])}; got {sorted(taggers)}."
            )
        self.segmenter = segmenter
        self.taggers = {name: taggers[name] for name in TAGGERS if name in taggers}
        self.parser = parser
        names = tuple(name for name in COMPONENTS if name in (*taggers, "segmenter", "parser"))
        self._manifest = Manifest(language, names, dict(facts or {}))

    @classmethod
    def load(cls, path: str | Path, *, options: Mapping[str, str] | None = None) -> Pipeline:
        """Read a pipeline: a directory, or a zip of one. Models from strangers are safe to load.

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
            remedy = _READ_BY.get(kind)
            raise ModelError(
                str(path), "", f"expected a pipeline; this is a {kind}" + (f": use {remedy}" if remedy else "")
            )
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
        return cls(segmenter, taggers, parser, language=manifest.language, facts=manifest.facts)

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

    def __call__(self, text: str, *, marginals: bool = False, max_words: int = MAX_WORDS, threads: int = 1) -> Doc:
        """Analyse a text.

        Parameters
        ----------
        text : any text; an empty line ends a paragraph
        marginals : whether probabilities of arcs are computed now; else they are when first asked for
        max_words : longer sentences have tags but no tree
        threads : how many; 0 is all that the machine has
        """
        segmentation = self.segmenter.segment(check_text(text))
        return self._docs([segmentation], marginals, max_words, num_threads(threads))[0]

    def pipe(
        self,
        texts: Iterable[str],
        *,
        batch_size: int = 64,
        marginals: bool = False,
        max_words: int = MAX_WORDS,
        threads: int = 1,
    ) -> Iterator[Doc]:
        """Analyse a stream of texts: documents come in their order, and memory does not grow with their number.

        Parameters
        ----------
        texts : any iterable
        batch_size : how many are worked on at a time, at most
        marginals, max_words, threads : as for one text
        """
        count = num_threads(threads)
        _check_batch_size(batch_size)
        if isinstance(texts, str):
            raise InvalidInputError("Pipeline.pipe expects several texts; got a single string. Put it into a list.")
        return self._pipe(iter(texts), batch_size, marginals, max_words, count)

    def _pipe(
        self, texts: Iterator[str], batch_size: int, marginals: bool, max_words: int, count: int
    ) -> Iterator[Doc]:
        batch: list[Segmentation] = []
        size = 0
        for text in texts:
            batch.append(self.segmenter.segment(check_text(text)))
            size += len(text)
            if len(batch) == batch_size or size >= _MOST_CHARACTERS:
                yield from self._docs(batch, marginals, max_words, count)
                batch, size = [], 0
        yield from self._docs(batch, marginals, max_words, count)

    def parse(
        self,
        sentences: Iterable[Sentence | Sequence[str]] | Sequence[str],
        *,
        marginals: bool = False,
        max_words: int = MAX_WORDS,
        threads: int = 1,
    ) -> Doc:
        """Analyse sentences that are tokenized already: tags and trees are new, all else stays.

        Parameters
        ----------
        sentences : each a `ramify.data.Sentence` or a list of words; or a single list of words. They stay as they are
        marginals, max_words, threads : as for a text
        """
        if isinstance(sentences, str):
            raise InvalidInputError("Pipeline.parse expects sentences; got a string. Call the pipeline: nlp(text).")
        columns = as_columns([sentences] if hasattr(sentences, "forms") else list(sentences))
        results = list(self.annotate(columns, marginals=marginals, max_words=max_words, threads=threads, copy=False))
        return Doc(results, self.parser, self.language)

    def stream(
        self,
        source: PathOrFile | Iterable[str | bytes],
        *,
        marginals: bool = False,
        max_words: int = MAX_WORDS,
        threads: int = 1,
        batch_size: int = 256,
    ) -> Iterator[ParseResult]:
        """Analyse a text of any length as it comes, sentence by sentence; memory does not grow with it.

        Parameters
        ----------
        source : a path (``.gz``, ``.xz`` and ``.zst`` are decompressed), ``"-"`` for standard input, an open file, or
            pieces of text
        marginals, max_words, threads : as for a text
        batch_size : how many sentences are worked on at a time
        """
        sentences = self.segmenter.stream(source)
        return self.annotate(
            sentences, marginals=marginals, max_words=max_words, threads=threads, batch_size=batch_size, copy=False
        )

    def annotate(
        self,
        sentences: Iterable[Sentence],
        *,
        constraints: Iterable[Sequence[Constraint]] | None = None,
        marginals: bool = False,
        k: int = 1,
        decoder: Decoder | str = Decoder.MAP,
        projective: bool = False,
        time_limit: float | None = None,
        max_words: int = MAX_WORDS,
        threads: int = 1,
        batch_size: int = 256,
        copy: bool = True,
    ) -> Iterator[ParseResult]:
        """Tag and parse a stream of sentences: results come in their order, memory does not grow with their number.

        Parameters
        ----------
        sentences : any iterable; tags, lemmas, heads and labels that they have are replaced
        constraints, marginals, k, decoder, projective, time_limit, max_words, threads, batch_size : as in
            `Parser.pipe`
        copy : if False, the sentences themselves are filled in, which is faster
        """
        count = num_threads(threads)
        _check_batch_size(batch_size)
        tagged = self._tagged(iter(sentences), count, batch_size, copy)
        return self.parser.pipe(
            tagged,
            constraints=constraints,
            marginals=marginals,
            k=k,
            decoder=decoder,
            projective=projective,
            time_limit=time_limit,
            max_words=max_words,
            threads=threads,
            batch_size=batch_size,
            copy=False,
        )

    def _tagged(self, sentences: Iterator[Sentence], count: int, batch_size: int, copy: bool) -> Iterator[Sentence]:
        check = LanguageCheck(self.segmenter, self.language)
        while batch := list(itertools.islice(sentences, batch_size)):
            check.add(batch)
            if copy:
                batch = [sentence.copy() for sentence in batch]
            for tagger in self.taggers.values():
                tagger.annotate(batch, threads=count)
            yield from batch
        check.finish()

    def _docs(self, segmentations: Sequence[Segmentation], marginals: bool, max_words: int, count: int) -> list[Doc]:
        sentences = itertools.chain.from_iterable(segmentation.sentences for segmentation in segmentations)
        results = self.annotate(sentences, marginals=marginals, max_words=max_words, threads=count, copy=False)
        docs = []
        for segmentation in segmentations:
            layout = Layout(segmentation.text, segmentation.starts, segmentation.ends, segmentation.offsets)
            mine = list(itertools.islice(results, len(segmentation)))
            docs.append(Doc(mine, self.parser, self.language, layout))
        return docs


def _check_batch_size(batch_size: int) -> None:
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise InvalidInputError(f"Pipeline expects a batch_size of 1 or more; got {batch_size!r}.")


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


def load(name: str | Path, *, options: Mapping[str, str] | None = None) -> Pipeline:
    """Read a pipeline: one that comes with ramify, by its language, or any other, by its path.

    Parameters
    ----------
    name : ``"en"``, or the path of a directory or a zip
    options : see `Pipeline.load`

    Raises
    ------
    ModelError
        There is no such model, it is damaged, or it is only a parser, a tagger or a segmenter.
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
    return Pipeline.load(name, options=options)
