"""Training of a network: the loss, the updates, and the moving average of the weights."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from ramify.neural.network import Batch, Dropouts, Scorer, Scores, mean_field
from ramify.neural.options import Loss

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from ramify.neural.batches import Corpus
    from ramify.neural.options import Fitting

__all__ = ["Fitter", "evaluate", "loss_of"]


def masked_arcs(scores: Scores, lengths: Tensor) -> Scores:
    """Forbid what is no arc: heads in the padding, and the word itself."""
    t = scores.arcs.shape[1]
    outside = torch.arange(t) >= lengths[:, None]
    forbidden = outside[:, :, None] | torch.eye(t, dtype=torch.bool)
    forbidden[:, 0, :] = False  # so that every column, also of the padding, has something to choose from
    return scores._replace(arcs=scores.arcs.masked_fill(forbidden.to(scores.arcs.device), -math.inf))


def log_partition(logits: Tensor, lengths: Tensor) -> Tensor:
    """Return log Z of all trees with a single root: scores of shape (b, t, t), lengths of shape (b,)."""
    from ramify.torch import NonprojectiveTrees

    return NonprojectiveTrees(logits, lengths=lengths, single_root=True).log_partition()


def loss_of(model: Scorer, batch: Batch, fitting: Fitting) -> Tensor:
    """Return the mean loss of a word: head, label, and tags if the network predicts them."""
    scores = masked_arcs(model(batch), batch.lengths)
    logits = mean_field(scores, fitting.iterations)
    words = batch.heads >= 0
    heads = batch.heads[words]
    if fitting.loss is Loss.TREE:
        gold = logits.transpose(1, 2)[words].gather(1, heads[:, None]).sum()
        loss = (log_partition(logits.float(), batch.lengths - 1).sum() - gold) / len(heads)
    else:
        loss = cross_entropy(logits.transpose(1, 2)[words].float(), heads)
    loss = loss + cross_entropy(
        model.label_scores(scores, batch.heads)[words].float(), batch.labels[words], ignore_index=-1
    )
    if scores.tags is not None:
        of_tags = [
            cross_entropy(s[words].float(), gold[words]) for s, gold in zip(scores.tags, batch.tags, strict=True)
        ]
        loss = loss + fitting.tag_weight * sum(of_tags)
    return loss


@torch.no_grad()
def evaluate(model: Scorer, corpus: Corpus, iterations: int = 3) -> dict[str, float]:
    """Return UAS, LAS and accuracies of tags in percent; every word gets its best head, whether it is a tree or not."""
    model.eval()
    right = np.zeros(5)
    total = 0
    for chosen in corpus.in_order(8000):
        batch = corpus.batch(chosen)
        scores = masked_arcs(model(batch), batch.lengths)
        heads = mean_field(scores, iterations).argmax(1)
        words = batch.heads >= 0
        head_right = (heads == batch.heads) & words
        label_right = (model.label_scores(scores, heads).argmax(-1) == batch.labels) & head_right
        right[0] += head_right.sum().item()
        right[1] += label_right.sum().item()
        total += int(words.sum().item())
        if scores.tags is not None:
            for i, (predicted, gold) in enumerate(zip(scores.tags, batch.tags, strict=True)):
                right[2 + i] += ((predicted.argmax(-1) == gold) & words).sum().item()
    names = ["uas", "las"] + (["upos", "xpos", "feats"] if model.options.predict_tags else [])
    return {name: 100 * float(value) / total for name, value in zip(names, right, strict=False)}


class Fitter:
    """Updates of a network, and the moving average of its weights, which is the model in the end."""

    def __init__(self, model: Scorer, fitting: Fitting) -> None:
        self.model, self.fitting = model, fitting
        self.averaged = copy.deepcopy(model)
        self.step = 0
        model.drop = Dropouts(fitting.dropout, fitting.word_dropout, fitting.recurrent_dropout)
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=fitting.rate, betas=(0.9, 0.95), eps=1e-9, weight_decay=fitting.weight_decay
        )

    def run(
        self,
        corpus: Corpus,
        progress: Callable[[int], float] | None = None,
        report: Callable[[int, Tensor], None] | None = None,
    ) -> Scorer:
        """Train to the end and return the averaged network.

        Parameters
        ----------
        corpus : training sentences
        progress : which share of training is over after so many updates; by default, as many as the options say
        report : called with the number of updates and the loss after each of them
        """
        random = np.random.default_rng(self.fitting.seed)
        for chosen in corpus.shuffled(self.fitting.batch, random):
            share = progress(self.step) if progress else self.step / self.fitting.steps
            if share >= 1:
                break
            loss = self.update(corpus.batch(chosen), share)
            if report:
                report(self.step, loss)
        return self.averaged

    def update(self, batch: Batch, share: float) -> Tensor:
        """Make one update; the learning rate rises and then falls to zero with the share of training that is over."""
        fitting = self.fitting
        rate = min(share / fitting.warmup, 1.0) if fitting.warmup else 1.0
        for group in self.optimizer.param_groups:
            group["lr"] = fitting.rate * rate * (1 - share) + 1e-8
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        loss = loss_of(self.model, batch, fitting)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), fitting.clip)
        self.optimizer.step()
        self.step += 1
        self._average()
        return loss.detach()  # a tensor, so that the GPU need not be waited for

    @torch.no_grad()
    def _average(self) -> None:
        decay = min(self.fitting.average, self.step / (self.step + 9.0))
        pairs = zip(self.averaged.parameters(), self.model.parameters(), strict=True)
        mine, theirs = map(list, zip(*pairs, strict=True))
        torch._foreach_lerp_(mine, theirs, 1 - decay)
