"""What a compressor learns from marked sentences; `ramify.learn.run` does the rest of a training run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.compression.decoding import best_cuts
from ramify.compression.evaluation import compression_scores
from ramify.compression.marks import kept_words
from ramify.compression.state import State, Tree, read_tree
from ramify.learn.divergence import check_finite
from ramify.learn.linear import LinearWeights
from ramify.learn.linear_training import LinearLearner
from ramify.learn.progress import Started

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from ramify.compression.config import Config
    from ramify.data import Sentence
    from ramify.learn.corpus import Corpus
    from ramify.learn.run import Run

    Scorer = Callable[[Tree], NDArray[np.float64]]

__all__ = ["CompressorLearner", "hinge", "price_for"]

_HIGHEST_PRICE = 64.0
_HALVINGS = 24


def hinge(
    tree: Tree, scores: NDArray[np.float64], gold: NDArray[np.bool_], cost: float
) -> tuple[float, NDArray[np.float64]]:
    """Return the structured hinge loss of a sentence, and its gradient by the scores of rows.

    The cost counts the words that wrongly stay or are wrongly deleted; words are counted at spaces.

    Parameters
    ----------
    tree : of the sentence
    scores : of its rows
    gold : (units,) what should stay
    cost : of a word
    """
    lengths = tree.units.lengths * cost
    cuts, stays = tree.split(scores)
    # That a unit goes which should stay costs as much as not to be paid for staying.
    guess = best_cuts(tree.units.heads, cuts, stays + np.where(gold, -lengths, lengths))
    gradient = tree.gradient(guess) - tree.gradient(gold)
    return float(scores @ gradient) + float(lengths[guess != gold].sum()), gradient


def price_for(trees: list[Tree], scorer: Scorer, rate: float) -> float:
    """Return what a word that stays has to score so that a share of all words stays.

    Parameters
    ----------
    trees : of sentences
    scorer : returns the scores of a tree's rows
    rate : the share
    """
    split = [tree.split(scorer(tree)) for tree in trees]
    total = sum(int(tree.units.lengths.sum()) for tree in trees)
    low, high = -_HIGHEST_PRICE, _HIGHEST_PRICE
    for _ in range(_HALVINGS):
        price = (low + high) / 2
        stay = 0
        for tree, (cuts, stays) in zip(trees, split, strict=True):
            lengths = tree.units.lengths
            stay += int(lengths[best_cuts(tree.units.heads, cuts, stays + price * lengths)].sum())
        low, high = (price, high) if stay < rate * total else (low, price)
    return high  # so many words stay at least


class CompressorLearner(LinearLearner):
    """What a compressor learns from, and what it has learned."""

    title = stage = "compressor"
    config: Config

    def __init__(self, config: Config, train: Corpus[Sentence], dev: Corpus[Sentence] | None, threads: int) -> None:
        training = config.training
        self.config = config
        self.sentences = train.sentences
        self.epochs, self.patience, self.seed = training.epochs, training.patience, training.seed
        self.batch = training.batch
        self.lengths = np.array([len(sentence) for sentence in self.sentences])
        self.trees = [read_tree(sentence, config.model) for sentence in self.sentences]
        self.gold = [
            tree.units.closest(kept_words(sentence)) for tree, sentence in zip(self.trees, self.sentences, strict=True)
        ]
        self.dev_gold = [kept_words(sentence) for sentence in dev.sentences] if dev else []
        self.dev = [read_tree(sentence, config.model) for sentence in dev.sentences] if dev else []
        self.trainer = self._new()

    def _new(self) -> LinearWeights:
        training = self.config.training
        return LinearWeights(
            max_step=training.max_step, l2=training.l2, num_examples=len(self.sentences), batch=training.batch
        )

    def started(self) -> Started:
        """Say how much there is to learn from."""
        words = int(self.lengths.sum())
        return Started(len(self.sentences), words, {"units": sum(len(tree.units) for tree in self.trees)})

    def learn(self, chunk: NDArray[np.int64]) -> Mapping[str, float]:
        """Learn from sentences, shape (chunk,)."""
        total = 0.0
        for begin in range(0, len(chunk), self.batch):
            examples = []
            for i in chunk[begin : begin + self.batch].tolist():
                tree = self.trees[i]
                loss, gradient = hinge(tree, self.trainer.scores(tree.rows), self.gold[i], self.config.training.cost)
                examples.append((tree.rows, gradient, loss))
                total += loss
            check_finite(self.title, [loss for *_, loss in examples], remedy=self.remedy)
            self.trainer.update(examples)
        return {"loss": total, "sentences": len(chunk)}

    def scores(self) -> Mapping[str, float]:
        """Return the share of words that stay on dev and F1, at the rate at which the model will be used."""
        if not self.dev:
            return {}
        return self._dev_scores(lambda tree: self.trainer.scores(tree.rows, averaged=True))

    def _rate(self) -> float:
        """Return the share of words that shall stay."""
        if self.config.decoding.rate:
            return self.config.decoding.rate
        trees, gold = (self.dev, self.dev_gold) if self.dev else (self.trees, [kept_words(s) for s in self.sentences])
        stay = sum(int(kept[tree.units.unit >= 0].sum()) for tree, kept in zip(trees, gold, strict=True))
        return stay / max(sum(int((tree.units.unit >= 0).sum()) for tree in trees), 1)

    def _dev_scores(self, scorer: Scorer) -> dict[str, float]:
        price = price_for(self.dev, scorer, self._rate())
        kept = []
        for tree in self.dev:
            cuts, stays = tree.split(scorer(tree))
            kept.append(tree.units.kept_words(best_cuts(tree.units.heads, cuts, stays + price * tree.units.lengths)))
        scores = compression_scores(self.dev_gold, kept, [tree.units.unit >= 0 for tree in self.dev])
        return {"rate": scores.rate, "f1": scores.f1}

    def result(self, run: Run) -> State:
        """Return the compressor with the best weights, and the price of a word."""
        best, trees = self.learned, self.dev or self.trees
        price = price_for(trees, lambda tree: best.scores(tree.rows), self._rate())
        return State(self.config, best, price=price)

    def dev_scores(self, state: State, run: Run) -> dict[str, Any]:
        """Score the model as it will be saved."""
        return {**self._dev_scores(lambda tree: state.weights.scores(tree.rows)), **run.best}
