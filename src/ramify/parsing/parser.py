"""The parser as Python sees it: train, load, save, parse."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, overload

from ramify.data import Sentence
from ramify.errors import InvalidInputError
from ramify.parsing.card import render_card
from ramify.parsing.config import Config
from ramify.parsing.model_files import load_model, save_model
from ramify.parsing.threads import num_threads
from ramify.parsing.training import train as train_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np
    import numpy.typing as npt

    from ramify._core import parsing as _core
    from ramify.parsing.corpus import Treebank
    from ramify.parsing.progress import Event
    from ramify.parsing.state import ModelState

__all__ = ["ParseResult", "Parser"]


class ParseResult:
    """The best tree of a sentence, and how sure it is that it is the best."""

    __slots__ = ("_labels", "_parse", "sentence")

    sentence: Sentence
    """The sentence with these heads and labels in it; all else is as it was."""

    def __init__(self, sentence: Sentence, parse: _core.Parse, labels: Sequence[str]) -> None:
        self.sentence = sentence
        self._parse = parse
        self._labels = labels

    def __repr__(self) -> str:
        how = "certified" if self.certified else f"bound {self.bound:.4f}"
        return f"<ParseResult of {len(self.sentence)} words: value {self.value:.4f}, {how}>"

    @property
    def heads(self) -> npt.NDArray[np.int32]:
        """Heads, shape (n,): 0 is the root. −1 everywhere where there is no tree (see `found`)."""
        return self.sentence.heads

    @property
    def labels(self) -> tuple[str, ...]:
        """Dependency labels, n of them."""
        return self.sentence.deprels

    @property
    def found(self) -> bool:
        """Whether there is a tree at all."""
        return self._parse.found

    @property
    def value(self) -> float:
        """Score of the tree."""
        return self._parse.value

    @property
    def bound(self) -> float:
        """No tree among the candidates scores more than this."""
        return self._parse.bound

    @property
    def certified(self) -> bool:
        """Whether the tree is proved to be the best one among the candidates."""
        return self._parse.certified

    @property
    def iterations(self) -> int:
        """Iterations that inference took; 0 where it is not iterative."""
        return self._parse.iterations


class Parser:
    """A trained dependency parser.

    Made by `Parser.train` or `Parser.load`. It never changes, so that threads can share it.

    Examples
    --------
    >>> from ramify import Parser
    >>> sample = "tests/data/ewt-sample-200.conllu"
    >>> parser = Parser.train(train=sample, preset="first", options={"training.epochs": "1"})
    >>> result = parser.parse(Sentence(["I", "like", "it"], upos=["PRON", "VERB", "PRON"]))
    >>> result.heads, result.labels
    (array([2, 0, 2], dtype=int32), ('nsubj', 'root', 'obj'))
    """

    def __init__(self, state: ModelState) -> None:
        self._state = state
        self._model = state.build()

    @classmethod
    def train(
        cls,
        *,
        train: Treebank | None = None,
        dev: Treebank | None = None,
        preset: str = "default",
        config: Config | str | Path | None = None,
        options: dict[str, str] | None = None,
        output: str | Path | None = None,
        resume: bool = False,
        threads: int = 1,
        licence: str = "",
        report: Callable[[Event], None] | None = None,
    ) -> Parser:
        """Learn a parser from a treebank.

        Parameters
        ----------
        train, dev : treebanks: a path, or paths, or sentences; without `dev` the last epoch is taken
        preset : ``"first"``, ``"second"``, ``"third"`` or ``"default"``
        config : a configuration, or the path of its TOML file, instead of a preset
        options : single options that differ, as on the command line: ``{"training.epochs": "5"}``
        output, resume, threads, licence, report : see `ramify.parsing.train`
        """
        if isinstance(config, (str, Path)):
            config = Config.read(config)
        chosen = (config or Config.preset(preset)).override(options or {})
        return cls(
            train_model(
                chosen, train, dev, output=output, resume=resume, threads=threads, licence=licence, report=report
            )
        )

    @classmethod
    def load(cls, path: str | Path) -> Parser:
        """Read a model: a directory, or a zip of one. Models from strangers are safe to load."""
        return cls(load_model(path))

    def save(self, path: str | Path) -> None:
        """Write the model: a directory, or a zip if the path ends in ``.zip``."""
        save_model(self._state, path)

    def __repr__(self) -> str:
        parts = ", ".join(["arc", *(part.value for part in self.config.model.parts)])
        return f"<Parser: {parts}; {len(self._state.weights.keys):,} weights, {len(self.labels)} labels>"

    @property
    def config(self) -> Config:
        """The options it was trained with."""
        return self._state.config

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels that it can give."""
        return self._state.frame.labels

    @property
    def tags(self) -> tuple[str, ...]:
        """All tags of column UPOS that it has seen."""
        return self._state.frame.tags[2:]

    @property
    def card(self) -> str:
        """What the model is made of and how good it is, as Markdown."""
        return render_card(self._state.facts, self.config)

    @overload
    def parse(self, sentences: Sentence, *, threads: int = 1) -> ParseResult: ...
    @overload
    def parse(self, sentences: Iterable[Sentence], *, threads: int = 1) -> list[ParseResult]: ...
    def parse(self, sentences: Sentence | Iterable[Sentence], *, threads: int = 1) -> ParseResult | list[ParseResult]:
        """Find the best tree of a sentence, or of each of several.

        Parameters
        ----------
        sentences : with forms and tags, as the training treebank had them; heads and labels that they have are not
            looked at. They stay as they are: results hold copies
        threads : how many; 0 is all that the machine has
        """
        if isinstance(sentences, Sentence):
            return self._parse_copies([sentences.copy()], num_threads(threads))[0]
        return self._parse_copies([_checked(sentence).copy() for sentence in sentences], num_threads(threads))

    def pipe(
        self, sentences: Iterable[Sentence], *, batch_size: int = 256, threads: int = 1, copy: bool = True
    ) -> Iterator[ParseResult]:
        """Parse a stream: results come in the order of the sentences, and memory does not grow with their number.

        Parameters
        ----------
        sentences : any iterable
        batch_size : how many are parsed at a time
        threads : how many; 0 is all that the machine has
        copy : if False, the sentences themselves get heads and labels, which is faster
        """
        count = num_threads(threads)
        if not isinstance(batch_size, int) or batch_size < 1:
            raise InvalidInputError(f"Parser.pipe expects a batch_size of 1 or more; got {batch_size!r}.")
        return self._pipe(iter(sentences), batch_size, count, copy)

    def _pipe(self, iterator: Iterator[Sentence], batch_size: int, count: int, copy: bool) -> Iterator[ParseResult]:
        while batch := [_checked(sentence) for sentence in itertools.islice(iterator, batch_size)]:
            yield from self._parse_copies([sentence.copy() for sentence in batch] if copy else batch, count)

    def _parse_copies(self, sentences: list[Sentence], count: int) -> list[ParseResult]:
        parses = self._model.parse([sentence._core for sentence in sentences], count)
        labels = self.labels
        return [ParseResult(sentence, parse, labels) for sentence, parse in zip(sentences, parses, strict=True)]


def _checked(sentence: Sentence) -> Sentence:
    if not isinstance(sentence, Sentence):
        raise InvalidInputError(f"Parser expects sentences (ramify.data.Sentence); got {type(sentence).__name__}.")
    return sentence
