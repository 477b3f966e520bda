"""Tags and trees at once, on short sentences: a pipeline, joint inference, and tags that nobody annotated."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ramify.reproduce.papers.tag_graph import METHOD, NUM_BUCKETS, WIDTH, SentenceModel, TagDictionary
from ramify.reproduce.trials import sentences_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ramify.data import Sentence
    from ramify.graph import Method
    from ramify.reproduce.treebanks import Treebank
    from ramify.reproduce.trials import Scale

__all__ = ["SYSTEMS", "compare_systems", "gradient", "train"]

MAX_WORDS, NUM_TRAIN, NUM_TEST, NUM_EPOCHS = 12, 500, 300, 5
_RATE, _BATCH = 0.1, 10
_PENALTY = 1.0  # of half the squared weights, against the sum of all losses; chosen on English dev among 0, 1 and 5

# What is learned from what: which variables there are, which are known in any case, and which in training.
SYSTEMS = {
    "words only": ("arcs", (), ("arcs",)),
    "tagger": ("tags", (), ("tags",)),
    "parser": ("arcs tags", ("tags",), ("arcs", "tags")),
    "joint": ("arcs tags", (), ("arcs", "tags")),
    "latent": ("arcs tags", (), ("arcs",)),
}


def gradient(
    model: SentenceModel,
    weights: NDArray[np.float64],
    known: Mapping[int, int],
    more: Mapping[int, int],
    method: Method = METHOD,
) -> NDArray[np.float64]:
    """Return the gradient of log p(more | known), shape (NUM_BUCKETS + 1,): what is in neither is summed over."""
    out = np.zeros(NUM_BUCKETS + 1)
    for evidence, sign in ((more, 1.0), (known, -1.0)):
        arcs, parts, _ = model.solve(weights, evidence, method)
        for rows, marginals in ((model.links, arcs), (model.parts, parts)):
            np.add.at(out, rows.ravel(), np.repeat(sign * marginals, WIDTH))
    out[NUM_BUCKETS] = 0.0
    return out


def train(examples: Sequence[tuple[SentenceModel, Sequence[int], Sequence[int]]], system: str) -> NDArray[np.float64]:
    """Return weights of one of the `SYSTEMS` from models of sentences with heads and tags, by AdaGrad."""
    _, given, learned = SYSTEMS[system]
    weights, squares = np.zeros(NUM_BUCKETS + 1), np.zeros(NUM_BUCKETS + 1)
    random = np.random.default_rng(1)
    for _ in range(NUM_EPOCHS):
        order = random.permutation(len(examples))
        for begin in range(0, len(order), _BATCH):
            total = -_PENALTY * _BATCH / len(examples) * weights
            for model, heads, tags in (examples[i] for i in order[begin : begin + _BATCH]):
                total += gradient(
                    model, weights, model.evidence(given, heads, tags), model.evidence(learned, heads, tags)
                )
            squares += total**2
            weights += _RATE * total / np.sqrt(squares + 1e-8)
    return weights


class _Study:
    """Sentences as models, made once for each set of variables, and what the systems did to them."""

    def __init__(self, train_set: Sequence[Sentence], test_set: Sequence[Sentence]) -> None:
        self._dictionary = TagDictionary(train_set)
        self._sets = {"train": train_set, "test": test_set}
        self._models: dict[tuple[str, str], list[SentenceModel]] = {}
        self.heads = {name: [[word.head for word in s] for s in own] for name, own in self._sets.items()}
        self.tags = {name: [[self._number(word) for word in s] for s in own] for name, own in self._sets.items()}

    def _number(self, word: Any) -> int:
        """Return −1 for a tag that was never seen: whatever is said is wrong."""
        return self._dictionary.tags.index(word.upos) if word.upos in self._dictionary.tags else -1

    def models(self, name: str, kind: str) -> list[SentenceModel]:
        if (name, kind) not in self._models:
            self._models[name, kind] = [
                SentenceModel([w.form for w in s], [self._dictionary.candidates(w.form) for w in s], kind)
                for s in self._sets[name]
            ]
        return self._models[name, kind]

    def learn(self, system: str) -> NDArray[np.float64]:
        models = self.models("train", SYSTEMS[system][0])
        return train(list(zip(models, self.heads["train"], self.tags["train"], strict=True)), system)

    def answer(self, system: str, weights: NDArray[np.float64], tags: Sequence[Sequence[int]] | None = None) -> Any:
        """Heads and tags of the test sentences, with tags given if there are any."""
        found = []
        for i, model in enumerate(self.models("test", SYSTEMS[system][0])):
            known = model.evidence(["tags"], [], tags[i]) if tags is not None else {}
            found.append(model.read(*model.solve(weights, known)[:2]))
        return [heads for heads, _ in found], [own for _, own in found]

    def reachable(self) -> list[list[int]]:
        """Return the right tags; where the dictionary has not got one, its first."""
        return [
            [t if t in c else int(c[0]) for t, c in zip(tags, model.candidates, strict=True)]
            for tags, model in zip(self.tags["test"], self.models("test", "tags"), strict=True)
        ]

    def right(self, heads: Any, tags: Any) -> list[list[int]]:
        """Count right heads and of right tags, a sentence each."""
        pairs = ((heads, self.heads["test"]), (tags, self.tags["test"]))
        return [[sum(a == b for a, b in zip(*row, strict=False)) for row in zip(*pair, strict=True)] for pair in pairs]


def compare_systems(bank: Treebank, scale: Scale) -> dict[str, Any]:
    """Measure each system on short sentences: right heads and right tags of each sentence, and its words."""
    sizes = [min(own, most) if most else own for own, most in ((NUM_TRAIN, scale.train), (NUM_TEST, scale.test))]
    train_set, test_set = sentences_of(bank.train, sizes[0], MAX_WORDS), sentences_of(bank.test, sizes[1], MAX_WORDS)
    study = _Study(train_set, test_set)
    began = time.thread_time()
    right = {"words only": study.right(*study.answer("words only", study.learn("words only")))}
    predicted = study.answer("tagger", study.learn("tagger"))[1]
    parser = study.learn("parser")
    right["pipeline"] = study.right(study.answer("parser", parser, predicted)[0], predicted)
    for system in ("joint", "latent"):
        right[system] = study.right(*study.answer(system, study.learn(system)))
    best = study.reachable()
    right["gold tags"] = study.right(study.answer("parser", parser, best)[0], best)
    return {
        "train": len(train_set),
        "words": [len(sentence) for sentence in test_set],
        "right": right,
        "seconds": time.thread_time() - began,
    }
