"""Learning a segmenter from a treebank."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ramify._core import segmentation as _core
from ramify.data import Sentence, read
from ramify.errors import InvalidInputError
from ramify.learn.arrays import halved
from ramify.learn.divergence import check_finite
from ramify.learn.progress import Progress, Report, Step, reporting
from ramify.segmentation.gold_text import gold_text, raw_text, surface_tokens
from ramify.segmentation.multiword import learn_rules
from ramify.segmentation.scores import score_segmentation
from ramify.segmentation.state import SegmenterState
from ramify.segmentation.variety import emoji_text, foreign_text, with_abbreviations, with_line_breaks

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from ramify.segmentation.options import Options
    from ramify.segmentation.scores import SegmentationScores

__all__ = ["EpochDone", "Treebank", "train"]

Treebank = Union[str, "os.PathLike[str]", "Iterable[str | os.PathLike[str] | Sentence]"]
_REMEDY = "Train again with smaller steps: token-step and sentence-step."
_KNOWN_FROM = 2  # as the C++ core has it
_STEPS = 64  # values of a weight between 0 and 1
_BIASES = [step / 4 for step in range(-12, 13)]


@dataclass(frozen=True)
class EpochDone:
    """A pass over the treebank is done.

    Attributes
    ----------
    epoch, epochs : this one (from 1), and how many there are
    token_loss, sentence_loss : mean of a decision
    """

    epoch: int
    epochs: int
    token_loss: float
    sentence_loss: float

    def __str__(self) -> str:
        return (
            f"epoch {self.epoch:>{len(str(self.epochs))}}: loss {self.token_loss:.4f} a token end, "
            f"{self.sentence_loss:.4f} a sentence end"
        )


def train(
    options: Options,
    treebank: Treebank,
    dev: Treebank | None,
    *,
    licence: str,
    progress: Progress,
) -> SegmenterState:
    """Learn; how readily sentences end is chosen on dev, if there is one.

    Parameters
    ----------
    options : of the segmenter
    treebank, dev : paths or sentences
    licence : of the data, for the card
    progress : as for `ramify.parsing.train`; the events are `EpochDone` and `Step`
    """
    with reporting(progress) as report:
        sentences, files = _load(treebank, "train")
        facts: dict[str, Any] = {"train": _size(sentences, files), "licence": licence, "version": version("ramify")}
        dev_sentences, dev_files = _load(dev, "dev") if dev is not None else ([], ())
        state = _learned(options, sentences, facts, report)
        return _tuned(state, dev_sentences, dev_files, report) if dev_sentences else state


def _learned(options: Options, sentences: list[Sentence], facts: dict[str, Any], report: Report) -> SegmenterState:
    trainer = _prepare(options, sentences)
    rules = learn_rules(token for sentence in sentences for token in surface_tokens(sentence))
    words = sum(map(len, sentences))
    for epoch in range(1, options.epochs + 1):
        losses = trainer.run_pass(epoch - 1)
        check_finite(f"segmenter (epoch {epoch})", losses, remedy=_REMEDY)
        loss = sum(losses)
        report(Step("segmenter", epoch, options.epochs, len(sentences), len(sentences), words, loss))
        report(EpochDone(epoch, options.epochs, *losses))
    token, sentence = _rounded(trainer.token_weights()), _rounded(trainer.sentence_weights())
    for weights in (token, sentence):
        check_finite("segmenter", weights, "a weight", remedy=_REMEDY)
    return SegmenterState(
        options=options,
        token=token,
        sentence=sentence,
        inside=trainer.inside(),
        lexicon=trainer.lexicon(),
        rules=rules,
        spaces_inside=trainer.spaces_inside,
        sentence_bias=0.0,
        facts=facts,
        known_share=_known_share(sentences),
    )


def _load(source: Treebank, role: str) -> tuple[list[Sentence], tuple[str, ...]]:
    items = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    sentences: list[Sentence] = []
    files: list[str] = []
    for item in items:
        if isinstance(item, Sentence):
            sentences.append(item)
        elif isinstance(item, (str, os.PathLike)):
            sentences += read(item, multiple_roots=True)
            files.append(Path(item).name)
        else:
            raise InvalidInputError(f"{role} expects paths or sentences; got {type(item).__name__}.")
    if not any(map(len, sentences)):
        raise InvalidInputError(
            f"{role}: expected sentences with words; found none in {', '.join(files) or 'the sentences given'}."
        )
    return sentences, tuple(files)


def _size(sentences: list[Sentence], files: tuple[str, ...]) -> dict[str, Any]:
    tokens = sum(len(surface_tokens(sentence)) for sentence in sentences)
    return {"files": list(files), "sentences": len(sentences), "tokens": tokens}


def _prepare(options: Options, sentences: list[Sentence]) -> _core.Trainer:
    """Return a trainer that has seen all text."""
    trainer = _core.Trainer(options.bits, options.token_step, options.sentence_step, options.seed)
    chance = random.Random(options.seed)  # noqa: S311 - not for secrets
    gold = gold_text(sentences)
    trainer.count_words(gold.text, gold.begins, gold.ends, gold.sentence_ends)
    texts = [gold]
    if options.variety:
        varied = with_line_breaks(with_abbreviations(gold, chance), chance)
        texts = [varied, foreign_text(sentences, chance), emoji_text(sentences, chance)]
    for gold in texts:
        trainer.count(gold.text, gold.begins, gold.ends, gold.sentence_ends)
    trainer.settle(options.min_pairs, options.min_words)
    for gold in texts:
        trainer.add(gold.text, gold.begins, gold.ends, gold.sentence_ends)
    return trainer


def _rounded(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float16]:
    """Return weights with few different values, so that a zip of them is half as large."""
    return halved(np.round(weights * _STEPS) / np.float32(_STEPS))


def _known_share(sentences: list[Sentence]) -> float:
    """Return the share of words that would be known if the treebank did not have this one occurrence of them."""
    forms = (token.form for sentence in sentences for token in surface_tokens(sentence))
    counts = Counter(form.lower() for form in forms if form[0].isalpha())
    return sum(count for count in counts.values() if count > _KNOWN_FROM) / max(counts.total(), 1)


def _score(state: SegmenterState, dev: list[Sentence]) -> SegmentationScores:
    document = state.build().segment(raw_text(dev), True, False, _core.StreamState())
    return score_segmentation(dev, [Sentence._wrap(sentence) for sentence in document.take_sentences()])


def _tuned(state: SegmenterState, dev: list[Sentence], files: tuple[str, ...], report: Report) -> SegmenterState:
    """Return the segmenter with the readiness to end sentences that suits dev best."""
    scored = []
    words = sum(map(len, dev))
    for number, bias in enumerate(_BIASES, 1):
        scored.append((_score(replace(state, sentence_bias=bias), dev), bias))
        report(Step("sentence ends", 1, 1, number * len(dev), len(_BIASES) * len(dev), words))
    # Of equals, the one that changes least.
    scores, bias = max(scored, key=lambda item: (item[0].sentences.f1, -abs(item[1])))
    figures = {name: getattr(scores, name).f1 for name in ("tokens", "sentences", "words")}
    return replace(state, sentence_bias=bias, facts=state.facts | {"dev": _size(dev, files), "scores": figures})
