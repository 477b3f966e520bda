"""What a segmenter learns from a treebank; `ramify.learn.run` does the rest of a training run."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify._core import segmentation as _core
from ramify.data import Sentence
from ramify.learn.arrays import halved
from ramify.learn.divergence import check_finite
from ramify.learn.progress import Started
from ramify.learn.run import Learner
from ramify.segmentation.gold_text import gold_text, raw_text, surface_tokens
from ramify.segmentation.multiword import learn_rules
from ramify.segmentation.scores import score_segmentation
from ramify.segmentation.state import SegmenterState
from ramify.segmentation.variety import emoji_text, foreign_text, with_abbreviations, with_line_breaks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from ramify.learn.corpus import Corpus
    from ramify.learn.run import Arrays, Run
    from ramify.segmentation.config import Config
    from ramify.segmentation.scores import SegmentationScores

__all__ = ["SegmenterLearner"]

_KNOWN_FROM = 2  # as the C++ core has it
_STEPS = 64  # values of a weight between 0 and 1
_BIASES = [step / 4 for step in range(-12, 13)]


class SegmenterLearner(Learner):
    """What a segmenter learns from, and what it has learned."""

    title = stage = "segmenter"
    remedy = "Train again with smaller steps: training.token-step and training.sentence-step."
    left = "tuning on dev"

    def __init__(
        self, config: Config, train: Corpus[Sentence], dev: Corpus[Sentence] | None, threads: int
    ) -> None:  # one thread is enough
        self.config = config
        self.sentences = train.sentences
        self.dev = dev.sentences if dev else []
        self.epochs = config.training.epochs
        self.seed = config.training.seed
        self.lengths = np.array([len(sentence) for sentence in train.sentences])
        self.chunk = len(self.lengths)  # the C++ side orders its examples itself, which are characters and tokens
        self.best: Arrays = {}
        self._dev_scores: dict[str, float] = {}

    def started(self) -> Started:
        """Make the trainer, which looks at all text."""
        self.trainer = _prepare(self.config, self.sentences)
        return Started(len(self.sentences), int(self.lengths.sum()))

    def order(self, epoch: int) -> npt.NDArray[np.int64]:
        """Return the sentences as they are."""
        self._epoch = epoch
        return np.arange(len(self.lengths))

    def learn(self, chunk: npt.NDArray[np.int64]) -> Mapping[str, float]:
        """Learn from all sentences."""
        token, sentence = self.trainer.run_pass(self._epoch)
        return {"loss": token + sentence, "token": token, "sentence": sentence, "sentences": 1}

    def figures(self, sums: Mapping[str, float]) -> Mapping[str, float]:
        """Return the mean losses of both decisions."""
        return {"loss of token ends": sums["token"], "loss of sentence ends": sums["sentence"]}

    def keep(self) -> None:
        """Round the averaged weights."""
        trainer = self.trainer
        weights = {"token": _rounded(trainer.token_weights()), "sentence": _rounded(trainer.sentence_weights())}
        for array in weights.values():
            check_finite(self.title, array, "a weight", remedy=self.remedy)
        self.best = weights

    def kept(self) -> Arrays:
        """Return the rounded weights."""
        return self.best

    def restore(self, kept: Arrays) -> None:
        """Take back the rounded weights."""
        self.best = {name: kept[name] for name in ("token", "sentence")} if kept else {}

    def result(self, run: Run) -> SegmenterState:
        """Return the segmenter; how readily sentences end is chosen on dev, if there is one."""
        tokens = (token for sentence in self.sentences for token in surface_tokens(sentence))
        state = SegmenterState(
            config=self.config,
            token=self.best["token"],
            sentence=self.best["sentence"],
            inside=self.trainer.inside(),
            lexicon=self.trainer.lexicon(),
            rules=learn_rules(tokens),
            spaces_inside=self.trainer.spaces_inside,
            sentence_bias=0.0,
            facts={},
            known_share=_known_share(self.sentences),
        )
        return self._tuned(state, run) if self.dev else state

    def _tuned(self, state: SegmenterState, run: Run) -> SegmenterState:
        """Return the segmenter with the readiness to end sentences that suits dev best."""
        scored = []
        count = run.counter("sentence ends", len(_BIASES) * len(self.dev))
        for bias in _BIASES:
            scored.append((_score(replace(state, sentence_bias=bias), self.dev), bias))
            count(self.dev)
        # Of equals, the one that changes least.
        scores, bias = max(scored, key=lambda item: (item[0].sentences.f1, -abs(item[1])))
        self._dev_scores = {name: getattr(scores, name).f1 for name in ("tokens", "sentences", "words")}
        return replace(state, sentence_bias=bias)

    def facts(self, state: SegmenterState) -> dict[str, Any]:
        """Return the number of weights."""
        return {"weights": len(state.token) + len(state.sentence)}

    def dev_scores(self, state: SegmenterState, run: Run) -> dict[str, Any]:
        """Return the scores of the chosen readiness."""
        return dict(self._dev_scores)


def _prepare(config: Config, sentences: Sequence[Sentence]) -> _core.Trainer:
    """Return a trainer that has seen all text."""
    model, training = config.model, config.training
    trainer = _core.Trainer(model.bits, training.token_step, training.sentence_step, training.seed)
    chance = random.Random(training.seed)  # noqa: S311 - not for secrets
    gold = gold_text(sentences)
    trainer.count_words(gold.text, gold.begins, gold.ends, gold.sentence_ends)
    texts = [gold]
    if training.variety:
        varied = with_line_breaks(with_abbreviations(gold, chance), chance)
        texts = [varied, foreign_text(sentences, chance), emoji_text(sentences, chance)]
    for gold in texts:
        trainer.count(gold.text, gold.begins, gold.ends, gold.sentence_ends)
    trainer.settle(model.min_pairs, model.min_words)
    for gold in texts:
        trainer.add(gold.text, gold.begins, gold.ends, gold.sentence_ends)
    return trainer


def _rounded(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float16]:
    """Return weights with few different values, so that a zip of them is half as large."""
    return halved(np.round(weights * _STEPS) / np.float32(_STEPS))


def _known_share(sentences: Sequence[Sentence]) -> float:
    """Return the share of words that would be known if the treebank did not have this one occurrence of them."""
    forms = (token.form for sentence in sentences for token in surface_tokens(sentence))
    counts = Counter(form.lower() for form in forms if form[0].isalpha())
    return sum(count for count in counts.values() if count > _KNOWN_FROM) / max(counts.total(), 1)


def _score(state: SegmenterState, dev: Sequence[Sentence]) -> SegmentationScores:
    document = state.build().segment(raw_text(dev), True, False, _core.StreamState())
    return score_segmentation(dev, [Sentence._wrap(sentence) for sentence in document.take_sentences()])
