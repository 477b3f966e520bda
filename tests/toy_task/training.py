"""What the task knows of a training run: how to learn from sentences, and what to keep."""

from __future__ import annotations

import numpy as np

from ramify.learn.progress import Started
from ramify.learn.run import Learner
from toy_task.state import State

__all__ = ["ToyLearner"]


class ToyLearner(Learner):
    """A perceptron for every form."""

    title = stage = "toy"
    remedy = ""

    def __init__(self, config, train, dev, threads):
        self.config = config
        self.train, self.dev = train.sentences, dev.sentences if dev else []
        self.epochs, self.seed = config.training.epochs, config.training.seed
        self.lengths = np.array([len(sentence) for sentence in self.train])
        self.forms = tuple(sorted({form for sentence in self.train for form in sentence.forms}))
        self.tags = tuple(sorted({tag for sentence in self.train for tag in sentence.upos}))
        self.weights = np.zeros((len(self.forms), len(self.tags)))
        self.best = self.weights

    def started(self):
        return Started(len(self.train), int(self.lengths.sum()), {"tags": len(self.tags)})

    def learn(self, chunk):
        wrong = 0
        for sentence in (self.train[i] for i in chunk):
            for form, tag in zip(sentence.forms, sentence.upos, strict=True):
                row, right = self.weights[self.forms.index(form)], self.tags.index(tag)
                guess = int(row.argmax())
                if guess != right:
                    wrong += 1
                    row[right] += 1
                    row[guess] -= 1
        return {"loss": wrong, "sentences": len(chunk)}

    def scores(self):
        return {"accuracy": self.accuracy(self.weights)} if self.dev else {}

    def accuracy(self, weights):
        known = State(self.config, self.forms, self.tags, weights).build()
        pairs = [pair for sentence in self.dev for pair in zip(sentence.forms, sentence.upos, strict=True)]
        return sum(known.get(form) == tag for form, tag in pairs) / len(pairs)

    def keep(self):
        self.best = self.weights.copy()

    def kept(self):
        return {"weights": self.best}

    def state(self):
        return {"weights": self.weights}

    def restore(self, kept):
        self.best = kept["weights"]

    def restore_state(self, state):
        self.weights = state["weights"].copy()

    def result(self, run):
        return State(self.config, self.forms, self.tags, self.best)

    def facts(self, state):
        return {"weights": state.weights.size}

    def dev_scores(self, state, run):
        return {"accuracy": self.accuracy(state.weights), **run.best}
