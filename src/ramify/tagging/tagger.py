"""The tagger as Python sees it: train, load, save, tag."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypedDict, overload

from ramify._core import tagging as _core
from ramify.data import LabelSequence, Sentence
from ramify.errors import InvalidInputError
from ramify.evaluation import chunk_scores, label_scores
from ramify.learn.model import Model
from ramify.learn.threads import num_threads
from ramify.options import Integer, check_argument
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
from ramify.tagging.task import TASK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from typing_extensions import Unpack

    from ramify.evaluation import ChunkScores
    from ramify.learn.task import LearningTask
    from ramify.tagging.sentences import Sentences
    from ramify.tagging.state import ModelState

__all__ = ["Constraints", "Tagger"]

Words = Sentence | LabelSequence | list[str] | tuple[str, ...]
Choice = str | Collection[str] | None
Constraints = Sequence[Choice] | Mapping[int, Choice]

_MOST_BEST = 10_000


class TagOptions(TypedDict, total=False):
    """What can be asked of a tagger; `Tagger.tag` says what each option means."""

    marginals: bool
    k: int
    threads: int


class _Request(NamedTuple):
    """Checked `TagOptions`."""

    marginals: bool
    k: int
    threads: int


class Tagger(Model):
    """A trained sequence labeller: parts of speech, morphology, lemmas, chunks, entities.

    Made by `Tagger.train` or `Tagger.load`. A tagger never changes, so several threads can share it. A pickled tagger
    contains its model files.

    Examples
    --------
    >>> from ramify.tagging import Tagger
    >>> sample = "tests/data/ewt-sample-200.conllu"
    >>> tagger = Tagger.train(train=sample, preset="upos", options={"training.epochs": "3"})
    >>> tagger.tag(["I", "like", "it"]).labels
    ('PRON', 'VERB', 'PRON')
    """

    task: ClassVar[LearningTask] = TASK
    _state: ModelState
    _model: _core.TaggerModel

    def __init__(self, state: ModelState) -> None:
        super().__init__(state)
        names, coding = state.frame.labels, state.coding
        self._naming = Naming(names, coding, state.config.model.target, coding.written_names(names))

    def __repr__(self) -> str:
        target, weights = self.config.model.target, len(self._state.weights.values)
        return f"<Tagger of {target}: {len(self._naming.names)} labels, {weights:,} weights>"

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels of the model. Labels of spans have the learned scheme; labels of lemmas are edit scripts."""
        return self._naming.names

    @overload
    def tag(
        self,
        sentences: Words,
        *,
        constraints: Constraints | None = None,
        **request: Unpack[TagOptions],
    ) -> TagResult: ...
    @overload
    def tag(
        self,
        sentences: Iterable[Words],
        *,
        constraints: Sequence[Constraints | None] | None = None,
        **request: Unpack[TagOptions],
    ) -> list[TagResult]: ...
    def tag(
        self,
        sentences: Any,
        *,
        constraints: Any = None,
        **request: Unpack[TagOptions],
    ) -> TagResult | list[TagResult]:
        """Find the best labels of a sentence, or of each of several.

        Parameters
        ----------
        sentences : one or several sentences: `Sentence`, `LabelSequence` or a list of words, with the columns that the
            model uses. They are not changed
        constraints : known labels: a list with one label, several labels or None for each word; or a mapping from word
            numbers (from 1) to one or several labels. For several sentences, one such value or None per sentence
        marginals : whether to compute the probabilities of labels
        k : number of best labellings in each result
        threads : number of threads; 0 uses all cores
        """
        asked = _checked_request(**request)
        if _is_one(sentences):
            return self._tag([as_sentence(sentences)], None if constraints is None else [constraints], asked)[0]
        batch = [as_sentence(item) for item in sentences]
        return self._tag(batch, None if constraints is None else list(constraints), asked)

    def pipe(
        self,
        sentences: Iterable[Words],
        *,
        constraints: Iterable[Constraints | None] | None = None,
        batch_size: int = 1024,
        **request: Unpack[TagOptions],
    ) -> Iterator[TagResult]:
        """Tag a stream. Results have the order of the sentences, and memory does not grow with their number.

        Parameters
        ----------
        sentences : any iterable
        constraints : any iterable with one value per sentence
        batch_size : number of sentences that are tagged together
        request : marginals, k and threads, as in `tag`
        """
        asked = _checked_request(**request)
        check_argument("Tagger.pipe", "batch_size", Integer(1), batch_size)
        return self._pipe(sentences, constraints, asked, batch_size)

    def _pipe(
        self,
        sentences: Iterable[Words],
        constraints: Iterable[Constraints | None] | None,
        asked: _Request,
        batch_size: int,
    ) -> Iterator[TagResult]:
        given = None if constraints is None else iter(constraints)
        for batch in batched(sentences, batch_size):
            mine = None if given is None else list(itertools.islice(given, len(batch)))
            yield from self._tag(batch, mine, asked)
        if given is not None and next(given, given) is not given:
            raise InvalidInputError("Tagger.pipe expects as many constraints as sentences; got more.")

    def annotate(self, sentences: Sequence[Sentence], *, threads: int = 1) -> None:
        """Write the best labels into the given sentences, which is faster than copying them.

        Parameters
        ----------
        sentences : sentences of a treebank; the column that the model predicts is replaced
        threads : number of threads; 0 uses all cores
        """
        target, written = self.config.model.target, self._naming.written
        given: list[AnySentence] = list(sentences)
        if written is None or attribute_of(target):
            results = self._tag(given, None, _checked_request(threads=threads))
            for sentence, result in zip(sentences, results, strict=True):
                fill(sentence, target, result.labels)
            return
        # Labels that do not depend on the words around them stay in C++.
        taggings = self._taggings(given, [], _checked_request(threads=threads))
        _core.set_cells([sentence._core for sentence in sentences], treebank_column(target), taggings, written)

    def evaluate(self, sentences: Sentences, *, threads: int = 1) -> ChunkScores:
        """Tag labelled sentences and score the result: spans if labels mark spans, otherwise the labels of words.

        Parameters
        ----------
        sentences : a path, several paths, or sentences, which are not changed
        threads : number of threads; 0 uses all cores

        Examples
        --------
        >>> from ramify.tagging import Tagger
        >>> sample = "tests/data/ewt-sample-200.conllu"
        >>> scores = Tagger.train(train=sample, options={"training.epochs": "3"}).evaluate(sample)
        >>> scores.accuracy > 0.9, scores.by_type["VERB"].f1 > 0.9
        (True, True)
        """
        target = self.config.model.target
        gold = load(sentences, "gold", self.config.data.columns).sentences
        labels = [column_of(sentence, target) for sentence in gold]
        found = [result.labels for result in self.pipe(gold, threads=threads)]
        if self.config.model.spans == "none":
            return label_scores(labels, found)
        return chunk_scores(labels, found)

    def _tag(
        self,
        sentences: list[AnySentence],
        constraints: list[Constraints | None] | None,
        asked: _Request,
    ) -> list[TagResult]:
        allowed: list[list[list[int]]] = []
        if constraints is not None:
            if len(constraints) != len(sentences):
                raise InvalidInputError(
                    f"Tagger expects constraints for each of {len(sentences)} sentences; got {len(constraints)}."
                )
            pairs = zip(sentences, constraints, strict=True)
            allowed = [self._allowed(sentence, mine) for sentence, mine in pairs]
        taggings = self._taggings(sentences, allowed, asked)
        return [TagResult(*pair, self._naming) for pair in zip(sentences, taggings, strict=True)]

    def _taggings(
        self, sentences: Sequence[AnySentence], allowed: list[list[list[int]]], asked: _Request
    ) -> list[_core.Tagging]:
        source = source_of(sentences, self.config.model.columns)
        return self._model.tag(source, asked.marginals, asked.k, allowed, asked.threads)

    def _allowed(self, sentence: AnySentence, constraints: Constraints | None) -> list[list[int]]:
        """Return the numbers of the labels that each of n words can have; an empty list allows any label."""
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


def _checked_request(marginals: bool = False, k: int = 1, threads: int = 1) -> _Request:
    return _Request(marginals, check_argument("Tagger", "k", Integer(1, _MOST_BEST), k), num_threads(threads))


def _is_one(sentences: object) -> bool:
    if isinstance(sentences, (Sentence, LabelSequence)):
        return True
    return isinstance(sentences, (list, tuple)) and bool(sentences) and all(isinstance(x, str) for x in sentences)
