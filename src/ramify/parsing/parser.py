"""The parser as Python sees it: train, load, save, parse."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np

from ramify._core import parsing as _core
from ramify.data import Sentence
from ramify.errors import InvalidInputError
from ramify.evaluation import evaluate
from ramify.evaluation.corpus import read_gold
from ramify.learn.model import Model, chosen_config
from ramify.learn.threads import num_threads
from ramify.options import Integer, check_argument
from ramify.parsing.constraints import Head, check_constraints
from ramify.parsing.explanation import Explanation, explain
from ramify.parsing.inference import with_method
from ramify.parsing.model_files import FILES
from ramify.parsing.parse_graph import ParseGraph
from ramify.parsing.programs import PROGRAMS, solve_program
from ramify.parsing.request import encode_constraints, make_request
from ramify.parsing.result import ParseResult
from ramify.parsing.task import TASK
from ramify.trees.projectivity import is_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from typing_extensions import Self, Unpack

    from ramify.data.files import PathOrFile
    from ramify.evaluation import Evaluation
    from ramify.learn.corpus import Treebank
    from ramify.learn.model import TrainOptions
    from ramify.learn.task import LearningTask
    from ramify.neural.tags import Advice
    from ramify.parsing.constraints import Constraint
    from ramify.parsing.request import ParseOptions
    from ramify.parsing.scored import ScoredModel
    from ramify.parsing.state import ModelState

__all__ = ["Parser"]

_NOT_LEARNED = ("model.tree", "pruner.threshold", "pruner.max-heads", "pruner.lengths")


class Parser(Model):
    """A trained dependency parser.

    Made by `Parser.train` or `Parser.load`. A parser never changes, so several threads can share it. A pickled parser
    contains its model files.

    Examples
    --------
    >>> from ramify import Parser
    >>> sample = "tests/data/ewt-sample-200.conllu"
    >>> parser = Parser.train(train=sample, preset="first", options={"training.epochs": "1"})
    >>> result = parser.parse(Sentence(["I", "like", "it"], upos=["PRON", "VERB", "PRON"]))
    >>> result.heads, result.labels
    (array([2, 0, 2], dtype=int32), ('nsubj', 'root', 'obj'))
    """

    task: ClassVar[LearningTask] = TASK
    _state: ModelState
    _model: ScoredModel

    @classmethod
    def train(
        cls,
        train: Treebank | None = None,
        dev: Treebank | None = None,
        *,
        inference: Any = None,
        options: Mapping[str, object] | None = None,
        **more: Unpack[TrainOptions],
    ) -> Self:
        """Train a parser on a treebank.

        Parameters
        ----------
        train, dev : treebanks: a path, several paths, or sentences; without `dev`, the last epoch is used
        inference : inference method, such as ``AD3(max_iterations=100)`` of `ramify.inference`
        options : options that replace those of the preset, as on the command line: ``{"training.epochs": 5}``
        more : see `ramify.learn.model.Model.train`; presets are ``"first"``, ``"second"``, ``"third"``,
            ``"default"``, ``"neural"``, ``"auto"`` and those of the papers
        """
        if inference is not None:
            chosen = chosen_config(TASK, more.get("preset"), more.get("config"), None)
            more = more | {"config": with_method(chosen, inference)}
        return super().train(train, dev, options=options, **more)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        options: Mapping[str, object] | None = None,
        inference: Any = None,
    ) -> Self:
        """Read a model: a directory, or a zip of one. Loading an untrusted model cannot run code.

        Parameters
        ----------
        path : path of the model
        options, inference : options that differ from those of training, as in `with_options`
        """
        return cls._of(_changed(FILES.load(path), options, inference), path)

    def with_options(self, options: Mapping[str, object] | None = None, *, inference: Any = None) -> Self:
        """Return a copy of the parser with other options of inference.

        Parameters
        ----------
        options : options of the section ``inference``, and ``model.tree``, ``pruner.threshold``,
            ``pruner.max-heads`` and ``pruner.lengths``, such as ``{"inference.method": "ilp"}``
        inference : a method of `ramify.inference`, such as ``AD3(max_iterations=100)``; `options` override it
        """
        return type(self)(_changed(self._state, options, inference))

    def __repr__(self) -> str:
        parts = ", ".join(["arc", *(part.value for part in self.config.model.parts)])
        return f"<Parser: {parts}; {self._state.num_weights:,} weights, {len(self.labels)} labels>"

    @property
    def labels(self) -> tuple[str, ...]:
        """All dependency labels that the parser can predict."""
        return self._state.frame.labels

    @property
    def tags(self) -> tuple[str, ...]:
        """All tags of column UPOS that occurred in training."""
        return self._state.frame.tags[2:]

    @property
    def predicts_tags(self) -> bool:
        """Whether the parser needs no tags, but writes those that its network predicts."""
        return self.config.is_neural and bool(self.config.network.predict_tags)

    def tag(
        self, sentences: Sequence[Sentence], *, advice: Mapping[str, Advice] | None = None, threads: int = 1
    ) -> None:
        """Write tags into sentences, in columns UPOS, XPOS and FEATS; only for parsers that predict them.

        Parameters
        ----------
        sentences : sentences with forms; their tags are replaced
        advice : what other taggers say of these sentences, by column (``upos``, ``xpos``, ``feats``); the logarithms of
            their probabilities are added to those of the network
        threads : number of threads; 0 uses all cores
        """
        if not self.predicts_tags:
            raise InvalidInputError(
                "Parser.tag expects a parser whose network predicts tags; this one reads them. Use ramify.Tagger."
            )
        core = [_checked(sentence)._core for sentence in sentences]
        self._model.tag(core, num_threads(threads), _checked_advice(advice or {}, sentences))

    def factor_graph(
        self, sentence: Sentence, *, loose: bool = False, apart: bool = False, projective: bool = False
    ) -> ParseGraph:
        """Return the factor graph of a sentence, which any method of `ramify.inference` can solve.

        Parameters
        ----------
        sentence : sentence with forms and tags
        loose : if True, the graph for belief propagation, in which no constraint occurs twice; otherwise that for AD3
        apart : whether siblings and grandparents have factors of their own, which makes a looser linear program
        projective : whether to use the projective tree factor, even if the model was trained with another one
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
        sentence : sentence with forms and tags
        heads : head of each of the n words; 0 is the root
        labels : label of each of the n words; the model must know it
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
        saliency: bool = False,
    ) -> Explanation:
        """Explain why the parser gives a word its head rather than another one.

        Parameters
        ----------
        sentence : sentence with forms and tags
        word : number of the word, from 1
        against : the other head (0 is the root); by default, the head in the best tree in which the word has another
            head
        label : the other label; it is compared on the other head if one is given, or else on the predicted head
        constraints, projective : as in `parse`; the explanation contains the price of each constraint
        saliency : whether to compute how much each word matters to a network, which needs PyTorch
        """
        check_argument("explain", "word", Integer(1, len(_checked(sentence))), word)
        found = explain(self, self._model, sentence, word, against, label, constraints, projective)
        return replace(found, saliency=self._saliency(sentence, found)) if saliency else found

    def _saliency(self, sentence: Sentence, explanation: Explanation) -> tuple[float, ...]:
        weights = self._state.network
        if weights is None:
            raise InvalidInputError(
                "explain expects a parser with a network for saliency; this one has weights of features, which the "
                "explanation lists."
            )
        if weights.encoder is not None:
            raise InvalidInputError("explain expects a network without a pretrained encoder for saliency.")
        from ramify.parsing.saliency import network_of, saliency  # needs PyTorch

        return saliency(network_of(self.config.network, weights), weights, sentence, explanation)

    @overload
    def parse(
        self,
        sentences: Sentence,
        *,
        constraints: Sequence[Constraint] | None = None,
        threads: int = 1,
        **request: Unpack[ParseOptions],
    ) -> ParseResult: ...
    @overload
    def parse(
        self,
        sentences: Iterable[Sentence],
        *,
        constraints: Iterable[Sequence[Constraint]] | None = None,
        threads: int = 1,
        **request: Unpack[ParseOptions],
    ) -> list[ParseResult]: ...
    def parse(
        self,
        sentences: Sentence | Iterable[Sentence],
        *,
        constraints: Any = None,
        threads: int = 1,
        **request: Unpack[ParseOptions],
    ) -> ParseResult | list[ParseResult]:
        """Find the best tree of a sentence, or of each of several.

        Parameters
        ----------
        sentences : one or several sentences with forms and tags as in the training treebank. Their heads and labels
            are ignored. The sentences are not changed: results contain copies
        constraints : known facts about the tree: `Head`, `NotHead`, `Label`, `Root`; for several sentences, one list
            per sentence
        threads : number of threads; 0 uses all cores
        marginals : whether to compute the probabilities of arcs
        k : number of best trees in each result
        decoder : ``"map"`` finds the best tree, ``"mbr"`` the tree with the highest expected number of correct heads
        projective : whether to allow only projective trees, even if the model was trained with other trees
        time_limit : time limit per sentence in seconds; the default is that of the model
        max_words : sentences with more words get no tree, because time grows with the cube of their length
        """
        asked = make_request(**request)
        count = num_threads(threads)
        if isinstance(sentences, Sentence):
            return self._parse([sentences.copy()], asked, None if constraints is None else [constraints], count)[0]
        batch = [_checked(sentence).copy() for sentence in sentences]
        return self._parse(batch, asked, None if constraints is None else list(constraints), count)

    def pipe(
        self,
        sentences: Iterable[Sentence],
        *,
        constraints: Iterable[Sequence[Constraint]] | None = None,
        threads: int = 1,
        batch_size: int = 256,
        copy: bool = True,
        **request: Unpack[ParseOptions],
    ) -> Iterator[ParseResult]:
        """Parse a stream. Results have the order of the sentences, and memory does not grow with their number.

        Parameters
        ----------
        sentences : any iterable
        constraints : any iterable with one list per sentence
        threads : number of threads; 0 uses all cores
        batch_size : number of sentences that are parsed together
        copy : if False, heads and labels are written into the given sentences, which is faster
        request : marginals, k, decoder, projective, time_limit and max_words, as in `parse`
        """
        asked = make_request(**request)
        count = num_threads(threads)
        check_argument("Parser.pipe", "batch_size", Integer(1), batch_size)
        return self._pipe(iter(sentences), constraints, asked, batch_size, count, copy)

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
        """Parse a treebank with its own tags and score the result with the metrics of the CoNLL 2018 shared task.

        Parameters
        ----------
        treebank : a path, an open file, or sentences, which are not changed
        threads : number of threads; 0 uses all cores

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
        """Write heads and labels into the given sentences."""
        if self.config.inference.method in PROGRAMS:
            results = self._solve_programs(sentences, request, constraints)
        else:
            core = [sentence._core for sentence in sentences]
            encoded = None if constraints is None else self._encode(sentences, constraints)
            given = [] if encoded is None else [[c for _, c in mine] for mine in encoded]
            parses = self._model.parse(core, request, given, count)
            results = [
                ParseResult(sentence, parse, self.labels, () if encoded is None else [c for c, _ in encoded[i]])
                for i, (sentence, parse) in enumerate(zip(sentences, parses, strict=True))
            ]
        for result in results:
            if not result.found:
                result.sentence.heads = [-1] * len(result.sentence)
                result.sentence.deprels = ["_"] * len(result.sentence)
        return results

    def _solve_programs(
        self, sentences: list[Sentence], request: _core.ParseRequest, constraints: list[Sequence[Constraint]] | None
    ) -> list[ParseResult]:
        """Do the same with HiGHS, one sentence after the other."""
        config, single_root = self.config, bool(self._state.frame.single_root)
        if request.marginals or request.k > 1 or request.mbr or constraints is not None:
            raise InvalidInputError(
                f"A parser with inference.method = {config.inference.method.value!r} gives the best tree only; got a "
                "request for constraints, marginals, k > 1 or MBR. Load it with inference.method = 'exact' for these."
            )
        projective = request.projective or config.model.tree == "projective"
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


def _changed(state: ModelState, options: Mapping[str, object] | None, inference: Any) -> ModelState:
    for key in options or {}:
        if not key.startswith("inference.") and key not in _NOT_LEARNED:
            raise InvalidInputError(
                f"A trained parser takes options of the section inference and {', '.join(_NOT_LEARNED)}; "
                f"got {key!r}, which is settled in training."
            )
    return state.with_config(with_method(state.config, inference).override(options or {}))


def _checked_advice(advice: Mapping[str, Advice], sentences: Sequence[Sentence]) -> Mapping[str, Advice]:
    for name, given in advice.items():
        expected = [(len(sentence), len(given.labels)) for sentence in sentences]
        if name not in ("upos", "xpos", "feats") or [array.shape for array in given.probabilities] != expected:
            raise InvalidInputError(
                "Parser.tag expects advice on upos, xpos or feats: an array of shape (words, labels) for each "
                f"sentence; got other columns or shapes for {name!r}."
            )
    return advice


def _checked(sentence: Sentence) -> Sentence:
    if not isinstance(sentence, Sentence):
        raise InvalidInputError(f"Parser expects sentences (ramify.data.Sentence); got {type(sentence).__name__}.")
    return sentence
