"""The parser as Python sees it: train, load, save, parse."""

from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ramify._core import parsing as _core
from ramify.data import Sentence
from ramify.errors import InvalidInputError
from ramify.evaluation import evaluate
from ramify.evaluation.corpus import read_gold
from ramify.learn.pickles import PICKLED, FrozenModel
from ramify.learn.threads import num_threads
from ramify.parsing.card import render_card
from ramify.parsing.config import Config, Tree
from ramify.parsing.constraints import Head, check_constraints
from ramify.parsing.explanation import Explanation, explain
from ramify.parsing.model_files import from_files, load_model, save_model, to_files
from ramify.parsing.parse_graph import ParseGraph
from ramify.parsing.programs import PROGRAMS, solve_program
from ramify.parsing.request import MAX_WORDS, Decoder, encode_constraints, make_request
from ramify.parsing.result import ParseResult
from ramify.parsing.training import train as train_model
from ramify.trees.projectivity import is_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ramify.data.files import PathOrFile
    from ramify.evaluation import Evaluation
    from ramify.learn.progress import Progress
    from ramify.parsing.constraints import Constraint
    from ramify.parsing.corpus import Treebank
    from ramify.parsing.state import ModelState

__all__ = ["Parser"]

_NOT_LEARNED = ("model.tree", "pruner.threshold", "pruner.max-heads", "pruner.lengths")


class Parser(FrozenModel):
    """A trained dependency parser.

    Made by `Parser.train` or `Parser.load`. It never changes, so that threads can share it; a pickle of it holds its
    model files.

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
        overwrite: bool = False,
        resume: bool = False,
        threads: int = 1,
        licence: str = "",
        progress: Progress = "auto",
    ) -> Parser:
        """Learn a parser from a treebank.

        Parameters
        ----------
        train, dev : treebanks: a path, or paths, or sentences; without `dev` the last epoch is taken
        preset : ``"first"``, ``"second"``, ``"third"`` or ``"default"``
        config : a configuration, or the path of its TOML file, instead of a preset
        options : single options that differ, as on the command line: ``{"training.epochs": "5"}``
        output, overwrite, resume, threads, licence, progress : see `ramify.parsing.train`
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
                resume=resume,
                threads=threads,
                licence=licence,
                progress=progress,
            )
        )

    @classmethod
    def load(cls, path: str | Path, *, options: dict[str, str] | None = None) -> Parser:
        """Read a model: a directory, or a zip of one. Loading an untrusted model cannot run code.

        Parameters
        ----------
        path : where it is
        options : what is to differ from training, as in `with_options`
        """
        return cls(load_model(path)).with_options(options or {})

    def with_options(self, options: Mapping[str, str]) -> Parser:
        """Return the same parser, which finds trees in another way.

        Parameters
        ----------
        options : of the section ``inference``; which trees are allowed, ``model.tree``; and how sharply to prune,
            ``pruner.threshold``, ``pruner.max-heads`` and ``pruner.lengths``: ``{"inference.method": "ilp"}``
        """
        for key in options:
            if not key.startswith("inference.") and key not in _NOT_LEARNED:
                raise InvalidInputError(
                    f"A trained parser takes options of the section inference and {', '.join(_NOT_LEARNED)}; "
                    f"got {key!r}, which is settled in training."
                )
        return type(self)(dataclasses.replace(self._state, config=self._state.config.override(dict(options))))

    def save(self, path: str | Path) -> None:
        """Write the model: a directory, or a zip if the path ends in ``.zip``."""
        save_model(self._state, path)

    def _files(self) -> dict[str, bytes]:
        return to_files(self._state)

    @classmethod
    def _from_files(cls, files: Mapping[str, bytes]) -> Parser:
        return cls(from_files(files, PICKLED))

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

    def factor_graph(
        self, sentence: Sentence, *, loose: bool = False, apart: bool = False, projective: bool = False
    ) -> ParseGraph:
        """Return the factor graph that a sentence becomes, for any method of `ramify.inference`.

        Parameters
        ----------
        sentence : with forms and tags
        loose : as belief propagation has it, where no constraint is there twice; else as AD3 has it
        apart : siblings and grandparents in factors of their own, which makes a looser linear program
        projective : with the projective tree factor, whatever the model was trained for
        """
        if loose and apart:
            raise InvalidInputError("Parser.factor_graph expects loose or apart, not both; got both.")
        kinds = _core.Factorization
        kind = kinds.LOOSE if loose else kinds.APART if apart else kinds.TIGHT
        problem = self._model.problem(_checked(sentence)._core, kind, projective)
        if not problem.heads().size:
            raise InvalidInputError(
                f"Parser.factor_graph expects a sentence that has a tree; all arcs of this one ({len(sentence)} words) "
                "are forbidden. The weights of the pruner are out of bounds: train the model again."
            )
        return ParseGraph.of(problem)

    def score(self, sentence: Sentence, heads: Sequence[int], labels: Sequence[str]) -> float:
        """Return the score of a tree: the sum over its parts, each scored on its own.

        Parameters
        ----------
        sentence : with forms and tags
        heads : n numbers, 0 is the root
        labels : n labels of the model
        """
        if len(heads) != len(_checked(sentence)) or len(labels) != len(sentence):
            raise InvalidInputError(
                f"score expects a head and a label for each of {len(sentence)} words; got {len(heads)} heads and "
                f"{len(labels)} labels."
            )
        index = {label: i for i, label in enumerate(self.labels)}
        unknown = [label for label in labels if label not in index]
        if unknown:
            raise InvalidInputError(f"score expects labels of the model; got {unknown[0]!r}.")
        tree = np.array([-1, *heads])
        if tree.dtype.kind not in "iu" or not is_tree(tree):
            raise InvalidInputError(
                f"score expects heads that make a tree, whole numbers from 0 to {len(sentence)} without a cycle; "
                f"got {list(heads)}."
            )
        numbers = np.array([-1, *(index[label] for label in labels)], dtype=np.int32)
        return self._model.score(sentence._core, tree.astype(np.int32), numbers)

    def explain(
        self,
        sentence: Sentence,
        word: int,
        against: int | None = None,
        *,
        label: str | None = None,
        constraints: Sequence[Constraint] = (),
        projective: bool = False,
    ) -> Explanation:
        """Say why a word has the head that it gets, and not another one.

        Parameters
        ----------
        sentence : with forms and tags
        word : number of the word, from 1
        against : the other head (0 is the root); if not given, the head in the best of all trees where it is another
        label : the other label, on the other head, or on the same if none is given
        constraints, projective : as in `parse`; constraints get their prices
        """
        if isinstance(word, bool) or not isinstance(word, int) or not 1 <= word <= len(_checked(sentence)):
            raise InvalidInputError(f"explain expects a word of the sentence, 1 to {len(sentence)}; got {word!r}.")
        return explain(self, self._model, sentence, word, against, label, constraints, projective)

    @overload
    def parse(
        self,
        sentences: Sentence,
        *,
        constraints: Sequence[Constraint] | None = None,
        marginals: bool = False,
        k: int = 1,
        decoder: Decoder | str = Decoder.MAP,
        projective: bool = False,
        time_limit: float | None = None,
        max_words: int = MAX_WORDS,
        threads: int = 1,
    ) -> ParseResult: ...
    @overload
    def parse(
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
    ) -> list[ParseResult]: ...
    def parse(
        self,
        sentences: Sentence | Iterable[Sentence],
        *,
        constraints: Any = None,
        marginals: bool = False,
        k: int = 1,
        decoder: Decoder | str = Decoder.MAP,
        projective: bool = False,
        time_limit: float | None = None,
        max_words: int = MAX_WORDS,
        threads: int = 1,
    ) -> ParseResult | list[ParseResult]:
        """Find the best tree of a sentence, or of each of several.

        Parameters
        ----------
        sentences : with forms and tags, as the training treebank had them; heads and labels that they have are not
            looked at. They stay as they are: results hold copies
        constraints : what is known of the tree: `Head`, `NotHead`, `Label`, `Root`; for several sentences, such a
            list for each
        marginals : whether results have the probabilities of arcs
        k : how many of the best trees results have
        decoder : ``"map"``, the best tree, or ``"mbr"``, the tree with the most right heads to be expected
        projective : whether only projective trees are wanted, whatever the model was trained for
        time_limit : most seconds a sentence; the model's own if not given
        max_words : sentences with more words get no tree, as time grows with the cube of their number
        threads : how many; 0 is all that the machine has
        """
        request = make_request(marginals, k, decoder, projective, time_limit, max_words)
        count = num_threads(threads)
        if isinstance(sentences, Sentence):
            return self._parse([sentences.copy()], request, None if constraints is None else [constraints], count)[0]
        batch = [_checked(sentence).copy() for sentence in sentences]
        return self._parse(batch, request, None if constraints is None else list(constraints), count)

    def pipe(
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
        """Parse a stream: results come in the order of the sentences, and memory does not grow with their number.

        Parameters
        ----------
        sentences : any iterable
        constraints : any iterable of as many lists, taken in step with the sentences
        marginals, k, decoder, projective, time_limit, max_words, threads : as in `parse`
        batch_size : how many are parsed at a time
        copy : if False, the sentences themselves get heads and labels, which is faster
        """
        request = make_request(marginals, k, decoder, projective, time_limit, max_words)
        count = num_threads(threads)
        if not isinstance(batch_size, int) or batch_size < 1:
            raise InvalidInputError(f"Parser.pipe expects a batch_size of 1 or more; got {batch_size!r}.")
        return self._pipe(iter(sentences), constraints, request, batch_size, count, copy)

    def _pipe(
        self,
        sentences: Iterator[Sentence],
        constraints: Iterable[Sequence[Constraint]] | None,
        request: _core.ParseRequest,
        batch_size: int,
        count: int,
        copy: bool,
    ) -> Iterator[ParseResult]:
        given = None if constraints is None else iter(constraints)
        while batch := [_checked(sentence) for sentence in itertools.islice(sentences, batch_size)]:
            mine = None if given is None else list(itertools.islice(given, len(batch)))
            yield from self._parse([sentence.copy() for sentence in batch] if copy else batch, request, mine, count)
        if given is not None and next(given, None) is not None:
            raise InvalidInputError("Parser.pipe expects as many lists of constraints as sentences; got more.")

    def evaluate(self, treebank: PathOrFile | Iterable[Sentence], *, threads: int = 1) -> Evaluation:
        """Parse a treebank with its own tags, and score that by the metrics of the CoNLL 2018 shared task.

        Parameters
        ----------
        treebank : a path, an open file, or sentences, which stay as they are
        threads : how many; 0 is all that the machine has

        Examples
        --------
        >>> from ramify import Parser
        >>> sample = "tests/data/ewt-sample-200.conllu"
        >>> parser = Parser.train(train=sample, preset="first", options={"training.epochs": "1"})
        >>> parser.evaluate(sample).las.f1 > 0.8
        True
        """
        gold = read_gold(treebank)
        return evaluate(gold, (result.sentence for result in self.pipe(gold, threads=threads)))

    def _parse(
        self,
        sentences: list[Sentence],
        request: _core.ParseRequest,
        constraints: list[Sequence[Constraint]] | None,
        count: int,
    ) -> list[ParseResult]:
        """Give these very sentences heads and labels."""
        if self.config.inference.method in PROGRAMS:
            results = self._solve_programs(sentences, request, constraints)
        else:
            results = self._solve(sentences, request, constraints, count)
        for result in results:
            if not result.found:
                result.sentence.heads = [-1] * len(result.sentence)
                result.sentence.deprels = ["_"] * len(result.sentence)
        return results

    def _solve(
        self,
        sentences: list[Sentence],
        request: _core.ParseRequest,
        constraints: list[Sequence[Constraint]] | None,
        count: int,
    ) -> list[ParseResult]:
        core = [sentence._core for sentence in sentences]
        encoded = None if constraints is None else self._encode(sentences, constraints)
        given = [] if encoded is None else [[c for _, c in mine] for mine in encoded]
        parses = self._model.parse(core, request, given, count)
        return [
            ParseResult(sentence, parse, self.labels, () if encoded is None else [c for c, _ in encoded[i]])
            for i, (sentence, parse) in enumerate(zip(sentences, parses, strict=True))
        ]

    def _solve_programs(
        self, sentences: list[Sentence], request: _core.ParseRequest, constraints: list[Sequence[Constraint]] | None
    ) -> list[ParseResult]:
        """Do the same by HiGHS, a sentence at a time."""
        config, single_root = self.config, bool(self._state.frame.single_root)
        if request.marginals or request.k > 1 or request.mbr or constraints is not None:
            raise InvalidInputError(
                f"A parser with inference.method = {config.inference.method.value!r} gives the best tree only; got a "
                "request for constraints, marginals, k > 1 or MBR. Load it with inference.method = 'exact' for these."
            )
        projective = request.projective or config.model.tree is Tree.PROJECTIVE
        time_limit = request.time_limit or config.inference.time_limit
        program = PROGRAMS[config.inference.method]
        results = []
        for sentence in sentences:
            known: list[tuple[Constraint, _core.Constraint]] = []
            proof = None
            if not 0 < request.max_words < len(sentence):
                graph = self.factor_graph(sentence, apart=program.apart, projective=projective)
                heads, proof = solve_program(graph, program.within(time_limit), single_root, projective)
                # The tree is known: what is left to find are its labels.
                known = encode_constraints([Head(m, int(h)) for m, h in enumerate(heads, 1)], 0, self._state.frame)
            parse = self._model.parse([sentence._core], request, [[c for _, c in known]], 1)[0]
            results.append(ParseResult(sentence, parse, self.labels, (), proof))
        return results

    def _encode(
        self, sentences: list[Sentence], constraints: list[Sequence[Constraint]]
    ) -> list[list[tuple[Constraint, _core.Constraint]]]:
        if len(constraints) != len(sentences):
            raise InvalidInputError(
                f"Parser expects constraints for each of {len(sentences)} sentences; got {len(constraints)} lists."
            )
        frame = self._state.frame
        return [
            encode_constraints(check_constraints(mine, len(sentence), frame.labels), len(sentence), frame)
            for sentence, mine in zip(sentences, constraints, strict=True)
        ]


def _checked(sentence: Sentence) -> Sentence:
    if not isinstance(sentence, Sentence):
        raise InvalidInputError(f"Parser expects sentences (ramify.data.Sentence); got {type(sentence).__name__}.")
    return sentence
