"""The tagger as Python sees it: train, load, save, tag."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from ramify._core import tagging as _core
from ramify.data import LabelSequence, Sentence
from ramify.errors import InvalidInputError
from ramify.evaluation import chunk_scores, label_scores
from ramify.learn.pickles import PICKLED, FrozenModel
from ramify.learn.threads import num_threads
from ramify.tagging.card import render_card
from ramify.tagging.config import Config, LabelMarks
from ramify.tagging.model_files import from_files, load_model, save_model, to_files
from ramify.tagging.result import Naming, TagResult
from ramify.tagging.sentences import (
    AnySentence,
    as_sentence,
    attribute_of,
    batched,
    column_of,
    fill,
    load,
    source_of,
    treebank_column,
)
from ramify.tagging.training import train as train_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ramify.evaluation import ChunkScores
    from ramify.learn.progress import Progress
    from ramify.tagging.sentences import Sentences
    from ramify.tagging.state import ModelState

__all__ = ["Constraints", "Tagger"]

Words = Sentence | LabelSequence | list[str] | tuple[str, ...]
Choice = str | Collection[str] | None
Constraints = Sequence[Choice] | Mapping[int, Choice]

_MOST_BEST = 10_000


class Tagger(FrozenModel):
    """A trained sequence labeller: parts of speech, morphology, lemmas, chunks, entities.

    Made by `Tagger.train` or `Tagger.load`. It never changes, so that threads can share it; a pickle of it holds its
    model files.

    Examples
    --------
    >>> from ramify.tagging import Tagger
    >>> sample = "tests/data/ewt-sample-200.conllu"
    >>> tagger = Tagger.train(train=sample, preset="upos", options={"training.epochs": "3"})
    >>> tagger.tag(["I", "like", "it"]).labels
    ('PRON', 'VERB', 'PRON')
    """

    def __init__(self, state: ModelState) -> None:
        self._state = state
        self._model = state.build()
        names, coding = state.frame.labels, state.coding
        self._naming = Naming(names, coding, state.config.model.target, coding.written_names(names))

    @classmethod
    def train(
        cls,
        *,
        train: Sentences | None = None,
        dev: Sentences | None = None,
        preset: str = "upos",
        config: Config | str | Path | None = None,
        options: dict[str, str] | None = None,
        output: str | Path | None = None,
        overwrite: bool = False,
        threads: int = 1,
        licence: str = "",
        progress: Progress = "auto",
    ) -> Tagger:
        """Learn a tagger from labelled sentences.

        Parameters
        ----------
        train, dev : a path, or paths, or sentences; without `dev` the last epoch is taken
        preset : ``"upos"``, ``"xpos"``, ``"feats"``, ``"lemma"``, ``"chunk"`` or ``"ner"``
        config : a configuration, or the path of its TOML file, instead of a preset
        options : single options that differ, as on the command line: ``{"training.epochs": "5"}``
        output, overwrite, threads, licence, progress : see `ramify.tagging.train`
        """
        if isinstance(config, (str, Path)):
            config = Config.read(config)
        chosen = (config or Config.preset(preset)).override(options or {})
        return cls(
            train_model(
                chosen,
                train,
                dev,
                output=output,
                overwrite=overwrite,
                threads=threads,
                licence=licence,
                progress=progress,
            )
        )

    @classmethod
    def load(cls, path: str | Path) -> Tagger:
        """Read a model: a directory, or a zip of one. Loading an untrusted model cannot run code."""
        return cls(load_model(path))

    def save(self, path: str | Path) -> None:
        """Write the model: a directory, or a zip if the path ends in ``.zip``."""
        save_model(self._state, path)

    def _files(self) -> dict[str, bytes]:
        return to_files(self._state)

    @classmethod
    def _from_files(cls, files: Mapping[str, bytes]) -> Tagger:
        return cls(from_files(files, PICKLED))

    def __repr__(self) -> str:
        target, weights = self.config.model.target, len(self._state.weights.values)
        return f"<Tagger of {target}: {len(self._naming.names)} labels, {weights:,} weights>"

    @property
    def config(self) -> Config:
        """The options it was trained with."""
        return self._state.config

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels of the model: of spans in the scheme that it learned, of lemmas as edit scripts."""
        return self._naming.names

    @property
    def card(self) -> str:
        """What the model is made of and how good it is, as Markdown."""
        return render_card(self._state.facts, self.config)

    @overload
    def tag(
        self,
        sentences: Words,
        *,
        marginals: bool = False,
        k: int = 1,
        constraints: Constraints | None = None,
        threads: int = 1,
    ) -> TagResult: ...
    @overload
    def tag(
        self,
        sentences: Iterable[Words],
        *,
        marginals: bool = False,
        k: int = 1,
        constraints: Sequence[Constraints | None] | None = None,
        threads: int = 1,
    ) -> list[TagResult]: ...
    def tag(
        self,
        sentences: Any,
        *,
        marginals: bool = False,
        k: int = 1,
        constraints: Any = None,
        threads: int = 1,
    ) -> TagResult | list[TagResult]:
        """Find the best labels of a sentence, or of each of several.

        Parameters
        ----------
        sentences : one, or several: `Sentence`, `LabelSequence` or a list of words, with the columns that the model
            looks at. They stay as they are
        marginals : whether results have the probabilities of labels
        k : how many of the best labellings results have
        constraints : labels that are known: for each word a label, several or None; or word number (from 1) to label
            or labels. For several sentences, such a value or None for each
        threads : how many; 0 is all that the machine has
        """
        _check_request(k)
        count = num_threads(threads)
        if _is_one(sentences):
            given = None if constraints is None else [constraints]
            return self._tag([as_sentence(sentences)], marginals, k, given, count)[0]
        batch = [as_sentence(item) for item in sentences]
        return self._tag(batch, marginals, k, None if constraints is None else list(constraints), count)

    def pipe(
        self,
        sentences: Iterable[Words],
        *,
        marginals: bool = False,
        k: int = 1,
        constraints: Iterable[Constraints | None] | None = None,
        threads: int = 1,
        batch_size: int = 1024,
    ) -> Iterator[TagResult]:
        """Tag a stream: results come in the order of the sentences, and memory does not grow with their number.

        Parameters
        ----------
        sentences : any iterable
        marginals, k, threads : as in `tag`
        constraints : any iterable of as many values, taken in step with the sentences
        batch_size : how many are tagged at a time
        """
        _check_request(k)
        count = num_threads(threads)
        if not isinstance(batch_size, int) or batch_size < 1:
            raise InvalidInputError(f"Tagger.pipe expects a batch_size of 1 or more; got {batch_size!r}.")
        return self._pipe(sentences, marginals, k, constraints, count, batch_size)

    def _pipe(
        self,
        sentences: Iterable[Words],
        marginals: bool,
        k: int,
        constraints: Iterable[Constraints | None] | None,
        count: int,
        batch_size: int,
    ) -> Iterator[TagResult]:
        given = None if constraints is None else iter(constraints)
        for batch in batched(sentences, batch_size):
            mine = None if given is None else list(itertools.islice(given, len(batch)))
            yield from self._tag(batch, marginals, k, mine, count)
        if given is not None and next(given, given) is not given:
            raise InvalidInputError("Tagger.pipe expects as many constraints as sentences; got more.")

    def annotate(self, sentences: Sequence[Sentence], *, threads: int = 1) -> None:
        """Give these very sentences their best labels, which is faster than making copies of them.

        Parameters
        ----------
        sentences : of a treebank; the column that the model is for is replaced
        threads : how many; 0 is all that the machine has
        """
        target, written = self.config.model.target, self._naming.written
        given: list[AnySentence] = list(sentences)
        if written is None or attribute_of(target):
            results = self._tag(given, False, 1, None, num_threads(threads))
            for sentence, result in zip(sentences, results, strict=True):
                fill(sentence, target, result.labels)
            return
        # Labels that do not depend on the words around them stay in C++.
        taggings = self._taggings(given, False, 1, [], num_threads(threads))
        _core.set_cells([sentence._core for sentence in sentences], treebank_column(target), taggings, written)

    def evaluate(self, sentences: Sentences, *, threads: int = 1) -> ChunkScores:
        """Tag labelled sentences anew, and score that: spans where labels mark spans, else the labels of words.

        Parameters
        ----------
        sentences : a path, or paths, or sentences, which stay as they are
        threads : how many; 0 is all that the machine has

        Examples
        --------
        >>> from ramify.tagging import Tagger
        >>> sample = "tests/data/ewt-sample-200.conllu"
        >>> scores = Tagger.train(train=sample, options={"training.epochs": "3"}).evaluate(sample)
        >>> scores.accuracy > 0.9, scores.by_type["VERB"].f1 > 0.9
        (True, True)
        """
        target = self.config.model.target
        gold, _ = load(sentences, "gold", self.config.data.columns)
        labels = [column_of(sentence, target) for sentence in gold]
        found = [result.labels for result in self.pipe(gold, threads=threads)]
        if self.config.model.spans is LabelMarks.NONE:
            return label_scores(labels, found)
        return chunk_scores(labels, found)

    def _tag(
        self,
        sentences: list[AnySentence],
        marginals: bool,
        k: int,
        constraints: list[Constraints | None] | None,
        count: int,
    ) -> list[TagResult]:
        allowed: list[list[list[int]]] = []
        if constraints is not None:
            if len(constraints) != len(sentences):
                raise InvalidInputError(
                    f"Tagger expects constraints for each of {len(sentences)} sentences; got {len(constraints)}."
                )
            pairs = zip(sentences, constraints, strict=True)
            allowed = [self._allowed(sentence, mine) for sentence, mine in pairs]
        taggings = self._taggings(sentences, marginals, k, allowed, count)
        return [TagResult(*pair, self._naming) for pair in zip(sentences, taggings, strict=True)]

    def _taggings(
        self, sentences: Sequence[AnySentence], marginals: bool, k: int, allowed: list[list[list[int]]], count: int
    ) -> list[_core.Tagging]:
        return self._model.tag(source_of(sentences, self.config.model.columns), marginals, k, allowed, count)

    def _allowed(self, sentence: AnySentence, constraints: Constraints | None) -> list[list[int]]:
        """Return the numbers of the labels that each of n words may have; none: any."""
        n = len(sentence)
        if constraints is None:
            return [[] for _ in range(n)]
        if isinstance(constraints, Mapping):
            wrong = [word for word in constraints if not isinstance(word, int) or not 1 <= word <= n]
            if wrong:
                raise InvalidInputError(f"constraints expect words from 1 to {n}; got {wrong[0]!r}.")
            choices: list[Choice] = [constraints.get(word) for word in range(1, n + 1)]
        elif isinstance(constraints, str) or len(constraints) != n:
            raise InvalidInputError(
                f"constraints expect a label, labels or None for each of {n} words; got {constraints!r}."
            )
        else:
            choices = list(constraints)
        number = {label: i for i, label in enumerate(self.labels)}
        forms = column_of(sentence, "form")
        return [self._numbers(*item, number) for item in zip(choices, forms, strict=True)]

    def _numbers(self, choice: Choice, form: str, number: dict[str, int]) -> list[int]:
        if choice is None:
            return []
        labels = [choice] if isinstance(choice, str) else list(choice)
        found = sorted({number[name] for label in labels for name in self._meant(label, form)})
        if not found:
            raise InvalidInputError(f"constraints expect labels of the model; got {choice!r} for {form!r}.")
        return found

    def _meant(self, label: str, form: str) -> list[str]:
        found = self._naming.coding.meant(label, form, self.labels)
        if not found and self.config.model.target != "lemma":
            raise InvalidInputError(f"constraints expect labels of the model; got {label!r} for {form!r}.")
        return found


def _check_request(k: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= _MOST_BEST:
        raise InvalidInputError(f"k expects a whole number, 1 to {_MOST_BEST}; got {k!r}.")


def _is_one(sentences: object) -> bool:
    if isinstance(sentences, (Sentence, LabelSequence)):
        return True
    return isinstance(sentences, (list, tuple)) and bool(sentences) and all(isinstance(x, str) for x in sentences)
