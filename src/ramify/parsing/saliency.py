"""Which words decide: how the difference between two trees changes with what a network reads of each word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ramify.errors import MissingExtraError

try:
    import torch
except ImportError as error:  # pragma: no cover - the tests of this module need it
    raise MissingExtraError("torch", "neural", "Saliency of words") from error

from ramify.neural.batches import Corpus
from ramify.neural.network import Batch, Scorer, Scores
from ramify.neural.quantisation import full
from ramify.parsing.network_training import example_of

if TYPE_CHECKING:
    from ramify.data import Sentence
    from ramify.neural.options import Network
    from ramify.parsing.explanation import Explanation, PartScore
    from ramify.parsing.state import NetworkWeights

__all__ = ["difference", "network_of", "saliency"]


def network_of(options: Network, weights: NetworkWeights) -> Scorer:
    """Return the network in PyTorch."""
    model = Scorer(options, weights.vocabulary)
    arrays = weights.arrays
    model.load_state_dict({name: torch.from_numpy(np.asarray(a, np.float32)) for name, a in full(arrays).items()})
    model.eval()
    return model


def saliency(model: Scorer, weights: NetworkWeights, sentence: Sentence, explanation: Explanation) -> tuple[float, ...]:
    """Return a number for each word: the derivative of the difference by a factor of the word's input vector."""
    batch = Corpus([example_of(sentence)], weights.vocabulary).batch([0])
    inputs = model.inputs(batch).detach().requires_grad_()
    (gradient,) = torch.autograd.grad(difference(model, batch, inputs, explanation), inputs)
    return tuple((gradient * inputs).sum(-1)[0, 1:].tolist())


def difference(model: Scorer, batch: Batch, inputs: torch.Tensor, explanation: Explanation) -> torch.Tensor:
    """Return the score of the chosen tree, less that of its rival, from inputs of shape (1, n + 1, size)."""
    scores = model(batch, inputs)
    labels = {name: i for i, name in enumerate(model.labels)}
    total = scores.arcs.new_zeros(())
    for sign, tree in ((1, explanation.chosen), (-1, explanation.rival)):
        for part in tree.parts if tree is not None else ():
            total = total + sign * _score(model, scores, part, labels)
    return total


def _score(model: Scorer, scores: Scores, part: PartScore, labels: dict[str, int]) -> torch.Tensor:
    words = part.words
    if part.kind == "arc":
        return scores.arcs[0, words["h"], words["m"]]
    if part.kind == "label":
        heads = torch.full(scores.arcs.shape[:2], words["h"])
        return model.label_scores(scores, heads)[0, words["m"]].log_softmax(-1)[labels[part.label]]
    roles, names = (scores.grandparents, "ghm") if part.kind == "grand" else (scores.siblings, "hms")
    assert roles is not None  # noqa: S101 - the network scores these parts
    first, second, third = (role[0, words[name]] for role, name in zip(roles, names, strict=True))
    return (first * second * third).sum() * first.shape[-1] ** -0.5
