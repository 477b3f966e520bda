"""Training of a network: the loss, the updates, and the moving average of the weights."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from ramify.neural.network import Batch, Dropouts, Scorer, Scores, mean_field
from ramify.neural.options import Loss, Precision

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor

    from ramify.neural.batches import Corpus
    from ramify.neural.options import Fitting

__all__ = ["Fitter", "evaluate", "fill", "loss_of", "rounded"]


def masked_arcs(scores: Scores, lengths: Tensor) -> Scores:
    """Forbid impossible arcs: those whose head is in the padding, and those from a word to itself."""
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
    words = (batch.heads.flatten() >= 0).nonzero()[:, 0]  # rows of words whose heads are known

    def of_words(x: Tensor) -> Tensor:
        return x.flatten(0, 1)[words]

    def of_heads(logits: Tensor) -> Tensor:
        by_word = of_words(logits.transpose(1, 2)).float()
        if fitting.loss is Loss.HEADS:
            return cross_entropy(by_word, heads)
        gold = by_word.gather(1, heads[:, None]).sum()
        return (log_partition(logits.float(), batch.lengths - 1).sum() - gold) / len(heads)

    heads = of_words(batch.heads)
    loss = of_heads(mean_field(scores, fitting.iterations, batch.lengths))
    if scores.siblings is not None and fitting.first_weight:
        loss = loss + fitting.first_weight * of_heads(scores.arcs)
    labels = model.label_scores(scores, batch.heads)
    loss = loss + cross_entropy(of_words(labels).float(), of_words(batch.labels), ignore_index=-1)
    for predicted, gold in zip(scores.tags or (), batch.tags, strict=False):
        missed = cross_entropy(of_words(predicted).float(), of_words(gold), label_smoothing=fitting.tag_smoothing)
        loss = loss + fitting.tag_weight * missed
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
        heads = mean_field(scores, iterations, batch.lengths).argmax(1)
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
    """Updates of a network, and the moving average of its weights, which is the model in the end.

    Parameters
    ----------
    model : network to train, on its device
    fitting : options
    seed : of what is dropped; every update has its own random numbers, so that a resumed run repeats them
    encoder_rate : largest learning rate of the network's own encoder
    """

    def __init__(self, model: Scorer, fitting: Fitting, seed: int, encoder_rate: float = 0.0) -> None:
        self.model, self.fitting, self.seed = model, fitting, seed
        self.averaged = copy.deepcopy(model)
        self.step = 0
        model.drop = Dropouts(fitting.dropout, fitting.word_dropout, fitting.recurrent_dropout)
        self.device = next(model.parameters()).device
        pretrained = [] if model.encoder is None else list(model.encoder.parameters())
        known = set(map(id, pretrained))
        groups = [
            {"params": [p for p in model.parameters() if id(p) not in known], "largest": fitting.rate},
            {"params": pretrained, "largest": encoder_rate},
        ]
        self.optimizer = torch.optim.AdamW(
            [group for group in groups if group["params"]],
            lr=fitting.rate,
            betas=(0.9, 0.95),
            eps=1e-9,
            weight_decay=fitting.weight_decay,
            fused=self.device.type == "cuda",
        )

    def update(self, batch: Batch, share: float) -> Tensor:
        """Make one update and return its loss, on the device.

        Parameters
        ----------
        batch : sentences
        share : of training that is over; the learning rate rises and then falls to zero with it
        """
        fitting = self.fitting
        rate = min(share / fitting.warmup, 1.0) if fitting.warmup else 1.0
        for group in self.optimizer.param_groups:
            group["lr"] = group["largest"] * rate * (1 - share) + 1e-8
        torch.manual_seed(_mixed(self.seed, self.step))
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        with rounded(fitting.precision, self.device):
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
        torch._foreach_lerp_(list(self.averaged.parameters()), list(self.model.parameters()), 1 - decay)

    def state(self) -> dict[str, np.ndarray]:
        """Return the arrays from which training can go on: one number per weight in each."""
        moments = [self.optimizer.state.get(p, {}) for p in self.model.parameters()]
        zeros = [torch.zeros_like(p) for p in self.model.parameters()]
        return {
            "weights": _flat(self.model.parameters()),
            "averaged": _flat(self.averaged.parameters()),
            "first": _flat(m.get("exp_avg", zero) for m, zero in zip(moments, zeros, strict=True)),
            "second": _flat(m.get("exp_avg_sq", zero) for m, zero in zip(moments, zeros, strict=True)),
            "updates": np.array([self.step]),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from the arrays of `state`."""
        fill(self.model, state["weights"])
        fill(self.averaged, state["averaged"])
        self.step = int(state["updates"][0])
        if not self.step:
            return
        begin = 0
        for parameter in self.model.parameters():
            part = slice(begin, begin + parameter.numel())
            begin = part.stop
            first, second = (
                torch.from_numpy(state[name][part].copy()).view_as(parameter).to(self.device)
                for name in ("first", "second")
            )
            count = torch.tensor(float(self.step), device=self.device if self.device.type == "cuda" else "cpu")
            self.optimizer.state[parameter] = {"step": count, "exp_avg": first, "exp_avg_sq": second}


def rounded(precision: Precision, device: torch.device) -> torch.autocast:
    """Compute scores in the numbers that options ask for."""
    half = precision is Precision.BFLOAT16 or (precision is Precision.AUTO and device.type == "cuda")
    return torch.autocast(device.type, torch.bfloat16, enabled=half)


def fill(model: Scorer, weights: np.ndarray) -> None:
    """Set all weights of a network from one array; raises a ValueError if their number differs."""
    expected = sum(parameter.numel() for parameter in model.parameters())
    if weights.shape != (expected,) or weights.dtype != np.float32:
        raise ValueError(f"expected {expected:,} weights of 32 bits, found {weights.size:,} of {weights.dtype}")
    begin = 0
    with torch.no_grad():
        for parameter in model.parameters():
            end = begin + parameter.numel()
            parameter.copy_(torch.from_numpy(weights[begin:end].copy()).view_as(parameter))
            begin = end


def _flat(tensors: Iterable[Tensor]) -> np.ndarray:
    return torch.cat([tensor.detach().reshape(-1).float() for tensor in tensors]).cpu().numpy()


def _mixed(seed: int, step: int) -> int:
    return int(np.random.SeedSequence([seed, step]).generate_state(1)[0])
