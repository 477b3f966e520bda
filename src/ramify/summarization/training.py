"""What a summarizer learns from human summaries; `ramify.learn.run` does the rest of a training run.

The structured hinge loss of Almeida & Martins (2013, section 4): the best summary, found with a cost for the bigrams of
the references that it misses, against the summary of the input that has most of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.learn.divergence import check_finite
from ramify.learn.linear import LinearWeights, Rows, Sharing
from ramify.learn.linear_training import LinearLearner
from ramify.learn.progress import Started
from ramify.summarization.candidates import candidate_sentences
from ramify.summarization.concepts import bigrams_of
from ramify.summarization.config import Method
from ramify.summarization.decoding import solve
from ramify.summarization.reading import Layout, Reading, Scores, lay_out, read_input
from ramify.summarization.rounding import best_summary
from ramify.summarization.source import read_source
from ramify.summarization.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from ramify.learn.corpus import Corpus
    from ramify.learn.run import Run
    from ramify.summarization.clusters import Cluster
    from ramify.summarization.config import Config

__all__ = ["Example", "SummarizerLearner", "oracle", "recall"]

_WORDS = 100  # length of summaries where the data do not say


@dataclass
class Example:
    """A problem with human summaries.

    Attributes
    ----------
    reading : the input
    rows : its features, without rare ones
    layout : the problem with all scores zero
    gains : (concepts,) share of the references' bigrams that each concept is
    gold : (units,) the best summary, and `covered`, the concepts that it brings
    references : bigrams of each human summary
    """

    reading: Reading
    rows: Rows
    layout: Layout
    gains: NDArray[np.float64]
    gold: NDArray[np.bool_]
    references: list[list[tuple[str, str]]]


def gains_of(reading: Reading, references: list[list[tuple[str, str]]]) -> NDArray[np.float64]:
    """Return (concepts,) how much of the references each concept covers if it comes once.

    Parameters
    ----------
    reading : the input
    references : bigrams of each human summary
    """
    gains = np.zeros(len(reading.concepts))
    for bigrams in references:
        for bigram in set(bigrams):
            concept = reading.concepts.number.get(bigram)
            if concept is not None:
                gains[concept] += 1.0
    return gains / max(sum(map(len, references)), 1)


def oracle(layout: Layout, gains: NDArray[np.float64], penalty: float = 1e-4) -> NDArray[np.bool_]:
    """Return (units,) the summary that has most bigrams of the references; among equal ones that with fewest cuts.

    It is found exactly, by AD3 with branch and bound.

    Parameters
    ----------
    layout : of the problem
    gains : (concepts,) see `gains_of`
    penalty : of each cut
    """
    p = layout.problem
    cuts = np.where(p.heads >= 0, -penalty, 0.0)
    problem = replace(p, weights=gains, cuts=cuts, stays=np.zeros(len(p.heads)))
    return solve(problem, Method.AD3_EXACT).kept


def recall(layout: Layout, kept: NDArray[np.bool_], references: list[list[tuple[str, str]]]) -> float:
    """Return the share of the references' bigrams that a summary has, as ROUGE-2 counts them.

    Parameters
    ----------
    layout : of the problem
    kept : (units,) which units stay
    references : bigrams of each human summary
    """
    p, names = layout.problem, list(layout.reading.concepts.number)
    on = kept[p.first] & kept[p.second]
    found = Counter(names[concept] for concept in p.concept[on].tolist())
    wanted = [Counter(bigrams) for bigrams in references]
    same = sum(min(count, found[bigram]) for counts in wanted for bigram, count in counts.items())
    return same / max(sum(map(len, references)), 1)


class SummarizerLearner(LinearLearner):
    """What a summarizer learns from, and what it has learned."""

    title = stage = "summarizer"
    config: Config
    chunk = 8

    def __init__(self, config: Config, train: Corpus[Cluster], dev: Corpus[Cluster] | None, threads: int) -> None:
        import ramify

        training = config.training
        self.config = config
        self.epochs, self.patience, self.seed = training.epochs, training.patience, training.seed
        self.pipeline = ramify.load("en")
        self.threads = threads
        self.examples = [e for cluster in train.sentences for e in self._examples(cluster)]
        self.known = self._frequent()
        for example in self.examples:
            example.rows = _only(example.rows, self.known)
        self.dev = [e for cluster in (dev.sentences if dev else ()) for e in self._examples(cluster)]
        self.lengths = np.array([len(e.reading.source.sentences) for e in self.examples], np.int64)
        self.trainer = LinearWeights(max_step=training.max_step, l2=training.l2, num_examples=len(self.examples))

    def _examples(self, cluster: Cluster) -> list[Example]:
        """Return the extractive problem of a cluster, and the compressive one if cuts are learned."""
        source = read_source(cluster.documents, self.pipeline.segmenter)
        if not source.sentences:
            return []
        ratio = self.config.training.shared
        made = [self._example(cluster, read_input(source, sharing=Sharing(1, ratio)), whole=True)]
        if self.config.training.compressive:
            chosen = list(made[0].layout.chosen)
            order = sorted(chosen, key=lambda s: -float(made[0].gains[made[0].reading.concepts.tokens[s]].sum()))
            few = _within(source, order, self.config.decoding.candidate_words)
            sentences = [source.sentences[s].columns for s in few]
            results = self.pipeline.annotate(sentences, threads=self.threads)
            trees = {s: result.sentence for s, result in zip(few, results, strict=True) if result.found}
            read = read_input(source, trees=trees, concepts=made[0].reading.concepts, sharing=Sharing(2, ratio))
            made.append(self._example(cluster, read, whole=False, few=few))
        return made

    def _example(self, cluster: Cluster, reading: Reading, *, whole: bool, few: list[int] | None = None) -> Example:
        budget = cluster.words or _WORDS
        chosen = candidate_sentences(reading, budget if whole else None) if few is None else sorted(few)
        rows = reading.rows
        layout = lay_out(reading, chosen, budget, independent=False)
        references = [bigrams_of(text) for text in cluster.summaries if text.strip()]
        gains = gains_of(reading, references)
        return Example(reading, rows, layout, gains, oracle(layout, gains), references)

    def _frequent(self) -> NDArray[np.uint64]:
        counts: Counter[int] = Counter()
        for example in self.examples:
            counts.update(np.unique(example.rows.keys).tolist())
        return np.array(sorted(k for k, n in counts.items() if n >= self.config.model.min_count), np.uint64)

    def started(self) -> Started:
        """Say how much there is to learn from."""
        words = sum(e.reading.source.words for e in self.examples)
        return Started(len(self.examples), words, {"features": len(self.known)})

    def learn(self, chunk: NDArray[np.int64]) -> Mapping[str, float]:
        """Learn from inputs, shape (chunk,)."""
        total = 0.0
        for i in chunk.tolist():
            example = self.examples[i]
            loss, gradient = hinge(example, self.trainer.scores(example.rows), self.config.training.cost)
            check_finite(self.title, [loss], remedy=self.remedy)
            self.trainer.update([(example.rows, gradient, loss)])
            total += loss
        return {"loss": total, "sentences": len(chunk)}

    def scores(self) -> Mapping[str, float]:
        """Return the mean ROUGE-2 recall on dev."""
        if not self.dev:
            return {}
        return {"recall": self._recall(lambda rows: self.trainer.scores(rows, averaged=True))}

    def _recall(self, scorer: Any) -> float:
        found = []
        for example in self.dev:
            problem = example.layout.scored(example.reading.scores(scorer(example.rows)))
            found.append(recall(example.layout, best_summary(problem), example.references))
        return float(np.mean(found))

    def result(self, run: Run) -> State:
        """Return the summarizer with the best weights."""
        return State(self.config, self.learned)

    def dev_scores(self, state: State, run: Run) -> dict[str, Any]:
        """Score the model as it will be saved."""
        return {"recall": self._recall(state.weights.scores), **run.best}


def hinge(example: Example, values: NDArray[np.float64], cost: float) -> tuple[float, NDArray[np.float64]]:
    """Return the structured hinge loss of an input, and its gradient by the scores of rows.

    Parameters
    ----------
    example : the input
    values : scores of its rows
    cost : of missing all bigrams of the references that the input has
    """
    scores = example.reading.scores(values)
    price = cost * example.gains / max(float(example.gains.sum()), 1e-9)
    cheated = Scores(scores.concepts - price, scores.sentences, scores.cuts)
    problem = example.layout.scored(cheated)
    guess = best_summary(problem, quick=True)
    gradient = example.layout.gradient(guess) - example.layout.gradient(example.gold)
    missed = float(price[problem.covered(example.gold)].sum() - price[problem.covered(guess)].sum())
    loss = float(values @ gradient) + missed
    if loss <= 0:  # the search missed what would have been worse
        return 0.0, np.zeros(len(gradient))
    return loss, gradient


def _only(rows: Rows, keys: NDArray[np.uint64]) -> Rows:
    known = np.isin(rows.keys, keys)
    sums = np.concatenate([[0], np.cumsum(known)])
    return Rows(sums[rows.begin].astype(np.int64), rows.keys[known], rows.values[known])


def _within(source: Any, order: list[int], words: int) -> list[int]:
    found: list[int] = []
    used = 0
    for s in order:
        used += source.sentences[s].words
        if used > words and found:
            break
        found.append(s)
    return sorted(found)
